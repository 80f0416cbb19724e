"""A derivation as a page: the theorem with all it supposes, its stages line by line, and the theorem's own mark.

Promises: everything on the page is read off the derivation: the formulas from its text, the marks from its evidence. Does not promise:
any proof (calculus/ has them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from symattn.calculus.closing import gradient_of
from symattn.calculus.derivation import Derivation, Step
from symattn.calculus.reading import parse
from symattn.calculus.rules import rule_named, split_rule
from symattn.calculus.scopes import relation_of, said, words_of
from symattn.calculus.statement import Clause, read_statement
from symattn.calculus.symbols import indexed, symbol
from symattn.calculus.typeset import RELATIONS, Typesetter
from symattn.language.ast import Node
from symattn.language.parser import parse_relation
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.notebook import writer
from symattn.page.words import MARKS, words
from symattn.proof.evidence import PROVED_ALL_SIZES, Evidence, sizes_text
from symattn.sheets.texmath import read_tex

STAGES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KEY_KINDS = tuple(kind for kind in MARKS if kind != "observed")


def derivation_page(
    derivation: Derivation,
    lang: str = "en",
    *,
    notation: str = "index",
    sizes: Mapping[str, int] = MappingProxyType({}),
    feeds: Mapping[str, Any] = MappingProxyType({}),
) -> n.Page:
    """The page of a derivation. `notation` is that of the lines, "index" or "matrix"; the statement is in matrix form where natural.
    `sizes` adds the entries of every definition written out at these sizes, `feeds` the values of both sides of every line.

    Raises what the language raises for text that does not compile, InputError for sizes and numbers that do not fit."""
    page = _Writer(derivation, lang, notation).page()
    if not sizes and not feeds:
        return page
    from symattn.sheets.derivation_numbers import entries_section, values_section

    more = [entries_section(derivation, lang, sizes)] if sizes else []
    more += [values_section(derivation, lang, feeds)] if feeds else []
    *blocks, key = page.blocks
    return replace(page, blocks=(*blocks, *more, key))


class _Writer:
    def __init__(self, derivation: Derivation, lang: str, notation: str) -> None:
        self.derivation = derivation
        self.lang = lang
        self.words = words(lang)
        self.notation = notation
        self.setting = derivation.setting
        self.type = Typesetter(self.setting)
        self.backward = gradient_of(read_statement(derivation.statement), self.setting)

    def page(self) -> n.Page:
        derivation = self.derivation
        title = derivation.title.said(self.lang) or derivation.topic
        return n.Page(
            lang=self.lang,
            kicker=self.words["derivation"],
            title=plain_title(title),
            subtitle="",
            opening=(),
            blocks=(self.theorem(), self.proof(), n.ProofKey(KEY_KINDS)),
            footer=self.words["derivation.footer"],
            short_title=plain_title(title),
            plain=True,
            section=self.words["derivations"],
            heading=inline(title),
        )

    def say(self, es: str, en: str) -> n.Text:
        return n.Text(es if self.lang == "es" else en)

    # -- the theorem ------------------------------------------------------------------------------------------------------
    def theorem(self) -> n.Theorem:
        blocks: list[n.Paragraph | n.Chain] = []
        names = self.names()
        givens = self.givens(names)
        conditions = self.conditions()
        defined = [d for d in self.derivation.definitions if d.name in names and self.setting.defined(d.name) is not None]
        opening: list[n.Inline] = []
        if givens:
            single = sum(name in names for name in self.setting.givens()) == 1
            opening += [self.say("Sea " if single else "Sean ", "Let "), *_listed(givens)]
            opening += [self.say(" con ", " with "), *_listed(conditions)] if conditions else []
            opening.append(n.Text(";" if defined else "."))
        if defined:
            verb = "sea" if len(defined) == 1 else "sean"
            opening.append(self.say(f" {verb}" if givens else verb.capitalize(), " and let" if givens else "Let"))
        if opening:
            blocks.append(n.Paragraph(tuple(opening)))
        if defined:
            blocks.append(n.Chain(tuple(self.defined(d.name, parse(d.meaning)) for d in defined)))
        blocks += self.gradient() if self.backward is not None else self.statement()
        return n.Theorem(self.words["theorem"], tuple(blocks))

    def names(self) -> list[str]:
        """What the theorem starts from: for a gradient, neither the gradients nor the directions."""
        backward = self.backward
        if backward is None:
            return list(self.setting.names())
        made = {backward.upstream, *(f(x) for x in backward.order for f in (backward.gradient, backward.direction))}
        return [name for name in self.setting.names() if name not in made]

    def statement(self) -> list[n.Paragraph | n.Chain]:
        """The relations, as the steps come to them."""
        clauses = read_statement(self.derivation.statement).clauses
        return [n.Paragraph((self.say("Entonces", "Then"),)), n.Chain(tuple(self.clause(c) for c in clauses))]

    def gradient(self) -> list[n.Paragraph | n.Chain]:
        """The gradients one after the other, then the answers in one formula."""
        backward = self.backward
        assert backward is not None
        of = n.Formula(symbol(backward.of))
        opening: list[n.Inline] = [self.say("y sea ", "and let ")]
        if backward.upstream:
            opening += [n.Formula(symbol(backward.upstream)), self.say(" el gradiente por ", " be the gradient by "), of]
            opening.append(self.say(" de una pérdida cualquiera. Entonces los gradientes son", " of any loss. Then the gradients are"))
        else:
            opening += [of, self.say(" la pérdida. Entonces los gradientes son", " be the loss. Then the gradients are")]
        lines = [self.defined(backward.gradient(x), parse(self.derivation.meaning(backward.gradient(x)))) for x in backward.order]
        blocks: list[n.Paragraph | n.Chain] = [n.Paragraph(tuple(opening)), n.Chain(tuple(lines))]
        longer = [(x, parse(a)) for x, a in self.derivation.answers.items() if a != self.derivation.meaning(backward.gradient(x))]
        if longer:
            blocks.append(n.Paragraph((self.say("y en una fórmula", "and in one formula"),)))
            blocks.append(n.Chain(tuple(self.defined(backward.gradient(x), node) for x, node in longer)))
        return blocks

    def givens(self, names: Sequence[str]) -> list[m.Math]:
        """Names of one shape together: Q, K ∈ ℝ^(n × d_k)."""
        shapes: dict[tuple[str, ...], list[str]] = {}
        for name in (x for x in self.setting.givens() if x in names):
            sizes = tuple(axis.space.size_text() for axis in self.setting.axes(name))
            shapes.setdefault(sizes, []).append(name)
        return [m.Row((_commas([symbol(x) for x in found]), m.Sign("∈"), _space(sizes))) for sizes, found in shapes.items()]

    def conditions(self) -> list[m.Math]:
        """Sizes first, in one piece: n, d_k ≥ 1."""
        sizes = [h.removesuffix(" >= 1") for h in self.derivation.hypotheses if h.endswith(" >= 1") and h[:-5] in self.setting.sizes()]
        found: list[m.Math] = []
        if sizes:
            found.append(m.Row((_commas([symbol(x) for x in sizes]), m.Sign("≥"), m.Number("1"))))
        found.extend(self.relation(text) for text in self.derivation.hypotheses if text.removesuffix(" >= 1") not in sizes)
        return found

    def relation(self, text: str) -> m.Math:
        """One relation; a denominator that is not 0 is one as well."""
        said = parse_relation(text)
        (left, right), (sign,) = said.operands, said.signs
        return m.Row((self.type.matrix(left), m.Sign(RELATIONS[sign]), self.type.matrix(right)))

    def defined(self, name: str, meaning: Node) -> n.Line:
        if self.type.natural(meaning):
            return n.Line(symbol(name), "=", self.type.matrix(meaning))
        letters = self.type.letters(meaning)
        return n.Line(indexed(symbol(name), tuple(m.Name(x) for x in letters)), "=", self.type.entry(meaning, letters))

    def clause(self, clause: Clause) -> n.Line:
        line = self.bare(clause)
        scope = said(words_of(clause.sign), self.lang)
        return replace(line, right=m.Row((line.right, m.Words(f"    {scope}")))) if scope else line

    def bare(self, clause: Clause) -> n.Line:
        if not (self.type.natural(clause.left) and self.type.natural(clause.right)):
            letters = self.letters(clause.left, clause.right)
            shown = [self.type.entry(side, letters if self.type.axes(side) else ()) for side in (clause.left, clause.right)]
            return n.Line(shown[0], RELATIONS[relation_of(clause.sign)], shown[1])
        return n.Line(self.type.matrix(clause.left), RELATIONS[relation_of(clause.sign)], self.right(clause.left, clause.right))

    def right(self, left: Node, right: Node) -> m.Math:
        """The right side; a number beside a matrix is written with ones."""
        shown = self.type.matrix(right)
        rank = len(self.type.axes(left))
        if not rank or self.type.axes(right):
            return shown
        if shown == m.Number("0"):
            return shown
        ones: tuple[m.Math, ...] = (m.Name("𝟏", upright=True),)
        if rank == 2:
            ones = (*ones, m.Script(m.Name("𝟏", upright=True), m.EMPTY, m.Sign("⊤")))
        return m.Row((*((shown,) if shown != m.Number("1") else ()), *ones))

    # -- the proof --------------------------------------------------------------------------------------------------------
    def proof(self) -> n.Proof:
        derivation = self.derivation
        starts = sorted({0, *(part.start for part in derivation.parts)})
        titles = {part.start: part.title for part in derivation.parts}
        stages: list[n.ProofStage] = []
        for k, start in enumerate(starts):
            end = starts[k + 1] if k + 1 < len(starts) else len(derivation.steps)
            lines = tuple(self.line(at) for at in range(start, end))
            titled = start in titles
            letter = STAGES[k % len(STAGES)] if titled and len(starts) > 1 else ""
            stages.append(n.ProofStage(letter, inline(titles[start].said(self.lang)) if titled else (), lines))
        end_mark = n.Mark(derivation.evidence.kind, self.words["proof.end"], (n.Text(self.words["proof.weakest"]),))
        closing = self.say("que es lo que dice el enunciado.", "which is what the theorem says.")
        return n.Proof(tuple(stages), end_mark, (closing,))

    def line(self, at: int) -> n.ProofLine:
        steps = self.derivation.steps
        step = steps[at]
        name, _ = split_rule(step.rule)
        rule = rule_named(name)
        before, after = parse(step.before), parse(step.after)
        letters = self.letters(before, after)
        fresh = at == 0 or steps[at - 1].after != step.before or any(part.start == at for part in self.derivation.parts)
        left = self.shown(before, letters) if fresh else m.EMPTY
        mark = n.Mark(step.evidence.kind, rule.label.said(self.lang), self.reason(step))
        return n.ProofLine(str(at + 1), left, RELATIONS[relation_of(step.sign)], self.shown(after, letters), mark)

    def letters(self, before: Node, after: Node) -> list[str]:
        return self.type.letters(before if self.type.axes(before) else after)

    def shown(self, node: Node, letters: Sequence[str]) -> m.Math:
        if self.notation == "matrix":
            return self.type.matrix(node)
        return self.type.entry(node, letters if self.type.axes(node) else ())

    def reason(self, step: Step) -> tuple[n.Inline, ...]:
        found: list[n.Inline] = list(inline(step.why.said(self.lang)))
        extra = _extra(step.evidence)
        if extra:
            found += [n.Text("; " if found else ""), n.Text(extra)]
        return tuple(found)


def _extra(evidence: Evidence) -> str:
    """What must stand beside any mark but the full one."""
    if evidence.kind == PROVED_ALL_SIZES:
        return ""
    if evidence.sizes:
        return "; ".join(sizes_text(s) for s in evidence.sizes)
    if evidence.counterexample is not None:
        return evidence.counterexample.text(6)
    return evidence.reason or (f"{evidence.points}" if evidence.points else "")


def inline(text: str) -> tuple[n.Inline, ...]:
    """Words with formulas between dollar signs. Raises SheetError for a formula that is none."""
    found: list[n.Inline] = []
    for at, part in enumerate(text.split("$")):
        if part:
            found.append(n.Formula(read_tex(part)) if at % 2 else n.Text(part))
    return tuple(found)


def plain_title(title: str) -> str:
    """A title with its formulas as plain text."""
    return "".join(writer("text")(part.math) if isinstance(part, n.Formula) else part.text for part in inline(title))


def _space(sizes: tuple[str, ...]) -> m.Math:
    if not sizes:
        return m.Name("ℝ")
    items: list[m.Math] = []
    for size in sizes:
        items += [m.Sign("×"), symbol(size)] if items else [symbol(size)]
    return m.Script(m.Name("ℝ"), m.EMPTY, m.Row(tuple(items)))


def _commas(parts: Sequence[m.Math]) -> m.Math:
    items: list[m.Math] = []
    for part in parts:
        items += [m.Sign(","), part] if items else [part]
    return items[0] if len(items) == 1 else m.Row(tuple(items))


def _listed(parts: Sequence[m.Math]) -> list[n.Inline]:
    found: list[n.Inline] = []
    for part in parts:
        found += [n.Text(", "), n.Formula(part)] if found else [n.Formula(part)]
    return found
