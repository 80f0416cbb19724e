"""Signs, inequalities, and what follows from one comparison for another.

Signs that a rule needs are seen from the form of the program (forms.py), proved (`given`: certificates `stage >= 0`, `stage > 0`), or
supposed of inputs (`suppose`: {"p": ">="}), which then stands among the hypotheses.

Promises: a certificate follows from what it names. Does not promise: that everything true can be reached.
"""

from __future__ import annotations

from collections.abc import Sequence

from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary
from symattn.proof.alike import reading
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.evidence import StepRejected
from symattn.proof.forms import NONNEGATIVE, POSITIVE, Forms
from symattn.proof.kernel import Budget, prove_equal, stated
from symattn.proof.known import PROVED, Known, Signs, certain, fresh, merged, named, order_of
from symattn.proof.parts import cone

_TURNED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "=="}


def nonnegative(
    program: Program, stage: str, *, strict: bool = False, given: Sequence[Certificate] = (), suppose: Signs | None = None
) -> Certificate:
    """`stage >= 0` (`> 0` when strict), seen from its form: sums and products of squares, exponentials and what is known to be so.

    Raises StepRejected when that is not seen."""
    named(program, stage)
    known = Known(program, given, suppose or {})
    sign = known.forms.stage(stage)
    if sign < (POSITIVE if strict else NONNEGATIVE):
        raise StepRejected(
            f'"{stage}" is not seen to be {"positive" if strict else "nonnegative"}',
            next_move="write it as a sum of products of squares, exponentials and stages that are known to be nonnegative",
        )
    statement = Statement(program, stage, "0", ">" if strict else ">=")
    return mint(statement, PROVED, known.hypotheses(cone(program, [stage])), tuple(given), (), "sign")


def inequality(
    program: Program,
    greater: str,
    less: str,
    gap: str,
    *,
    strict: bool = False,
    atoms: Sequence[str] = (),
    facts: Sequence[Certificate] = (),
    given: Sequence[Certificate] = (),
    suppose: Signs | None = None,
    budget: Budget | None = None,
) -> Certificate:
    """`greater >= less` (`>` when strict): the identity `greater - less == gap` is proved, and `gap` is seen to be nonnegative.

    Raises what `prove_equal` and `nonnegative` raise."""
    stated(program, greater, less)
    stated(program, greater, gap)
    sign = nonnegative(program, gap, strict=strict, given=given, suppose=suppose)
    out = program.by_name[greater].out
    moved = tuple(zip(("a", "b"), (ops.Use(greater, out), ops.Use(less, out)), strict=True))
    name = fresh(program, f"{greater}-{less}")
    longer = Program((*program.stages, Stage(name, ops.Map(out, Binary("sub", Arg("a"), Arg("b")), moved))))
    same = prove_equal(longer, name, gap, atoms=atoms, facts=facts, budget=budget)
    statement = Statement(program, greater, less, ">" if strict else ">=")
    return mint(statement, PROVED, merged(same, sign), (same, sign), (), "inequality")


def difference(
    certificate: Certificate, program: Program, stage: str, *, atoms: Sequence[str] = (), facts: Sequence[Certificate] = ()
) -> Certificate:
    """From a >= b to `stage >= 0`, where `a - b == stage` is proved; > stays strict, and a <= b is b >= a.

    Raises StepRejected for an equality or a sign, and what `prove_equal` raises."""
    relation = order_of(certificate, program)
    s = certificate.statement
    if relation == "==" or s.right == "0":
        raise StepRejected(f'"{s.text()}" is no comparison of two stages')
    greater, less = (s.left, s.right) if relation[0] == ">" else (s.right, s.left)
    stated(program, greater, stage)
    out = program.by_name[greater].out
    args = (("a", ops.Use(greater, out)), ("b", ops.Use(less, out)))
    name = fresh(program, f"{greater}-{less}")
    longer = Program((*program.stages, Stage(name, ops.Map(out, Binary("sub", Arg("a"), Arg("b")), args))))
    same = prove_equal(longer, name, stage, atoms=atoms, facts=facts)
    statement = Statement(program, stage, "0", ">" if len(relation) == 1 else ">=")
    return mint(statement, PROVED, merged(certificate, same), (certificate, same), (), "difference")


def monotone(
    certificate: Certificate, program: Program, left: str, right: str, *, given: Sequence[Certificate] = (), suppose: Signs | None = None
) -> Certificate:
    """From a <= b to f(a) <= f(b): the stages `left` and `right` are one operation, on a and on b, that rises with it; >= where it
    falls. Contract with nonnegative factors, maxima, and scalar trees of rising functions count; strictness is not kept.

    Raises StepRejected when the operation is not seen to be monotone."""
    relation = order_of(certificate, program)
    named(program, left, right)
    known = Known(program, given, suppose or {})
    way = _way(program, left, right, certificate.statement, known.forms)
    if relation == "==" or way == 0:
        relation = "=="
    elif way < 0:
        relation = _TURNED[relation]
    relation = relation[0] + "=" if relation in ("<", ">") else relation
    hypotheses = dict.fromkeys([*certificate.hypotheses, *known.hypotheses(cone(program, [left, right]))])
    statement = Statement(program, left, right, relation)
    stated(program, left, right)
    return mint(statement, PROVED, tuple(hypotheses), (certificate, *given), (), "monotone")


def _way(program: Program, left: str, right: str, known: Statement, forms: Forms) -> int:
    """1 or -1: how the operation moves when `known.left` becomes `known.right`."""
    a, b = reading(program.by_name[left].op), reading(program.by_name[right].op)
    refused = StepRejected(f'"{left}" and "{right}" are not one monotone operation on "{known.left}" and "{known.right}"')
    if isinstance(a, ops.Contract) and isinstance(b, ops.Contract):
        changed = [k for k, (u, v) in enumerate(zip(a.uses, b.uses, strict=False)) if u != v]
        same = (a.out, a.where, a.coef, a.over) == (b.out, b.where, b.coef, b.over) and len(a.uses) == len(b.uses)
        if not same or len(changed) != 1 or not _swapped(a.uses[changed[0]], b.uses[changed[0]], known):
            raise refused
        if _absent(program, known):
            raise StepRejected("one of the two has entries that a mask removed", next_move="compare stages without relations of their own")
        others = [u for k, u in enumerate(a.uses) if k != changed[0]]
        if not forms.tree(a.coef, {}) or not all(forms.stage(u.stage) for u in others):
            raise StepRejected(f'the factors beside "{known.left}" are not seen to be nonnegative')
        return 1
    if isinstance(a, ops.Reduce) and isinstance(b, ops.Reduce):
        if (a.out, a.where, a.kind, a.empty) != (b.out, b.where, b.kind, b.empty) or not _swapped(a.use, b.use, known):
            raise refused
        if _absent(program, known):
            raise StepRejected("one of the two has entries that a mask removed", next_move="compare stages without relations of their own")
        return 1
    if isinstance(a, ops.Map) and isinstance(b, ops.Map):
        moving = {n for (n, u), (_, v) in zip(a.args, b.args, strict=False) if u != v}
        pairs = list(zip(a.args, b.args, strict=False))
        same = (a.out, a.where, a.scalar) == (b.out, b.where, b.scalar) and [n for n, _ in a.args] == [n for n, _ in b.args]
        if not same or not all(u == v or _swapped(u, v, known) for (_, u), (_, v) in pairs):
            raise refused
        ways = {forms.direction(op.scalar, moving, {n: u.stage for n, u in op.args}) for op in (a, b)}
        if len(ways) != 1 or None in ways:
            raise StepRejected(f'"{left}" is not seen to rise or to fall with "{known.left}"')
        return ways.pop() or 0
    raise refused


def _swapped(u: ops.Use, v: ops.Use, known: Statement) -> bool:
    return (u.stage, v.stage) == (known.left, known.right) and u.indices == v.indices


def _absent(program: Program, known: Statement) -> bool:
    maps = [program.by_name[name].op for name in (known.left, known.right) if name in program.by_name]
    wheres = [op.where if isinstance(op, ops.Map) else () for op in maps]
    return wheres[0] != wheres[-1]


def transitive(first: Certificate, *rest: Certificate) -> Certificate:
    """From a <= b, b <= c, … to a <= c; equalities may stand between, strict ones make it strict.

    Raises StepRejected when the stages do not meet or the signs point different ways."""
    program = max((certain(c).statement.program for c in (first, *rest)), key=lambda p: len(p.stages))
    relation = order_of(first, program)
    left, at = first.statement.left, first.statement.right
    for c in rest:
        sign = order_of(c, program)
        if c.statement.left != at:
            raise StepRejected(f'"{c.statement.text()}" does not go on from "{at}"')
        both = {relation, sign} - {"=="}
        if len({s[0] for s in both}) > 1:
            raise StepRejected(f'"{relation}" and "{sign}" point different ways')
        relation = min(both, key=len) if both else "=="
        at = c.statement.right
    hypotheses = dict.fromkeys(h for c in (first, *rest) for h in c.hypotheses)
    return mint(Statement(program, left, at, relation), PROVED, tuple(hypotheses), (first, *rest), (), "transitivity")


def turned(certificate: Certificate) -> Certificate:
    """From a <= b to b >= a; from a == b to b == a. Raises StepRejected for a comparison with a number."""
    s = certain(certificate).statement
    order_of(certificate, s.program)
    if s.right == "0":
        raise StepRejected(f'"{s.text()}" compares with a number')
    statement = Statement(s.program, s.right, s.left, _TURNED[s.relation])
    return mint(statement, certificate.evidence, certificate.hypotheses, (certificate,), certificate.atoms, "turned")


def antisymmetric(first: Certificate, second: Certificate) -> Certificate:
    """From a <= b and b <= a (or a >= b) to a == b. Raises StepRejected where they do not meet."""
    a, b = certain(first).statement, certain(second).statement
    program = max((a.program, b.program), key=lambda p: len(p.stages))
    signs = (order_of(first, program), order_of(second, program))
    ways = {signs[0][0], (signs[1] if (b.left, b.right) == (a.left, a.right) else _TURNED[signs[1]])[0]}
    if {b.left, b.right} != {a.left, a.right} or ways != {"<", ">"} or "<" in signs or ">" in signs:
        raise StepRejected(f'"{a.text()}" and "{b.text()}" do not bound from both sides')
    return mint(Statement(program, a.left, a.right), PROVED, merged(first, second), (first, second), (), "antisymmetry")


def congruent(certificate: Certificate, program: Program, left: str, right: str) -> Certificate:
    """From a == b to f(a) == f(b): the two stages are one operation, with b in place of a. Raises StepRejected where they are not."""
    if order_of(certificate, program) != "==":
        raise StepRejected(f'"{certificate.statement.text()}" is no equality')
    known = certificate.statement
    a, b = program.by_name[left], program.by_name[right]
    stated(program, left, right)

    def one(name: str) -> str:
        return known.right if name == known.left else name

    if reading(a.op, one) != reading(b.op, one) or _absent(program, known):
        raise StepRejected(f'"{left}" and "{right}" are not one operation on "{known.left}" and "{known.right}"')
    return mint(Statement(program, left, right), PROVED, certificate.hypotheses, (certificate,), (), "substitution")
