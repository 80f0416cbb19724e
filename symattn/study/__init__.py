"""Studies of attention in floats: where numbers overflow, vanish and lose digits, and how much of it matters.

Each study is one function that returns a `Study` (tables, a plot, what is said of them):

* `overflow`: the thresholds of a format, proven on its grid;
* `shift`: five softmax algorithms on the same scores, with the birth of every infinity, NaN, zero and lost digit;
* `scaling`: the spread of dot products and what each divisor does to the softmax;
* `saturation`: how fast the gradient fades when one score leads;
* `error`: the error of each algorithm and format, held against proven values and a-priori bounds.

Promises: a seed gives the same numbers again on the same machine. Does not promise: speed without NumPy; it loads when a study runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.study.result import Study

STUDIES = ("overflow", "shift", "scaling", "saturation", "error")


def __getattr__(name: str) -> Any:
    if name in STUDIES:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{name}_study"), name)
    if name == "Study":
        from symattn.study.result import Study

        return Study
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["STUDIES", "Study", "error", "overflow", "saturation", "scaling", "shift"]
