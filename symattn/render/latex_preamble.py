"""The head of a LaTeX page: class, packages, type area, colours and the macros that the body is written in.

Promises: one text for both papers but for the paper option, the same for teacher and student but for one switch; no date, no path.
Does not promise: to be short; it is the file data/preamble.tex with its places filled.
"""

from __future__ import annotations

import re
from importlib.resources import files

from symattn.errors import RenderError

# paper: (class option, left margin, margin above the type area)
PAPERS = {"a4": ("a4paper", "23mm", "36mm"), "letter": ("letterpaper", "25.95mm", "30mm")}
_PLACE = re.compile(r"<<([a-z-]+)>>")


def preamble(*, paper: str, blank: bool, title: str, places: dict[str, str]) -> str:
    """Everything before \\begin{document}. `places` are LaTeX texts, already escaped; `title` is plain. Raises RenderError for a paper."""
    if paper not in PAPERS:
        raise RenderError(f"unknown paper {paper!r}", next_move=f"use one of {', '.join(PAPERS)}")
    option, left, top = PAPERS[paper]
    filled = {
        **places,
        "paper": option,
        "left": left,
        "top": top,
        "blank": "true" if blank else "false",
        "title-hex": "FEFF" + title.encode("utf-16-be", "replace").hex().upper(),
    }
    text = files("symattn.render").joinpath("data/preamble.tex").read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: filled[found[1]], text)
