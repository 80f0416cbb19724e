"""The gradient of a defined value as a derivation: one stage of the backward pass after the other, then the answer in one formula.

The loss is any function of O, and dO its gradient by O. For every value a between the variables and O, with gradient da, the derivation
says and proves

    Σ over the values c that read a of ⟨dc, ∂c along ȧ⟩  =  ⟨da, ȧ⟩      for every direction ȧ of a,

where ∂ is the partial derivative of c's own definition. Together these say that da is the gradient, by induction along the definitions.
The formula of da is that of a textbook where there is one, else it is read off the program that `reverse` makes. Neither is believed: the
kernel proves each line.

Promises: definitions `da` and givens `a_dot`, `dO` with these names; the statement "gradient of O by X: …" holds one relation a value and
one answer a variable. Does not promise: short formulas for unnamed parts; name them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from symattn.calculus.backward import Backward, backward_of, inner, partial_of
from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Definition, Derivation
from symattn.calculus.fronting import fronted
from symattn.calculus.pulled_entries import masked, together
from symattn.calculus.pulled_text import pulled
from symattn.calculus.reading import parse
from symattn.calculus.rearranging import kind_of
from symattn.calculus.setting import Setting, needed
from symattn.calculus.slope_text import NoSlope, moved
from symattn.errors import DerivationError, SymattnError, UnsupportedError
from symattn.language.ast import Call, Index, Label, Name, Node, Operation, walk
from symattn.language.constants import rational
from symattn.language.names import suggestion
from symattn.language.unparse import substitute, unparse
from symattn.program.ops import Position
from symattn.program.program import Program
from symattn.proof.evidence import StepRejected

if TYPE_CHECKING:
    from symattn.calculus.gradient import Gradient

LONGEST = 160  # characters of an answer in one formula


@dataclass(frozen=True)
class Reasons:
    """Words for the lines of a gradient."""

    derivative = Both("se deriva {c} con lo demás fijo", "{c} is differentiated with the rest held")
    several = Both("cada una de {c} se deriva con lo demás fijo", "each of {c} is differentiated with the rest held")
    adjoint = Both("la dirección queda sola a un lado", "the direction is left alone on one side")
    name = Both("lo que queda es el gradiente por {a}", "what remains is the gradient by {a}")
    number = Both("ese gradiente es un número", "that gradient is a number")
    answer = Both("el gradiente por {a}", "the gradient by {a}")
    front = Both("los números delante, lo demás en orden", "numbers first, the rest in order")


def gradient_derivation(
    definitions: Sequence[Definition],
    of: str,
    wrt: Sequence[str],
    topic: str,
    title: Both = Both("", ""),  # noqa: B008
) -> Derivation:
    """The derivation of the gradient of the value `of` by each of `wrt`. Raises DerivationError for names that are not there or are not
    read, and what `reverse`, `notation` and the kernel raise."""
    return _Differential(definitions, of, wrt, topic, title).derivation()


class _Differential:
    def __init__(self, definitions: Sequence[Definition], of: str, wrt: Sequence[str], topic: str, title: Both) -> None:
        self.chain = Chain(topic, title.es, title.en)
        self.setting = self.chain.setting
        for definition in definitions:
            self.setting.add(definition)
        self.wrt = list(dict.fromkeys(wrt))
        self._check(of)
        self.backward: Backward = backward_of(self.setting, of, self.wrt)
        self.of = of
        self.forward = self.setting.names()
        self.texts: dict[str, str] = {}

    def _check(self, of: str) -> None:
        names = self.setting.names()
        for name in (of, *self.wrt):
            if name not in names:
                raise DerivationError(f'there is no value "{name[:60]}"', next_move=suggestion(name, names, "values"))
        if not self.wrt:
            raise DerivationError("no variable is named", next_move="write --wrt Q or --wrt Q,K")

    def derivation(self) -> Derivation:
        self._givens()
        for name in self.backward.order:
            self._stage(name)
        answers = {name: self._answer(name) for name in self.wrt}
        head = f"gradient of {self.of} by {', '.join(self.wrt)}"
        return replace(self.chain.done(form=head), answers=answers)

    def _givens(self) -> None:
        if self.backward.upstream:
            self._declare(self.backward.upstream, self.of, Both("el gradiente que llega", "the gradient that arrives"))
        for name in self.backward.order:
            self._declare(self.backward.direction(name), name, Both("una dirección, cualquiera", "any direction"))

    def _declare(self, name: str, like: str, note: Both) -> None:
        axes = ", ".join(_axis(space.name, space.size) for space in (axis.space for axis in self.setting.axes(like)))
        self.setting.add(Definition(name, f"{name}({axes})", note))

    # -- one value --------------------------------------------------------------------------------------------------------
    def _stage(self, name: str) -> None:
        readers = self.backward.readers[name]
        pairs = [(c, self._moved(c, name)) for c in readers]
        first = _added([inner(self._weight(c), node, len(self.setting.axes(c))) for c, node in pairs])
        own = self.backward.gradient(name)
        self.chain.part(f"El gradiente por ${_tex(name)}$", f"The gradient by ${_tex(name)}$")
        self.chain.start(unparse(self.backward.left(name)))
        words = Reasons.several if len(readers) > 1 else Reasons.derivative
        listed = ", ".join(f"${_tex(c)}$" for c in readers)
        self._step(first, Both(words.es.format(c=listed), words.en.format(c=listed)))
        self._constants()
        direction, rank = Name(self.backward.direction(name)), len(self.setting.axes(name))
        gradient = self._gradient(name, first, direction, rank)
        self.texts[name] = unparse(gradient)
        self.chain.define(own, self.texts[name], f"el gradiente por {name}", f"the gradient by {name}")
        named = inner(Name(own), direction, rank)
        why = Both(Reasons.name.es.format(a=f"${_tex(name)}$"), Reasons.name.en.format(a=f"${_tex(name)}$"))
        self.chain.step(f"definition: {own}", unparse(named), why.es, why.en)

    def _gradient(self, name: str, first: Node, direction: Node, rank: int) -> Node:
        """The formula of a gradient, once the step that leaves the direction alone is proved. That of a textbook may be about the wrong
        axis of a square matrix; then the program's is taken."""
        try:
            formula = fronted(self.setting, self._textbook(name))
            self._step(inner(formula, direction, rank), Reasons.adjoint)
        except (NoSlope, StepRejected):
            stage = self.gradient.cotangents.get(name) or self.gradient.names[name]
            formula = fronted(self.setting, parse(self._gradient_text(stage, first)))
            self._step(inner(formula, direction, rank), Reasons.adjoint)
        return formula

    def _constants(self) -> None:
        """Gradients that are plain numbers are put in: the formula of the next one was made with them."""
        assert self.chain.at is not None
        names = {part.id for part in walk(self.chain.at) if isinstance(part, Name)}
        made = {self.backward.gradient(a) for a in self.texts}
        found = [n for n in self.setting.names() if n in names & made and _is_number(self.setting.defined(n))]
        if found:
            after = self.setting.unfold(self.chain.at, found)
            self.chain.step(f"definition: {', '.join(found)}", unparse(after), Reasons.number.es, Reasons.number.en)

    def _step(self, after: Node, why: Both) -> None:
        before = self.chain.at
        assert before is not None
        if before == after:
            return
        self.chain.step(kind_of(self.setting, before, after), unparse(after), why.es, why.en)

    def _weight(self, reader: str) -> Node | None:
        if reader == self.of and not self.backward.upstream:
            return None
        return Name(self.backward.gradient(reader) if reader != self.of else self.backward.upstream)

    def _textbook(self, name: str) -> Node:
        """A gradient over the gradients above it. Raises NoSlope."""
        weights = {c: self._known(self._weight(c)) for c in self.backward.readers[name]}
        found = _added(together([term for c, weight in weights.items() for term in pulled(self.setting, c, name, weight)]))
        return _where_it_is(self.setting.defined(name), found)

    def _known(self, weight: Node | None) -> Node | None:
        """A gradient that is a plain number, as that number."""
        meaning = self.setting.defined(weight.id) if isinstance(weight, Name) else None
        return meaning if _is_number(meaning) else weight

    @cached_property
    def gradient(self) -> Gradient:
        """The gradient as a program."""
        from symattn.calculus.reverse import reverse

        program = needed(self.setting.program(), [self.of, *self.wrt])
        return reverse(program, self.of, self.wrt, self.backward.upstream or None)

    def _gradient_text(self, stage: str, first: Node) -> str:
        """What a stage of the gradient's program is."""
        mentioned = {part.id for part in walk(first) if isinstance(part, Name)}
        made = [a for a in self.texts if a in self.gradient.cotangents and self.backward.gradient(a) in mentioned]
        known = {self.gradient.cotangents[a]: self.backward.gradient(a) for a in made}
        if stage in known:
            return known[stage]
        if stage == self.gradient.upstream:
            return self.backward.upstream
        named = [n for n in self.forward if n in mentioned] + list(known)
        if self.gradient.upstream:
            named.append(self.gradient.upstream)
        return _text(self.gradient.program, stage, [n for n in named if n in self.gradient.program.by_name], known)

    def _moved(self, reader: str, name: str) -> Node:
        """The partial derivative of a reader, written over the definitions and the direction."""
        meaning = self.setting.defined(reader)
        assert meaning is not None
        try:
            found = moved(meaning, name, self._direction(name), Name(reader))
            assert found is not None
            return found
        except NoSlope:
            return self._moved_by_forward_mode(reader, name)

    def _direction(self, name: str) -> Node:
        """The direction of a value, absent where the value is."""
        free = Name(self.backward.direction(name))
        match self.setting.defined(name):
            case Call("entries", (_, *conditions), keywords) if conditions:
                return Call("entries", (Index(free, tuple(Label(k.name) for k in keywords)), *conditions), keywords)
            case Call("causal_part", _, _):
                return Call("causal_part", (free,))
            case _:
                return free

    def _moved_by_forward_mode(self, reader: str, name: str) -> Node:
        from symattn.program.tangent import tangent

        program = needed(self.setting.program(), [reader, self.backward.direction(name)])
        cut = partial_of(program, reader, name, self.setting.names())
        found = tangent(cut, reader, {name: self.backward.direction(name)})
        named = [s.name for s in cut.stages if s.name in self.setting.names()]
        try:
            return parse(_text(found.program, found.name, named))
        except UnsupportedError:
            meaning = self.setting.defined(reader)
            assert meaning is not None
            whole = any(isinstance(part, Call) and part.function == "attention" for part in walk(meaning))
            move = "write it as softmax(…) @ V, with names for the parts" if whole else "make a given of it where it does not move"
            said = f'the derivative of {reader} = {unparse(meaning)[:80]} by "{name}" has no formula in the language'
            raise UnsupportedError(said, next_move=move) from None

    # -- the answer -------------------------------------------------------------------------------------------------------
    def _answer(self, name: str) -> str:
        """The gradient in one formula: what is used once is put in."""
        own = self.backward.gradient(name)
        self.chain.part(f"En una fórmula: $d {_tex(name)}$", f"In one formula: $d {_tex(name)}$")
        self.chain.start(own)
        first = self.setting.defined(own)
        assert first is not None
        self._unfold(own, name)
        while True:
            assert self.chain.at is not None
            once = self._once(self.chain.at)
            if once is None or len(unparse(self.setting.unfold(self.chain.at, [self.backward.gradient(once)]))) > LONGEST:
                self._step(fronted(self.setting, self.chain.at), Reasons.front)
                return unparse(self.chain.at)
            self._unfold(self.backward.gradient(once), once)

    def _unfold(self, gradient: str, of: str) -> None:
        assert self.chain.at is not None
        after = self.setting.unfold(self.chain.at, [gradient])
        why = Reasons.answer
        self.chain.step(f"definition: {gradient}", unparse(after), why.es.format(a=f"${_tex(of)}$"), why.en.format(a=f"${_tex(of)}$"))

    def _once(self, node: Node) -> str | None:
        """A value whose gradient the formula uses exactly once, and which the gradients that it uses do not use again."""
        used = [part.id for part in walk(node) if isinstance(part, Name)]
        for name in self.backward.order:
            own = self.backward.gradient(name)
            if used.count(own) == 1:
                return name
        return None


def _text(program: Program, stage: str, named: Sequence[str], called: Mapping[str, str] = MappingProxyType({})) -> str:
    """The stage as text of the language, over the stages `named`; `called` gives some of them another name. Raises UnsupportedError where
    the language does not say it."""
    from symattn.calculus.notation import Notations

    notations = Notations(program, named=[*named, *([stage] if stage not in named else [])], check=False)
    why = ""
    for style in ("matrix", "index"):
        try:
            found = notations.of(stage, style)
        except SymattnError as error:
            why = error.message
            continue
        if found.text and all(s in named or isinstance(program.by_name[s].op, Position) for s in found.names.values()):
            there = {text: _name(program, s, called) for text, s in found.names.items() if text == notations.symbols.text(s)}
            if len(there) == len(found.names):
                return unparse(substitute(parse(found.text), {Name(text): node for text, node in there.items()}))
        why = why or found.unsaid or f"its formula, {found.text}, is about parts without a name"
    raise UnsupportedError(f'"{stage}" has no formula in the language: {why}', next_move="name the parts of the expression")


def _name(program: Program, stage: str, called: Mapping[str, str]) -> Node:
    """What a stage is called; positions by their function."""
    if isinstance(program.by_name[stage].op, Position):
        return Call("positions", (Name(program.by_name[stage].out[0].space.size_text()),))
    return Name(called.get(stage, stage))


def _is_number(node: Node | None) -> bool:
    return node is not None and rational(node) is not None


def _where_it_is(meaning: Node | None, gradient: Node) -> Node:
    """The gradient by a value whose entries are absent where a mask says so. Raises NoSlope."""
    match meaning:
        case Call("causal_part", _, _):
            return Call("causal_part", (gradient,))
        case Call("entries", (_, _, *_), _):
            return masked(meaning, gradient)
        case _:
            return gradient


def _axis(name: str, size: int | str) -> str:
    if isinstance(size, int):
        return f"{name}={size}"
    return name


def _added(nodes: Sequence[Node]) -> Node:
    total = nodes[0]
    for node in nodes[1:]:
        total = Operation("+", total, node)
    return total


def _tex(name: str) -> str:
    head, _, below = name.partition("_")
    return head + (rf"_{{{below}}}" if below else "") if len(head) == 1 else rf"\text{{{name}}}".replace("_", " ")


__all__ = ["Mapping", "Setting", "gradient_derivation"]
