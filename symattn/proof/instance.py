"""What holds for all sizes, said of some: a statement with numbers for its size symbols.

Promises: the same stages over index sets of the given sizes; nothing is proved again. Does not promise: that hypotheses about values
hold there.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symattn.errors import ProgramError
from symattn.program.program import Program, Stage, sizes_used
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Num, Scalar, Size
from symattn.program.spaces import Axis, Space
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.evidence import PROVED_AT_SIZES, Evidence, StepRejected
from symattn.proof.known import certain


class _Sized(Rewriter):
    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._sizes = sizes

    def space(self, space: Space) -> Space:
        """The space with numbers for its symbols."""
        if space.blocks or space.factors:
            return Space(space.name, 0, tuple(map(self.space, space.blocks)), tuple(map(self.space, space.factors)), space.labels)
        return Space(space.name, self._sizes[space.size] if isinstance(space.size, str) else space.size, labels=space.labels)

    def axis(self, axis: Axis) -> Axis:
        """The axis over the space with numbers."""
        return Axis(axis.name, self.space(axis.space))

    def size(self, name: str) -> Scalar:
        """The number."""
        return Num(Fraction(self._sizes[name])) if name in self._sizes else Size(name)


def at_sizes(certificate: Certificate, sizes: Mapping[str, int]) -> Certificate:
    """The statement of a certificate for all sizes, at these. Raises ProgramError for a size that is missing or not positive,
    StepRejected for a certificate that has sizes already, or that supposes larger ones."""
    s = certain(certificate).statement
    if certificate.evidence.sizes:
        raise StepRejected(f'"{s.text()}" is said at stated sizes already')
    symbols = tuple(dict.fromkeys(x for space in s.program.spaces() for x in space.symbols()))
    for symbol in symbols:
        if not isinstance(sizes.get(symbol), int) or sizes[symbol] < 1:
            raise ProgramError(f'the size "{symbol}" is {sizes.get(symbol)!r}', next_move="give a positive integer for every size")
    for hypothesis in certificate.hypotheses:
        symbol, _, least = hypothesis.partition(" > ")
        if symbol in symbols and least.isdigit() and sizes[symbol] <= int(least):
            raise StepRejected(f'"{s.text()}" is said where {hypothesis}, not at {symbol}={sizes[symbol]}')
    known = {symbol: sizes[symbol] for symbol in symbols} | {x: sizes[x] for x in sizes_used(s.program) if x in sizes}
    rewriter = _Sized(known)
    program = Program(tuple(Stage(stage.name, rewriter.op(stage.op), stage.letter) for stage in s.program.stages))
    at = tuple((symbol, sizes[symbol]) for symbol in symbols)
    statement = Statement(program, s.left, s.right, s.relation, s.scope)
    return mint(statement, Evidence(PROVED_AT_SIZES, (at,)), certificate.hypotheses, (certificate,), certificate.atoms, "instance")
