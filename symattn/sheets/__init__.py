"""Worksheets: a Markdown file of givens, definitions and printed numbers becomes a report and a page tree."""
