"""How a statement is known, in words that are the same everywhere, and the two ways in which a proof does not come about.

Promises: the kinds of evidence are never blurred: what was sampled is not called proved. A counterexample is an exact point at which the
two sides were shown to differ. Does not promise: anything about how evidence is found (kernel.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symattn.errors import Place, SymattnError, UndecidedError

PROVED_ALL_SIZES = "proved-all-sizes"
PROVED_AT_SIZES = "proved-at-sizes"
SAMPLED = "sampled"
ENCLOSED = "enclosed"
OBSERVED = "observed"
UNDECIDED = "undecided"
ADMITTED = "admitted"
REJECTED = "rejected"
KINDS = (PROVED_ALL_SIZES, PROVED_AT_SIZES, SAMPLED, ENCLOSED, OBSERVED, UNDECIDED, ADMITTED, REJECTED)

Sizes = tuple[tuple[str, int], ...]


def sizes_text(sizes: Sizes) -> str:
    """`n=2, d_k=1`."""
    return ", ".join(f"{name}={value}" for name, value in sizes)


@dataclass(frozen=True)
class Counterexample:
    """An exact point at which the two sides differ. `inputs` are entries and their exact values as text, in program order, `index` the
    entry of the statement, `left` and `right` its two values there (decimals are cut, the values themselves were compared)."""

    sizes: Sizes
    inputs: tuple[tuple[str, str], ...]
    index: tuple[int, ...]
    left: str
    right: str

    def text(self, limit: int = 12) -> str:
        """`n=2; s[0]=3/2, s[1]=1: 0.622459 against 0.377541 at entry (0)`; at most `limit` inputs are written out."""
        shown = [f"{name}={value}" for name, value in self.inputs[:limit]]
        if len(self.inputs) > limit:
            shown.append(f"… ({len(self.inputs)} values)")
        parts = [p for p in (sizes_text(self.sizes), ", ".join(shown)) if p]
        at = f" at entry {self.index}" if self.index else ""
        return f"{'; '.join(parts)}: {self.left} against {self.right}{at}"


@dataclass(frozen=True)
class Evidence:
    """How a statement is known. `kind` is one of KINDS; `sizes` the sizes it was proved or sampled at (one tuple a set of sizes),
    `points` how many points were sampled, `bits` how narrow enclosures were, `reason` why something is undecided or admitted."""

    kind: str
    sizes: tuple[Sizes, ...] = ()
    points: int = 0
    bits: int = 0
    reason: str = ""
    counterexample: Counterexample | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of evidence")

    def text(self) -> str:
        """One line: `PROVED all sizes`, `PROVED at n=3, d=2`, `SAMPLED 4 points`, `UNDECIDED reason`, …"""
        match self.kind:
            case "proved-all-sizes":
                return "PROVED all sizes"
            case "proved-at-sizes":
                return "PROVED at " + "; ".join(sizes_text(s) for s in self.sizes)
            case "sampled":
                return f"SAMPLED {self.points} points"
            case "enclosed":
                return f"ENCLOSED {self.bits} bits"
            case "rejected":
                return "REJECTED" + (f" {self.counterexample.text()}" if self.counterexample else f" {self.reason}")
            case kind:
                return f"{kind.upper()} {self.reason}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """The fields that say something, for `symattn-derivation/1`."""
        found: dict[str, Any] = {"kind": self.kind}
        if self.sizes:
            found["sizes"] = [dict(s) for s in self.sizes]
        if self.points:
            found["points"] = self.points
        if self.bits:
            found["bits"] = self.bits
        if self.reason:
            found["reason"] = self.reason
        if self.counterexample is not None:
            found["counterexample"] = self.counterexample.text()
        return found


class StepRejected(SymattnError):
    """A statement that is false, or a rule that does not apply. `counterexample` is a point at which it fails, None where the rule
    itself does not fit."""

    def __init__(self, message: str, *, counterexample: Counterexample | None = None, next_move: str = "") -> None:
        shown = f"{message}: counterexample {counterexample.text()}" if counterexample is not None else message
        super().__init__(shown, next_move=next_move)
        self.counterexample = counterexample

    @property
    def evidence(self) -> Evidence:
        """The rejection as evidence."""
        return Evidence(REJECTED, reason="" if self.counterexample else self.message, counterexample=self.counterexample)


class Undecided(UndecidedError):
    """A statement that was neither proved nor refuted; `reason` says what stopped the proof."""

    def __init__(self, reason: str, *, place: Place | None = None, next_move: str = "") -> None:
        self.reason = reason.replace("undecided: ", "")
        super().__init__(f"undecided: {self.reason}", place=place, next_move=next_move)

    @property
    def evidence(self) -> Evidence:
        """The failure as evidence."""
        return Evidence(UNDECIDED, reason=self.reason)
