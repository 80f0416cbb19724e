"""The rules a step may name: what each must look like, and how the kernel is asked to prove it.

Promises: the table is closed; a rule accepts a step only when the step has the rule's own form *and* the kernel gives a certificate; for
equalities without facts exactly one rule of the table fits a pair of expressions, so that a wrong rule is refused even where the step
is true. Does not promise: that a true step is proved; what the kernel does not decide is refused.

A step's rule is written `name` or `name: argument`, for example "definition: P, Z" or "using: sum(P) == 1".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from symattn.calculus import shapes
from symattn.calculus.derivation import Both
from symattn.calculus.expansions import EXPANSIONS, expanded
from symattn.calculus.setting import Setting
from symattn.errors import DerivationError
from symattn.language.ast import Call, Index, Name, Node, Operation, Sign, Transpose
from symattn.language.names import suggestion
from symattn.language.parser import parse_relation
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import prove_equal


@dataclass(frozen=True)
class Line:
    """An earlier step, or all steps of an earlier part in one, for rules that use it."""

    before: Node
    sign: str
    after: Node


@dataclass(frozen=True)
class Task:
    """A step to be proved: from `before` to `after` by a rule with this `argument`. `lines` are the steps above it, `parts` the relations
    of the statement that are reached."""

    setting: Setting
    before: Node
    after: Node
    argument: str = ""
    lines: Sequence[Line] = ()
    parts: Sequence[Line] = ()
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
    task = replace(task, argument=argument)
    return found, found.prove(task)


# -- equalities without facts -------------------------------------------------------------------------------------------
def kind_of(setting: Setting, before: Node, after: Node) -> str:
    """The one rule of rearranging, or of differentiating, that a pair of expressions has the form of."""
    gone = shapes.calls(before, *shapes.DERIVATIVES) - shapes.calls(after, *shapes.DERIVATIVES)
    if gone:
        return _derivative_kind(setting, gone)
    moved = _moved(before, after)
    if moved != "collect" and _cancels(before, after):
        return "cancel"
    if shapes.arguments(before, "exp") != shapes.arguments(after, "exp"):
        return "exponential law"
    if shapes.arguments(before, "log") != shapes.arguments(after, "log"):
        return "logarithm law"
    if shapes.calls(before, *shapes.DELTAS).total() > shapes.calls(after, *shapes.DELTAS).total():
        return "contract the delta"
    return moved or "rearrange"


def _moved(before: Node, after: Node) -> str:
    """Do the additions of a text come out of products and sums, or go into them?"""
    (deep, many), (deeper, more) = shapes.additions(before), shapes.additions(after)
    if deep != deeper:
        return "distribute" if deeper < deep else "collect"
    return "" if many == more else "distribute" if more > many else "collect"


def _cancels(before: Node, after: Node) -> bool:
    """Are there fewer quotients, or the same with some of their names gone?"""
    a, b = shapes.divisions(before), shapes.divisions(after)
    return b < a or (a == b > 0 and shapes.names(after) < shapes.names(before))


_BY_OPERATION = {"+": "sum rule", "-": "sum rule", "*": "product rule", "@": "product rule", "/": "quotient rule", "**": "power rule"}
_BY_FUNCTION = {
    "exp": "derivative of exp", "log": "derivative of log", "tanh": "derivative of tanh", "cos": "derivative of cos",
    "sin": "derivative of sin", "erf": "derivative of erf", "sigmoid": "derivative of sigmoid", "sqrt": "power rule", "sum": "sum rule",
    "mean": "sum rule", "dot": "product rule", "outer": "product rule", "causal_part": "sum rule", "diag": "sum rule",
    "transpose": "sum rule", "derivative": "derivative of a derivative", "partial": "derivative of a derivative",
    "softmax": "derivative of softmax",
}  # fmt: skip


def _derivative_kind(setting: Setting, gone: Mapping[Node, int]) -> str:
    kinds = {_derivative_of(setting, node) for node in gone if isinstance(node, Call)}
    if "definition" in kinds:
        return "definition"
    return kinds.pop() if len(kinds) == 1 else "chain rule"


def _derivative_of(setting: Setting, derivative: Call) -> str:
    node, by = derivative.args[0], derivative.args[1]
    if derivative.function == "partial" and isinstance(node, Name):
        node = setting.defined(node.id) or node
    match node:
        case Name(name) if node != by and setting.defined(name) is not None and setting.reaches(node, by):
            return "definition"
        case Operation(op, _, _):
            return _BY_OPERATION[op]
        case Call(function, _, _):
            return _BY_FUNCTION.get(function, "chain rule")
        case Transpose() | Sign() | Index():
            return "sum rule"
        case _:
            return "derivative of the variable"


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
    for node in (*shapes.calls(task.before, *shapes.DERIVATIVES), *shapes.calls(task.after, *shapes.DERIVATIVES)):
        opened |= task.setting.inside(node)
    return frozenset(opened)


def equal(task: Task, opened: frozenset[str], facts: Sequence[tuple[Node, Node]] = (), *, opaque: bool = False) -> Certificate:
    """The kernel's certificate for the step, with every definition that is not in `opened` as an atom; `opaque` keeps derivatives closed
    too. Each fact is proved first, with all its definitions opened."""
    closed = task.setting.tangents([task.before, task.after]) if opaque else []
    program, pairs = task.setting.compiled([(task.before, task.after), *facts])
    known = [name for name in task.setting.names() if name in program.by_name]
    proved = []
    for (left, right), (a, b) in zip(pairs[1:], facts, strict=True):
        inside = task.setting.inside(a) | task.setting.inside(b)
        proved.append(prove_equal(program, left, right, atoms=[n for n in known if n not in inside]))
    left, right = pairs[0]
    atoms = [n for n in (*known, *closed) if n not in opened and n in program.by_name]
    return prove_equal(program, left, right, atoms=atoms, facts=proved)


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
        raise DerivationError(
            'the rule "using" says what it uses', next_move='write "using: sum(P) == 1", "using: line 2" or "using: part 1"'
        )
    try:
        equal(task, frozenset(), opaque=True)
    except (StepRejected, Undecided):
        return equal(task, frozenset(), facts, opaque=True)
    kind = kind_of(task.setting, task.before, task.after)
    raise StepRejected("this step holds without what it says it uses", next_move=f'write the rule "{kind}"')


def _fact(task: Task, text: str) -> tuple[Node, Node]:
    words = text.split()
    if len(words) == 2 and words[0] in ("line", "part") and words[1].isdigit():
        kind, at = words[0], int(words[1])
        known = task.lines if kind == "line" else task.parts
        if not 1 <= at <= len(known):
            raise DerivationError(f"there is no {kind} {at} above this step")
        found = known[at - 1]
        if found.sign != "==":
            raise DerivationError(f"{kind} {at} is no equality")
        return found.before, found.after
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
    _row("distribute", "Distribuir", "Distribute", "additions come out of products and sums, or there are more of them"),
    _row("collect", "Factor común", "Collect", "additions go into products and sums, or there are fewer of them"),
    _row(
        "rearrange",
        "Reordenar sumas y productos",
        "Rearrange sums and products",
        "additions stay where they are; factors and sums change places",
    ),
    _row("cancel", "Simplificar la fracción", "Cancel", "fewer quotients are written than before"),
    _row("contract the delta", "Contraer la delta", "Contract the delta", "fewer diagonal matrices are written than before"),
    _row("exponential law", "Ley de la exponencial", "Exponential law", "what stands under exp changes"),
    _row("logarithm law", "Ley del logaritmo", "Logarithm law", "what stands under log changes"),
    _row("sum rule", "Derivada de una suma", "Sum rule", "derivative(a + b, …), of a sum along an axis, of a transpose or an entry"),
    _row("product rule", "Regla del producto", "Product rule", "derivative(a * b, …) or of a matrix product"),
    _row("quotient rule", "Regla del cociente", "Quotient rule", "derivative(a / b, …)"),
    _row("power rule", "Derivada de una potencia", "Power rule", "derivative(a ** k, …) or of a square root"),
    _row("derivative of exp", "Derivada de la exponencial", "Derivative of exp", "derivative(exp(a), …)"),
    _row("derivative of log", "Derivada del logaritmo", "Derivative of log", "derivative(log(a), …)"),
    _row(
        "derivative of softmax", "Derivada de softmax", "Derivative of softmax", "derivative(softmax(a), …): the theorem softmax-jacobian"
    ),
    _row("derivative of tanh", "Derivada de tanh", "Derivative of tanh", "derivative(tanh(a), …)"),
    _row("derivative of sigmoid", "Derivada de la sigmoide", "Derivative of sigmoid", "derivative(sigmoid(a), …)"),
    _row("derivative of cos", "Derivada del coseno", "Derivative of cos", "derivative(cos(a), …)"),
    _row("derivative of sin", "Derivada del seno", "Derivative of sin", "derivative(sin(a), …)"),
    _row("derivative of erf", "Derivada de erf", "Derivative of erf", "derivative(erf(a), …)"),
    _row("derivative of a derivative", "Derivar otra vez", "Differentiate again", "derivative(derivative(…), …)"),
    _row("derivative of the variable", "Derivada de la variable", "Derivative of the variable", "derivative(x, x, v) is v, of another 0"),
    _row("chain rule", "Regla de la cadena", "Chain rule", "derivatives of several kinds are taken, or of a function of functions"),
)
RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in _ROWS})
