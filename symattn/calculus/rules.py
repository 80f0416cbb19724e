"""The rules a step may name: what each must look like, and how the kernel is asked to prove it.

Promises: the table is closed; a rule accepts a step only when the step has the rule's own form *and* the kernel gives a certificate; for
equalities without facts exactly one rule of the table fits a pair of expressions, so that a wrong rule is refused even where the step
is true. Does not promise: that a true step is proved; what the kernel does not decide is refused.

A step's rule is written `name` or `name: argument`, for example "definition: P, Z" or "using: sum(P) == 1".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from symattn.calculus import shapes
from symattn.calculus.derivation import Both
from symattn.calculus.expansions import EXPANSIONS, expanded
from symattn.calculus.setting import Setting
from symattn.errors import DerivationError
from symattn.language.ast import Call, Name, Node, Operation
from symattn.language.names import suggestion
from symattn.language.parser import parse_relation
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import prove_equal


@dataclass(frozen=True)
class Line:
    """An earlier step, for rules that use it."""

    before: Node
    sign: str
    after: Node
    certificate: Certificate


@dataclass(frozen=True)
class Task:
    """A step to be proved: from `before` to `after` by a rule with this `argument`. `lines` are the steps above it."""

    setting: Setting
    before: Node
    after: Node
    argument: str = ""
    lines: Sequence[Line] = ()
    hypotheses: Sequence[str] = ()


@dataclass(frozen=True)
class Rule:
    """`label` is what a page prints, `sign` how after stands to before (before sign after), `says` what a step must look like."""

    name: str
    label: Both
    sign: str
    says: str
    prove: Callable[[Task], Certificate] = field(compare=False)


def split_rule(text: str) -> tuple[str, str]:
    """The name and the argument of a rule as a step writes it."""
    name, _, argument = text.partition(":")
    return name.strip(), argument.strip()


def rule_named(name: str) -> Rule:
    """The rule. Raises DerivationError with the nearest names."""
    if name not in RULES:
        raise DerivationError(f'there is no rule "{name[:60]}"', next_move=suggestion(name, RULES, "rules"))
    return RULES[name]


def prove_step(rule: str, task: Task) -> tuple[Rule, Certificate]:
    """The rule and the kernel's certificate. Raises DerivationError when the rule does not fit, StepRejected (with a counterexample where
    the step is false) and Undecided."""
    name, argument = split_rule(rule)
    found = rule_named(name)
    if task.before == task.after:
        raise DerivationError("the step changes nothing")
    task = Task(task.setting, task.before, task.after, argument, task.lines, task.hypotheses)
    return found, found.prove(task)


# -- equalities without facts -------------------------------------------------------------------------------------------
def kind_of(setting: Setting, before: Node, after: Node) -> str:
    """The one rule of rearranging, or of differentiating, that a pair of expressions has the form of."""
    gone = shapes.calls(before, shapes.DERIVATIVE) - shapes.calls(after, shapes.DERIVATIVE)
    if gone:
        return _derivative_kind(setting, gone)
    if _cancels(before, after):
        return "cancel"
    if shapes.arguments(before, "exp") != shapes.arguments(after, "exp"):
        return "exponential law"
    if shapes.arguments(before, "log") != shapes.arguments(after, "log"):
        return "logarithm law"
    if shapes.calls(before, *shapes.DELTAS).total() > shapes.calls(after, *shapes.DELTAS).total():
        return "contract the delta"
    if shapes.terms(after) > shapes.terms(before):
        return "distribute"
    return "collect" if shapes.terms(after) < shapes.terms(before) else "rearrange"


def _cancels(before: Node, after: Node) -> bool:
    """Are there fewer quotients, or the same with some of their names gone?"""
    a, b = shapes.divisions(before), shapes.divisions(after)
    return b < a or (a == b > 0 and shapes.names(after) < shapes.names(before))


_BY_OPERATION = {"+": "sum", "-": "sum", "*": "product", "@": "product", "/": "quotient", "**": "power"}
_INNER = {"exp": "exponential", "log": "logarithm", "sqrt": "power", "sum": "sum", "mean": "sum"}


def _derivative_kind(setting: Setting, gone: Mapping[Node, int]) -> str:
    kinds = {_derivative_of(setting, node.args[0]) for node in gone if isinstance(node, Call)}
    return f"derivative of a {kinds.pop()}" if len(kinds) == 1 else "derivative"


def _derivative_of(setting: Setting, node: Node) -> str:
    match node:
        case Name(name) if (meaning := setting.defined(name)) is not None:
            return _derivative_of(setting, meaning)
        case Operation(op, _, _):
            return _BY_OPERATION[op]
        case Call(function, _, _):
            return _INNER.get(function, function)
        case _:
            return "variable"


def _form(name: str) -> Callable[[Task], Certificate]:
    """A rule without facts: the step must have the rule's form, and hold whatever the named values are."""

    def prove(task: Task) -> Certificate:
        _no_argument(task, name)
        kind = kind_of(task.setting, task.before, task.after)
        if kind != name:
            raise StepRejected(f'this step is not "{name}" but "{kind}"', next_move=f'write the rule "{kind}"')
        return equal(task, _opened(task))

    return prove


def _opened(task: Task) -> frozenset[str]:
    """The definitions that a rule without facts looks into: those that are differentiated."""
    opened: set[str] = set()
    for node in (*shapes.calls(task.before, shapes.DERIVATIVE), *shapes.calls(task.after, shapes.DERIVATIVE)):
        opened |= task.setting.inside(node)
    return frozenset(opened)


def equal(task: Task, opened: frozenset[str], facts: Sequence[tuple[Node, Node]] = ()) -> Certificate:
    """The kernel's certificate for the step, with every definition that is not in `opened` as an atom. Each fact is proved first, with
    all its definitions opened."""
    program, pairs = task.setting.compiled([(task.before, task.after), *facts])
    known = [name for name in task.setting.names() if name in program.by_name]
    proved = []
    for (left, right), (a, b) in zip(pairs[1:], facts, strict=True):
        inside = task.setting.inside(a) | task.setting.inside(b)
        proved.append(prove_equal(program, left, right, atoms=[n for n in known if n not in inside]))
    left, right = pairs[0]
    return prove_equal(program, left, right, atoms=[n for n in known if n not in opened], facts=proved)


def refute(task: Task, sign: str) -> StepRejected | None:
    """The kernel's rejection of `before sign after`, all definitions opened; None when it finds none."""
    if sign != "==":
        raise DerivationError(f"a twin with {sign} is not refuted here")
    try:
        equal(task, task.setting.inside(task.before) | task.setting.inside(task.after))
    except StepRejected as rejection:
        return rejection
    except Undecided:
        return None
    return None


def _no_argument(task: Task, name: str) -> None:
    if task.argument:
        raise DerivationError(f'the rule "{name}" takes no argument, not "{task.argument[:60]}"')


# -- definitions and facts ----------------------------------------------------------------------------------------------
def _definition(task: Task) -> Certificate:
    chosen = [n.strip() for n in task.argument.split(",") if n.strip()]
    if not chosen:
        raise DerivationError('the rule "definition" names what it unfolds', next_move='write "definition: P" or "definition: P, Z"')
    before, after = shapes.names(task.before), shapes.names(task.after)
    for name in chosen:
        if task.setting.defined(name) is None:
            raise DerivationError(f'"{name[:60]}" has no definition', next_move=suggestion(name, task.setting.names(), "definitions"))
    if not any(before[name] != after[name] for name in chosen):
        raise StepRejected(f"neither side has more of {', '.join(chosen)} than the other", next_move="name what is unfolded or folded")
    if task.setting.unfold(task.before, chosen) != task.setting.unfold(task.after, chosen):
        raise StepRejected(f"putting in {', '.join(chosen)} does not lead from one side to the other", next_move="change one thing a step")
    return equal(task, frozenset(chosen))


def _function(task: Task) -> Certificate:
    chosen = [n.strip() for n in task.argument.split(",") if n.strip()]
    if not chosen:
        raise DerivationError('the rule "function" names what it writes out', next_move='write "function: softmax"')
    for name in chosen:
        if name not in EXPANSIONS:
            raise DerivationError(f'"{name[:60]}" stands for itself', next_move="functions with a definition: " + ", ".join(EXPANSIONS))
    if not any(shapes.calls(task.before, name).total() != shapes.calls(task.after, name).total() for name in chosen):
        raise StepRejected(f"neither side has more of {', '.join(chosen)} than the other", next_move="name what is written out")
    if expanded(task.before, chosen) != expanded(task.after, chosen):
        raise StepRejected(f"writing out {', '.join(chosen)} does not lead from one side to the other", next_move="change one thing a step")
    return equal(task, frozenset())


def _using(task: Task) -> Certificate:
    facts = [_fact(task, text.strip()) for text in task.argument.split(";") if text.strip()]
    if not facts:
        raise DerivationError('the rule "using" says what it uses', next_move='write "using: sum(P) == 1" or "using: line 2"')
    try:
        equal(task, _opened(task))
    except (StepRejected, Undecided):
        return equal(task, _opened(task), facts)
    kind = kind_of(task.setting, task.before, task.after)
    raise StepRejected("this step holds without what it says it uses", next_move=f'write the rule "{kind}"')


def _fact(task: Task, text: str) -> tuple[Node, Node]:
    words = text.split()
    if len(words) == 2 and words[0] == "line" and words[1].isdigit():
        at = int(words[1])
        if not 1 <= at <= len(task.lines):
            raise DerivationError(f"there is no line {at} above this step")
        line = task.lines[at - 1]
        if line.sign != "==":
            raise DerivationError(f"line {at} is no equality")
        return line.before, line.after
    relation = parse_relation(text)
    if relation.signs != ("==",):
        raise DerivationError(f'a fact is one equality, not "{text[:60]}"')
    return relation.operands[0], relation.operands[1]


# -- the table ----------------------------------------------------------------------------------------------------------
def _row(name: str, es: str, en: str, says: str, prove: Callable[[Task], Certificate] | None = None, sign: str = "==") -> Rule:
    return Rule(name, Both(es, en), sign, says, prove or _form(name))


_ROWS = (
    _row("definition", "Definición", "Definition", "names are replaced by their definitions, or the other way round", _definition),
    _row("function", "Lo que la función es", "What the function is", "functions are written out, or the other way round", _function),
    _row("using", "Usar lo sabido", "Using what is known", "follows from the equalities it names, and not without them", _using),
    _row("distribute", "Distribuir", "Distribute", "more terms are written out than before"),
    _row("collect", "Factor común", "Collect", "fewer terms are written out than before"),
    _row("rearrange", "Reordenar sumas y productos", "Rearrange sums and products", "as many terms, quotients and functions as before"),
    _row("cancel", "Simplificar la fracción", "Cancel", "fewer quotients are written than before"),
    _row("contract the delta", "Contraer la delta", "Contract the delta", "fewer diagonal matrices are written than before"),
    _row("exponential law", "Ley de la exponencial", "Exponential law", "what stands under exp changes"),
    _row("logarithm law", "Ley del logaritmo", "Logarithm law", "what stands under log changes"),
    _row("derivative", "Derivar", "Differentiate", "several derivatives of different kinds are taken"),
    _row("derivative of a sum", "Derivada de una suma", "Derivative of a sum", "derivative(a + b, …) or of a sum along an axis"),
    _row("derivative of a product", "Regla del producto", "Product rule", "derivative(a * b, …) or of a matrix product"),
    _row("derivative of a quotient", "Regla del cociente", "Quotient rule", "derivative(a / b, …)"),
    _row("derivative of a power", "Derivada de una potencia", "Derivative of a power", "derivative(a ** k, …) or of a square root"),
    _row("derivative of a exponential", "Derivada de la exponencial", "Derivative of exp", "derivative(exp(a), …)"),
    _row("derivative of a logarithm", "Derivada del logaritmo", "Derivative of log", "derivative(log(a), …)"),
    _row("derivative of a variable", "Derivada de la variable", "Derivative of the variable", "derivative(x, x, v) is v, of another 0"),
)
RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in _ROWS})
