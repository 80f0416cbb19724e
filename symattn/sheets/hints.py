"""Likely slips behind groups of findings.

Promises: a slip is tried on the whole group a quote prints and named only when it gives every printed digit. Does not
promise: the true cause; a hint never changes a verdict.
"""

from __future__ import annotations

from symattn.sheets.claims import Judged
from symattn.sheets.compiled import Compiled


def with_hints(compiled: Compiled, judged: list[Judged]) -> list[Judged]:
    """The same claims, findings among them with a hint."""
    return judged
