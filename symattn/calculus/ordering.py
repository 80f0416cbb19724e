"""Rules beside identities: signs, gaps, monotone functions, maxima, and sums of nonnegatives. Each asks the kernel's rule of that name.

Promises: signs of givens are used only where a hypothesis says them ("x > 0"). Does not promise: that a sign is seen; write it so that it
is: sums and products of squares, exponentials and what is known to be nonnegative.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from symattn.calculus.reading import parse
from symattn.calculus.task import Fact, Task, facts_in, no_argument, proved_facts, refused
from symattn.errors import DerivationError
from symattn.language.ast import Node, Number
from symattn.program.program import Program
from symattn.proof import rules as kernel
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import StepRejected

_SIGN = re.compile(r"(\w+) (>=?) 0")


def supposed(task: Task) -> dict[str, str]:
    """Givens with a sign among the hypotheses."""
    givens = task.setting.givens()
    found: dict[str, str] = {}
    for text in task.hypotheses:
        match = _SIGN.fullmatch(text)
        if match and match[1] in givens:
            found[match[1]] = match[2]
    return found


def signs_of(facts: Sequence[Fact]) -> list[Certificate]:
    """Certificates that something is positive or nonnegative."""
    return [_sign_of(f.line.certificate) for f in facts if f.line is not None and f.sign in (">", ">=") and _is_zero(f.after)]


def _sign_of(certificate: Certificate) -> Certificate:
    """The comparison with the number 0, where it was reached in several steps."""
    s = certificate.statement
    return certificate if s.right == "0" else kernel.difference(certificate, s.program, s.left, atoms=[s.left])


def _atoms(task: Task, program: Program) -> list[str]:
    return [n for n in task.setting.names() if n in program.by_name]


def _is_zero(node: Node) -> bool:
    return isinstance(node, Number) and node.value == 0


def _gap(task: Task) -> tuple[Node, list[Fact]]:
    """The gap and what it leans on: "GAP" or "GAP | line 2; sum(p) == 1"."""
    text, _, more = task.argument.partition("|")
    if not text.strip():
        raise DerivationError("the rule names the difference", next_move='write "at most: sum(p * x**2)", a visibly nonnegative expression')
    return parse(text.strip()), facts_in(task, more)


# -- signs --------------------------------------------------------------------------------------------------------------
def _sign(task: Task, strict: bool) -> Certificate:
    if not _is_zero(task.after):
        raise refused("this rule ends at 0", 'write "0" as what comes after')
    facts = facts_in(task, task.argument)
    compared = [f for f in facts if f.line is not None and f.sign != "==" and not _is_zero(f.after)]
    program, pairs = task.setting.compiled([(task.before, task.before)])
    if compared and compared[0].line is not None:
        found = kernel.difference(compared[0].line.certificate, program, pairs[0][0], atoms=_atoms(task, program))
        if strict and found.statement.relation != ">":
            raise refused("the comparison it starts from is not strict", 'write the rule "nonnegative"')
        return found
    suppose = {name: sign for name, sign in supposed(task).items() if name in program.by_name}
    return kernel.nonnegative(program, pairs[0][0], strict=strict, given=signs_of(facts), suppose=suppose)


def positive(task: Task) -> Certificate:
    """before > 0, by its form, or as the difference of a comparison that the argument names."""
    return _sign(task, True)


def nonnegative_by_form(task: Task) -> Certificate:
    """before >= 0, by its form, or as the difference of a comparison that the argument names."""
    return _sign(task, False)


# -- gaps ---------------------------------------------------------------------------------------------------------------
def _between(task: Task, greater: Node, less: Node, strict: bool) -> Certificate:
    gap, facts = _gap(task)
    setting = task.setting
    equalities = [f for f in facts if f.sign == "=="]
    program, pairs = setting.compiled([(greater, less), (greater, gap), *((f.before, f.after) for f in equalities)])
    proved = proved_facts(setting, program, equalities, pairs[2:])
    atoms = _atoms(task, program)
    suppose = {name: sign for name, sign in supposed(task).items() if name in program.by_name}
    (a, b), (_, c) = pairs[0], pairs[1]
    return kernel.inequality(program, a, b, c, strict=strict, atoms=atoms, facts=proved, given=signs_of(facts), suppose=suppose)


def at_least(task: Task) -> Certificate:
    """before >= after."""
    return _between(task, task.before, task.after, False)


def more_than(task: Task) -> Certificate:
    """before > after."""
    return _between(task, task.before, task.after, True)


def at_most(task: Task) -> Certificate:
    """before <= after."""
    return kernel.turned(_between(task, task.after, task.before, False))


def less_than(task: Task) -> Certificate:
    """before < after."""
    return kernel.turned(_between(task, task.after, task.before, True))


# -- functions and maxima -----------------------------------------------------------------------------------------------
def _one_fact(task: Task) -> Fact:
    facts = facts_in(task, task.argument)
    if not facts or facts[0].line is None:
        raise DerivationError("the rule names the line or part it starts from", next_move='write "monotone: line 2"')
    return facts[0]


def known(task: Task) -> Certificate:
    """before and after are the sides of a comparison that was reached, in either order."""
    fact = _one_fact(task)
    assert fact.line is not None
    found = fact.line.certificate
    if (task.before, task.after) == (fact.before, fact.after):
        return found
    if (task.before, task.after) == (fact.after, fact.before) and fact.sign != "==":
        return kernel.turned(found)
    raise refused("the line it names compares something else", "name the line whose sides stand before and after")


def monotone_in(task: Task) -> Certificate:
    """f(before) and f(after), from a comparison of what is inside. Further items of the argument say signs."""
    fact = _one_fact(task)
    assert fact.line is not None
    program, pairs = task.setting.compiled([(task.before, task.after)])
    suppose = {name: sign for name, sign in supposed(task).items() if name in program.by_name}
    given = signs_of(facts_in(task, task.argument)[1:])
    inside = fact.line.certificate
    if fact.sign in (">", ">="):
        inside = kernel.turned(inside)
        return kernel.turned(kernel.monotone(inside, program, pairs[0][1], pairs[0][0], given=given, suppose=suppose))
    return kernel.monotone(inside, program, *pairs[0], given=given, suppose=suppose)


def tangent(task: Task) -> Certificate:
    """exp and log beside their tangents, in either order."""
    no_argument(task, "tangent line")
    program, pairs = task.setting.compiled([(task.before, task.after)])
    left, right = pairs[0]
    try:
        return kernel.tangent_line(program, left, right)
    except StepRejected:
        return kernel.turned(kernel.tangent_line(program, right, left))


def maximum(task: Task) -> Certificate:
    """An entry and its maximum, or f of a maximum and the sum of f, in either order."""
    no_argument(task, "maximum")
    program, pairs = task.setting.compiled([(task.before, task.after)])
    left, right = pairs[0]
    suppose = {name: sign for name, sign in supposed(task).items() if name in program.by_name}
    trouble: StepRejected | None = None
    for swap in (False, True):
        a, b = (right, left) if swap else (left, right)
        for rule in (kernel.below_maximum, kernel.maximum_counts):
            try:
                if rule is kernel.maximum_counts:
                    found = kernel.maximum_counts(program, a, b, suppose=suppose)
                else:
                    found = kernel.below_maximum(program, a, b)
            except StepRejected as error:
                trouble = error if error.counterexample is not None or trouble is None else trouble
                continue
            return kernel.turned(found) if swap else found
    assert trouble is not None
    raise trouble


# -- what is zero -------------------------------------------------------------------------------------------------------
def _zero(task: Task, each: bool) -> Certificate:
    if not _is_zero(task.after):
        raise refused("this rule ends at 0", 'write "0" as what comes after')
    fact = _one_fact(task)
    assert fact.line is not None
    program, pairs = task.setting.compiled([(task.before, task.after)])
    suppose = {name: sign for name, sign in supposed(task).items() if name in program.by_name}
    given = signs_of(facts_in(task, task.argument)[1:])
    rule = kernel.each_is_zero if each else kernel.factor_is_zero
    return rule(fact.line.certificate, program, *pairs[0], given=given, suppose=suppose)


def each_zero(task: Task) -> Certificate:
    """before is 0, since the sum of its nonnegative entries is."""
    return _zero(task, True)


def factor_zero(task: Task) -> Certificate:
    """before is 0, since its product with what is positive is."""
    return _zero(task, False)


def both_ways(task: Task) -> Certificate:
    """before == after, since it is at most and at least."""
    facts = facts_in(task, task.argument)
    if len(facts) != 2 or any(f.line is None for f in facts):
        raise DerivationError("the rule names two lines or parts", next_move='write "bounded both ways: part 1; part 2"')
    first, second = (f.line.certificate for f in facts if f.line is not None)
    found = kernel.antisymmetric(first, second)
    _, pairs = task.setting.compiled([(task.before, task.after)])
    if (found.statement.left, found.statement.right) != pairs[0]:
        raise refused("the two bounds are about something else", "name the bounds of what stands before and after")
    return found


RULES: Mapping[str, Callable[[Task], Certificate]] = MappingProxyType(
    {
        rule.__name__: rule
        for rule in (
            positive, nonnegative_by_form, at_least, at_most, more_than, less_than, monotone_in, tangent, maximum, each_zero, factor_zero,
            both_ways, known,
        )
    }
)  # fmt: skip
