"""The rules a step may name: what each must look like, and how the kernel is asked to prove it.

Promises: the table is closed; a rule accepts a step only when the step has the rule's own form *and* the kernel gives a certificate; for
equalities without facts exactly one rule of the table fits a pair of expressions, so that a wrong rule is refused even where the step
is true. Does not promise: that a true step is proved; what the kernel does not decide is refused.

A step's rule is written `name` or `name: argument`, for example "definition: P, Z" or "using: sum(P) == 1".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from symattn.calculus import shapes
from symattn.calculus.derivation import Both
from symattn.calculus.expansions import EXPANSIONS, expanded
from symattn.calculus.rearranging import EITHER, either, kind_of
from symattn.calculus.task import Fact, Task, equal, facts_in, names_in, no_argument, refused
from symattn.errors import DerivationError
from symattn.language.ast import Name
from symattn.language.names import suggestion
from symattn.language.unparse import substitute
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.sampling import sample


@dataclass(frozen=True)
class Rule:
    """`label` is what a page prints, `sign` how before stands to after ("" where the certificate says), `says` what a step must look
    like."""

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


def prove_step(rule: str, task: Task) -> tuple[str, Certificate]:
    """How before stands to after, and the kernel's certificate. Raises DerivationError when the rule does not fit, StepRejected (with a
    counterexample where the step is false) and Undecided."""
    name, argument = split_rule(rule)
    found = rule_named(name)
    if task.before == task.after and name != "equivariant":
        raise DerivationError("the step changes nothing")
    try:
        certificate = found.prove(replace(task, argument=argument))
    except (StepRejected, Undecided) as error:
        error.message = task.setting.said(error.message)
        raise
    scope = certificate.statement.scope
    return found.sign or f"{certificate.statement.relation} {scope}".strip(), certificate


def refute(task: Task, sign: str) -> StepRejected | None:
    """The kernel's rejection of `before sign after`, all definitions opened; None when it finds none."""
    try:
        if sign == "==":
            equal(task, task.setting.inside(task.before) | task.setting.inside(task.after))
        else:
            sides = task.setting.sides(task.before, task.after)
            sample(sides.program, sides.left, sides.right, relation=sign)
    except StepRejected as rejection:
        return rejection
    except Undecided:
        return None
    return None


# -- equalities ---------------------------------------------------------------------------------------------------------
def _form(name: str) -> Callable[[Task], Certificate]:
    """A rule without facts: the step must have the rule's form, and hold whatever the named values are."""

    def prove(task: Task) -> Certificate:
        no_argument(task, name)
        kind = kind_of(task.setting, task.before, task.after)
        if kind != name and not (name in EITHER and kind in EITHER and either(task.before, task.after)):
            raise refused(f'this step is not "{name}" but "{kind}"', f'write the rule "{kind}"')
        try:
            return equal(task, _opened(task))
        except Undecided:
            # a logarithm parts over what is positive only: is it, by its definition?
            inside = frozenset(
                n for side in (task.before, task.after) for arg in shapes.arguments(side, "log") for n in task.setting.inside(arg)
            )
            if not inside:
                raise
            return equal(task, inside | _opened(task))

    return prove


def _opened(task: Task) -> frozenset[str]:
    """The definitions that a rule without facts looks into: those that are differentiated."""
    opened: set[str] = set()
    for node in (*shapes.calls(task.before, *shapes.DERIVATIVES), *shapes.calls(task.after, *shapes.DERIVATIVES)):
        opened |= task.setting.inside(node)
    return frozenset(opened)


def _definition(task: Task) -> Certificate:
    chosen = names_in(task.argument)
    if not chosen:
        raise DerivationError('the rule "definition" names what it unfolds', next_move='write "definition: P" or "definition: P, Z"')
    before, after = shapes.names(task.before), shapes.names(task.after)
    for name in chosen:
        if task.setting.defined(name) is None:
            raise DerivationError(f'"{name[:60]}" has no definition', next_move=suggestion(name, task.setting.names(), "definitions"))
    if not any(before[name] != after[name] for name in chosen):
        raise refused(f"neither side has more of {', '.join(chosen)} than the other", "name what is unfolded or folded")
    if task.setting.unfold(task.before, chosen) != task.setting.unfold(task.after, chosen):
        raise refused(f"putting in {', '.join(chosen)} does not lead from one side to the other", "change one thing a step")
    return equal(task, frozenset(chosen))


def _function(task: Task) -> Certificate:
    chosen = names_in(task.argument)
    if not chosen:
        raise DerivationError('the rule "function" names what it writes out', next_move='write "function: softmax"')
    for name in chosen:
        if name not in EXPANSIONS:
            raise DerivationError(f'"{name[:60]}" stands for itself', next_move="functions with a definition: " + ", ".join(EXPANSIONS))
    if not any(shapes.calls(task.before, name).total() != shapes.calls(task.after, name).total() for name in chosen):
        raise refused(f"neither side has more of {', '.join(chosen)} than the other", "name what is written out")
    if expanded(task.before, chosen) != expanded(task.after, chosen):
        raise refused(f"writing out {', '.join(chosen)} does not lead from one side to the other", "change one thing a step")
    return equal(task, frozenset())


def _using(task: Task) -> Certificate:
    facts = facts_in(task, task.argument)
    if not facts:
        raise DerivationError(
            'the rule "using" says what it uses', next_move='write "using: sum(P) == 1", "using: line 2" or "using: part 1"'
        )
    try:
        equal(task, frozenset(), opaque=True)
    except (StepRejected, Undecided):
        return _with_facts(task, facts)
    kind = kind_of(task.setting, task.before, task.after)
    raise refused("this step holds without what it says it uses", f'write the rule "{kind}"')


def _with_facts(task: Task, facts: list[Fact]) -> Certificate:
    """The step from its facts; where one side is put in for the other, inside of a derivative too, by looking into everything."""
    try:
        return equal(task, frozenset(), facts, opaque=True)
    except (StepRejected, Undecided):
        there = {f.before: f.after for f in facts}
        back = {f.after: f.before for f in facts}
        if task.after not in (substitute(task.before, there), substitute(task.before, back)):
            raise
    for fact in facts:
        equal(replace(task, before=fact.before, after=fact.after), task.setting.inside(fact.before) | task.setting.inside(fact.after))
    return equal(task, task.setting.inside(task.before) | task.setting.inside(task.after))


def _supposing(task: Task) -> Certificate:
    if task.argument not in task.hypotheses:
        raise DerivationError(
            f'"{task.argument[:60]}" is not among the hypotheses',
            next_move='write chain.suppose("A == eye(d)") and "supposing: A == eye(d)"',
        )
    (fact,) = facts_in(task, task.argument)
    if fact.sign != "==" or not isinstance(fact.before, Name):
        raise DerivationError("what is supposed is the value of one name", next_move='write "supposing: A == eye(d)"')
    try:
        equal(task, frozenset(), opaque=True)
    except (StepRejected, Undecided):
        program, (sides, pair) = task.setting.compiled([(task.before, task.after), (fact.before, fact.after)])
        atoms = [n for n in task.setting.names() if n in program.by_name]
        from symattn.proof.rules import supposing

        return supposing(program, *sides, *pair, task.argument, atoms=atoms)
    raise refused("this step holds without what it supposes", f'write the rule "{kind_of(task.setting, task.before, task.after)}"')


def _ordering(name: str) -> Callable[[Task], Certificate]:
    """A rule of ordering.py, which is loaded when such a rule is used."""

    def prove(task: Task) -> Certificate:
        from symattn.calculus import ordering

        return ordering.RULES[name](task)

    return prove


def _limits(name: str) -> Callable[[Task], Certificate]:
    """A rule of limits.py, which is loaded when such a rule is used."""

    def prove(task: Task) -> Certificate:
        from symattn.calculus import limits

        return limits.RULES[name](task)

    return prove


# -- the table ----------------------------------------------------------------------------------------------------------
def _row(name: str, es: str, en: str, says: str, prove: Callable[[Task], Certificate] | None = None, sign: str = "==") -> Rule:
    return Rule(name, Both(es, en), sign, says, prove or _form(name))


_ROWS = (
    _row("definition", "Definición", "Definition", "names are replaced by their definitions, or the other way round", _definition),
    _row("function", "Lo que la función es", "What the function is", "functions are written out, or the other way round", _function),
    _row("using", "Usar lo sabido", "Using what is known", "follows from the equalities it names, and not without them", _using),
    _row("supposing", "Por hipótesis", "By hypothesis", "a name has the value that a hypothesis gives it", _supposing),
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
    _row(
        "positive",
        "Positivo por su forma",
        "Positive by its form",
        "before > 0: exponentials, sums and products of such",
        _ordering("positive"),
        ">",
    ),
    _row(
        "nonnegative",
        "No negativo por su forma",
        "Nonnegative by its form",
        "before >= 0: squares, and sums and products of such",
        _ordering("nonnegative_by_form"),
        ">=",
    ),
    _row(
        "at least",
        "La diferencia no es negativa",
        "The difference is nonnegative",
        "before >= after: the argument is before - after, a visibly nonnegative sum",
        _ordering("at_least"),
        ">=",
    ),
    _row(
        "at most",
        "La diferencia no es negativa",
        "The difference is nonnegative",
        "before <= after: the argument is after - before, a visibly nonnegative sum",
        _ordering("at_most"),
        "<=",
    ),
    _row(
        "more than",
        "La diferencia es positiva",
        "The difference is positive",
        "before > after: the argument is before - after, visibly positive",
        _ordering("more_than"),
        ">",
    ),
    _row(
        "less than",
        "La diferencia es positiva",
        "The difference is positive",
        "before < after: the argument is after - before, visibly positive",
        _ordering("less_than"),
        "<",
    ),
    _row(
        "monotone",
        "Función monótona",
        "Monotone function",
        "from a named line or part a <= b to f(a) <= f(b), one operation on a name",
        _ordering("monotone_in"),
        "",
    ),
    _row("known", "Lo que ya se vio", "As seen above", "the sides of the comparison that a line or part reached", _ordering("known"), ""),
    _row("tangent line", "Recta tangente", "Tangent line", "exp(u) and 1 + u, log(u) and u - 1", _ordering("tangent"), ""),
    _row(
        "maximum",
        "Ninguno pasa del máximo",
        "Nothing is above the maximum",
        "an entry and the maximum it is one of, or f of a maximum and the sum of f",
        _ordering("maximum"),
        "",
    ),
    _row(
        "each is zero",
        "Suma de no negativos que es 0",
        "A sum of nonnegatives that is 0",
        "before is 0: a named line says that the sum of before is 0",
        _ordering("each_zero"),
        "==",
    ),
    _row(
        "factor is zero",
        "Un factor es 0",
        "A factor is 0",
        "before is 0: a named line says that before times something positive is 0",
        _ordering("factor_zero"),
        "==",
    ),
    _row(
        "bounded both ways",
        "Acotado por ambos lados",
        "Bounded from both sides",
        "before == after: two named lines or parts say <= and >=",
        _ordering("both_ways"),
        "==",
    ),
    _row(
        "tends",
        "Límite por su forma",
        "Limit by its form",
        "before -> after as the named number grows; the argument is their difference",
        _limits("tends"),
        "",
    ),
    _row("squeeze", "Compresión", "Squeeze", "before -> after: two named bounds tend to after", _limits("squeeze"), ""),
    _row(
        "zero derivative",
        "Derivada nula",
        "Zero derivative",
        "before is computed from x as after is from y, and does not depend on it",
        _limits("independent"),
        "==",
    ),
    _row(
        "equivariant",
        "Ninguna posición se mira",
        "No position is looked at",
        "before and after are one value; the argument is an axis",
        _limits("equivariant"),
        "",
    ),
    _row(
        "induction",
        "Inducción sobre los bloques",
        "Induction over the blocks",
        "s_merged and s, for every value s of a state",
        _limits("induction"),
        "",
    ),
)
RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in _ROWS})
