"""Matrices from files and from text, taken exactly, with the place of every complaint."""
