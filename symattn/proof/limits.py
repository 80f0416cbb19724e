"""Limits as one number grows without bound: by the form of a formula, and by squeezing.

A limit is a statement `stage -> limit` with the scope "as t -> oo": entry by entry, at fixed sizes and fixed values of everything else.

Promises: what is said to tend to 0 does. Does not promise: to see it, nor any speed of convergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from symattn.errors import ProgramError
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.evidence import StepRejected
from symattn.proof.forms import POSITIVE, Forms
from symattn.proof.kernel import Budget, prove_equal, stated, vanishing
from symattn.proof.known import PROVED, Known, Signs, fresh, order_of
from symattn.proof.parts import cone

# What happens to a number: it tends to 0, does not move, stays bounded, or grows beyond every bound with a sign.
Fate = Literal["zero", "still", "bounded", "up", "down"] | None


def tends(
    program: Program,
    stage: str,
    limit: str,
    variable: str,
    *,
    rest: str = "",
    given: Sequence[Certificate] = (),
    suppose: Signs | None = None,
    facts: Sequence[Certificate] = (),
    budget: Budget | None = None,
) -> Certificate:
    """`stage -> limit` as the number `variable` (an input without axes) grows: `stage - limit == rest` is proved, and `rest` is seen to
    vanish from its form: exp of what falls without bound, quotients by what grows, sums and products of such. Without `rest` the limit
    itself must be 0 and the stage must vanish.

    Raises StepRejected where that is not seen, and what `prove_equal` raises."""
    stated(program, stage, limit)
    own = program.by_name.get(variable)
    if own is None or not isinstance(own.op, ops.Input) or own.out:
        raise ProgramError(f'"{variable}" is not a number among the inputs')
    if variable in cone(program, [limit]):
        raise StepRejected(f'the limit "{limit}" itself depends on "{variable}"')
    known = Known(program, given, suppose or {})
    used: list[Certificate] = list(given)
    if rest:
        out = program.by_name[stage].out
        name = fresh(program, f"{stage}-{limit}")
        args = (("a", ops.Use(stage, out)), ("b", ops.Use(limit, out)))
        longer = Program((*program.stages, Stage(name, ops.Map(out, Binary("sub", Arg("a"), Arg("b")), args))))
        used.append(prove_equal(longer, name, rest, facts=facts, budget=budget))
    elif not vanishing(program, limit):
        raise StepRejected(f'"{limit}" is not 0', next_move="name the stage `rest` that is the difference")
    if _Fates(program, variable, known.forms).stage(rest or stage) != "zero":
        raise StepRejected(f'"{rest or stage}" is not seen to tend to 0 as {variable} grows')
    hypotheses = dict.fromkeys([*known.hypotheses(cone(program, [stage])), *(h for c in used for h in c.hypotheses)])
    return mint(Statement(program, stage, limit, "->", _scope(variable)), PROVED, tuple(hypotheses), tuple(used), (), "limit")


def squeeze(
    program: Program, stage: str, limit: str, variable: str, *, above: Certificate, below: Certificate, limits: Sequence[Certificate]
) -> Certificate:
    """From low <= stage, stage <= high, low -> limit and high -> limit to `stage -> limit`. `below` and `above` are the two inequalities,
    `limits` the two limits (one when low and high are the same, or when one of them is the limit itself).

    Raises StepRejected where they do not fit together."""
    stated(program, stage, limit)
    low, high = _bound(below, program, stage, "<="), _bound(above, program, stage, ">=")
    reached = {limit}
    for c in limits:
        order_of(c, program, limit=True)
        s = c.statement
        if s.relation != "->" or s.scope != _scope(variable) or s.right != limit:
            raise StepRejected(f'"{s.text()}" is not a limit "{limit}" as {variable} grows')
        reached.add(s.left)
    for side in (low, high):
        if side not in reached:
            raise StepRejected(f'"{side}" is not shown to tend to "{limit}"')
    if variable in cone(program, [limit]):
        raise StepRejected(f'the limit "{limit}" itself depends on "{variable}"')
    facts = (below, above, *limits)
    hypotheses = dict.fromkeys(h for c in facts for h in c.hypotheses)
    return mint(Statement(program, stage, limit, "->", _scope(variable)), PROVED, tuple(hypotheses), facts, (), "squeeze")


def _bound(certificate: Certificate, program: Program, stage: str, sign: str) -> str:
    """The stage that bounds `stage`: from below for "<=", from above for ">="."""
    relation = order_of(certificate, program)
    s = certificate.statement
    if relation == "==":
        return s.right if s.left == stage else s.left
    if s.right == stage and relation[0] == sign[0]:
        return s.left
    if s.left == stage and relation[0] != sign[0]:
        return s.right
    raise StepRejected(f'"{s.text()}" does not bound "{stage}" from {"below" if sign == "<=" else "above"}')


def _scope(variable: str) -> str:
    return f"as {variable} -> oo"


class _Fates:
    def __init__(self, program: Program, variable: str, forms: Forms) -> None:
        self._program = program
        self._variable = variable
        self._forms = forms
        self._moving = {variable}
        for stage in program.stages:
            if variable in cone(program, [stage.name]):
                self._moving.add(stage.name)

    def stage(self, name: str) -> Fate:
        """What happens to every entry of the stage."""
        if name not in self._moving:
            return "still"
        if name == self._variable:
            return "up"
        match self._program.by_name[name].op:
            case ops.Map(_, tree, args, where):
                found = self.tree(tree, {arg: use.stage for arg, use in args})
                return found if not where or found in ("zero", "still", "bounded") else None
            case ops.Contract(uses=uses, coef=coef):
                found = self.tree(coef, {})
                for use in uses:
                    found = _times(found, self.stage(use.stage))
                return found if found in ("zero", "still", "bounded") else None
            case ops.Reduce(use=use, empty=empty):
                found = self.stage(use.stage)
                return found if found in ("zero", "bounded") and empty is None else None
            case _:
                return None

    def tree(self, tree: Scalar, uses: dict[str, str]) -> Fate:
        match tree:
            case Num() | Size():
                return "still"
            case Arg(name):
                return self.stage(uses[name])
            case Unary("neg", x):
                return _negative(self.tree(x, uses))
            case Unary(op, x):
                return _of_function(op, self.tree(x, uses))
            case Power(x, e):
                return _of_power(self.tree(x, uses), e > 0)
            case Binary("add", a, b):
                return _plus(self.tree(a, uses), self.tree(b, uses))
            case Binary("sub", a, b):
                return _plus(self.tree(a, uses), _negative(self.tree(b, uses)))
            case Binary("mul", a, b):
                return self._product(a, b, uses)
            case Binary("div", a, b):
                return self._quotient(a, b, uses)
            case Binary("max2", a, b):
                fates = {self.tree(a, uses), self.tree(b, uses)}
                return "zero" if fates == {"zero"} else "bounded" if fates <= {"zero", "still", "bounded"} else None
        return None

    def _product(self, a: Scalar, b: Scalar, uses: dict[str, str]) -> Fate:
        first, second = self.tree(a, uses), self.tree(b, uses)
        for fate, other, sign in ((first, second, b), (second, first, a)):
            if fate in ("up", "down") and other == "still":
                if self._forms.tree(sign, uses) == POSITIVE:
                    return fate
                return _negative(fate) if self._is_negative(sign, uses) else None
        return _times(first, second)

    def _is_negative(self, tree: Scalar, uses: dict[str, str]) -> bool:
        match tree:
            case Num(value):
                return value < 0
            case Unary("neg", x):
                return self._forms.tree(x, uses) == POSITIVE
            case _:
                return False

    def _quotient(self, a: Scalar, b: Scalar, uses: dict[str, str]) -> Fate:
        top, bottom = self.tree(a, uses), self.tree(b, uses)
        if bottom in ("up", "down"):
            return "zero" if top in ("zero", "still", "bounded") else None
        if bottom == "still":
            if top in ("up", "down"):
                return top if self._forms.tree(b, uses) == POSITIVE else None
            return top
        return top if top == "zero" and self._away(b, uses) else "bounded" if top in ("still", "bounded") and self._away(b, uses) else None

    def _away(self, tree: Scalar, uses: dict[str, str]) -> bool:
        """Is it at least a positive number that does not move?"""
        if self.tree(tree, uses) == "still":
            return self._forms.tree(tree, uses) == POSITIVE
        match tree:
            case Binary("add", a, b):
                return any(self._away(x, uses) and self._forms.tree(y, uses) > 0 for x, y in ((a, b), (b, a)))
            case _:
                return False


def _negative(fate: Fate) -> Fate:
    return {"up": "down", "down": "up"}.get(fate, fate) if fate is not None else None  # type: ignore[return-value]


def _plus(a: Fate, b: Fate) -> Fate:
    if a is None or b is None:
        return None
    if "up" in (a, b) or "down" in (a, b):
        return None if {a, b} == {"up", "down"} else "up" if "up" in (a, b) else "down"
    return a if a == b else "bounded"


def _times(a: Fate, b: Fate) -> Fate:
    if a in ("zero", "still", "bounded") and b in ("zero", "still", "bounded"):
        return "zero" if "zero" in (a, b) else a if a == b else "bounded"
    return None


def _of_function(op: str, x: Fate) -> Fate:
    if x == "still":
        return "still"
    match op:
        case "exp":
            return {"down": "zero", "up": "up", "zero": "bounded", "bounded": "bounded"}.get(x or "")  # type: ignore[return-value]
        case "tanh" | "erf" | "sin":
            return "zero" if x == "zero" else "bounded"
        case "cos":
            return "bounded"
        case "sqrt":
            return x if x in ("zero", "bounded", "up") else None
        case "log":
            return "up" if x == "up" else None
        case _:
            return None


def _of_power(x: Fate, positive: bool) -> Fate:
    if x == "still":
        return "still"
    if positive:
        return x if x in ("zero", "bounded", "up") else None
    return "zero" if x in ("up", "down") else None
