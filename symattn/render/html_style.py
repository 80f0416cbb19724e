"""The style sheet of the HTML pages, read from worksheet.css beside this file.

Promises: the text without comments and needless space, once read. Does not promise: rules for anything that is not ours.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


@cache
def style_sheet() -> str:
    """CSS for the page's `<style>`."""
    text = files("symattn.render").joinpath("worksheet.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", "\n", text).strip()
