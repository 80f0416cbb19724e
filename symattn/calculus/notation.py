"""Matrix notation of a stage, recognised from its index form.

Promises: `notation` shows what a stage is over the stages that have names, in matrix notation where that is natural and in index notation
otherwise (`reason` says why). The formula is compiled again and the kernel compares it with the stage, so that a wrong transpose or a
missing row sum never reaches a page. Does not promise: the shortest formula.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from symattn.calculus.notation_check import from_sum, from_text, from_tree
from symattn.calculus.notation_entries import EntryMath
from symattn.calculus.notation_entry_text import EntryText
from symattn.calculus.notation_expand import Expander
from symattn.calculus.notation_facts import Facts
from symattn.calculus.notation_index import Ix, NoMatrixForm, Part, Ref, Scope, Sum, relation_of
from symattn.calculus.notation_math import MatrixMath
from symattn.calculus.notation_recognize import Recognizer
from symattn.calculus.notation_symbols import Letters, Symbols
from symattn.calculus.notation_text import Named, NoText, TextWriter
from symattn.calculus.notation_tree import Softmax, Tree
from symattn.errors import ProgramError
from symattn.language.names import suggestion
from symattn.page import math as m
from symattn.page.notebook import writer
from symattn.program import ops
from symattn.program.formulas import formulas
from symattn.program.program import Program, index_axes, relation_axes
from symattn.program.spaces import Axis
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import prove_equal

STYLES = ("matrix", "index")


@dataclass(frozen=True)
class Claim:
    """Stage `left` equals stage `right` of `program`, whatever the values of `atoms` are."""

    program: Program
    left: str
    right: str
    atoms: tuple[str, ...]

    def prove(self) -> Certificate:
        """The kernel's certificate. Raises StepRejected, Undecided."""
        return prove_equal(self.program, self.left, self.right, atoms=self.atoms)


@dataclass(frozen=True)
class Notation:
    """`left` = `right` for the stage `stage`.

    `style` is what it became; `reason` says why it is index notation although matrix notation was asked for. `text` is the right side in
    the language, "" where the language does not say it (`unsaid` says why); `names` gives the stage behind each of its names (those with a
    head are one head's). `where` holds the definitions of masks, `shape` the sizes of the left side without its labels. `claim` is what
    the formula says, `certificate` its proof (None when it was not asked for)."""

    stage: str
    style: str
    left: m.Math
    right: m.Math
    text: str
    names: Mapping[str, str]
    shape: tuple[str, ...]
    where: tuple[m.Math, ...]
    reason: str
    unsaid: str
    claim: Claim = field(repr=False)
    certificate: Certificate | None = field(default=None, repr=False)

    @property
    def math(self) -> m.Math:
        """The whole formula."""
        return m.Row((self.left, m.Sign("="), self.right))

    def latex(self) -> str:
        """The whole formula as LaTeX that TeX and KaTeX read, without dollar signs."""
        return writer("latex")(self.math)


def notation(
    program: Program,
    stage: str,
    *,
    named: Collection[str] | None = None,
    style: str = "matrix",
    letters: Mapping[str, str] | None = None,
    labels: Iterable[str] = (),
    check: bool = True,
) -> Notation:
    """What `stage` is, over the stages `named` (by default all without a dot in their name).

    `letters` renames symbols: a stage, a letter ("P") or a size ("d_k") to another letter, such as "A", "W_q", "S'". `labels` are axes or
    spaces, besides head, group, member, layer, batch and expert, that become subscripts. Without `check` nothing is proved.

    A form that the kernel does not confirm is not shown: index notation takes its place, and in the end the stage's own definition.

    Raises ProgramError for a stage, style or name that is not there, and for a stage that is given."""
    return Notations(program, named=named, letters=letters, labels=labels, check=check).of(stage, style)


class Notations:
    """The notation of several stages of one program; what is found about the program is shared."""

    def __init__(
        self,
        program: Program,
        *,
        named: Collection[str] | None = None,
        letters: Mapping[str, str] | None = None,
        labels: Iterable[str] = (),
        owners: Mapping[str, str] | None = None,
        check: bool = True,
    ) -> None:
        self.program = program
        self.named = frozenset(s.name for s in program.stages if "." not in s.name) if named is None else frozenset(named)
        for name in sorted(self.named):
            self._known(name)
        self.symbols = Symbols(program, letters, owners)
        self.labels = tuple(labels)
        self.check = check
        self._facts = Facts(program)

    def of(self, stage: str, style: str = "matrix") -> Notation:
        """The notation of one stage. Raises what `notation` raises."""
        self._known(stage)
        if style not in STYLES:
            raise ProgramError(f'there is no notation "{style}"', next_move="known: " + ", ".join(STYLES))
        op = self.program.by_name[stage].op
        if isinstance(op, ops.Input):
            raise ProgramError(f'"{stage}" is given, not computed', next_move="ask for a stage that is computed")
        formula = _Formula(self, self._facts, stage)
        if isinstance(op, ops.Contract | ops.Map) and formula.tree_or_none() is None:
            formula = _Formula(self, self._facts, stage, apart=True)
        reason = ""
        for wanted in STYLES if style == "matrix" else ("index",):
            try:
                found = formula.notation(wanted, reason)
                return _proved(found) if self.check else found
            except NoMatrixForm as why:
                reason = str(why)
            except (StepRejected, Undecided):
                reason = f"the kernel does not confirm the {wanted} form"
        found = formula.definition(reason)
        return _proved(found) if self.check else found

    def _known(self, stage: str) -> None:
        if stage not in self.program.by_name:
            raise ProgramError(f'there is no stage "{stage}"', next_move=suggestion(stage, self.program.by_name, "stages"))


def _proved(found: Notation) -> Notation:
    certificate = found.claim.prove()
    return Notation(**{**found.__dict__, "certificate": certificate})


class _Formula:
    """One stage being read. With `apart`, for index notation, axes over products are read as the axes of their parts and a softmax as the
    quotient that it is."""

    def __init__(self, whole: Notations, facts: Facts, stage: str, *, apart: bool = False) -> None:
        self.whole = whole
        self.stage = stage
        self.apart = apart
        self.scope = Scope(whole.labels)
        self.expander = Expander(whole.program, whole.named - {stage}, self.scope, facts, softmax=not apart)
        self.at = tuple(self._index(axis) for axis in whole.program.by_name[stage].out)
        self.free = tuple(v for ix in self.at for v in (ix.vars if isinstance(ix, Part) else (ix,)))
        self.ends = tuple(v for v in self.free if not self.scope.is_label(v))

    def _index(self, axis: Axis) -> Ix:
        """A variable for an axis; an axis over heads and something else is one block a head."""
        if axis.space.factors:
            parts = tuple(self.scope.new(Axis(s.name, s)) for s in axis.space.factors)
            if self.apart or any(self.scope.is_label(v) for v in parts):
                return Part("joint", axis.space, parts)
        return self.scope.new(axis)

    @cached_property
    def terms(self) -> Sum:
        """The index form."""
        return self.expander.whole(self.stage, self.at)

    @cached_property
    def tree(self) -> Tree:
        """The matrix expression. Raises NoMatrixForm."""
        own = self.expander.scores(Ref(self.stage, self.at))
        reader = Recognizer(self.scope, self.expander.scores)
        return reader.tree(self.terms, self.ends) if own is None else Softmax(reader.tree(own, self.ends))

    def definition(self, reason: str) -> Notation:
        """The stage's operation as it stands, in index notation."""
        found = formulas(self.whole.program)[self.stage]
        shape = tuple(a.space.size_text() for a in self.whole.program.by_name[self.stage].out)
        claim = Claim(self.whole.program, self.stage, self.stage, ())
        return Notation(self.stage, "index", found.left, found.row()[2], "", {}, shape, (), reason, reason, claim)

    def _maximum(self, op: ops.Reduce) -> Notation:
        """max over what the stage lacks."""
        env = {a.name: ix for a, ix in zip(op.out, self.at, strict=True)}
        over = []
        for axis in dict.fromkeys((*(a for i in op.use.indices for a in index_axes(i)), *(a for r in op.where for a in relation_axes(r)))):
            if axis.name not in env:
                env[axis.name] = self.scope.new(axis)
                over.append(env[axis.name])
        bound = tuple(v for v in over if isinstance(v, int))
        terms = self.expander.used(op.use, env)
        where = tuple(relation_of(r, env) for r in op.where)
        letters = Letters(self.scope, _sizes(terms))
        entries = EntryMath(self.whole.symbols, letters, self.scope)
        left, right = entries.entry(self.stage, self.at), entries.maximum(terms, bound, where)
        why = "a maximum is no matrix expression"
        text, names, unsaid, program = self._written(terms, lambda words: words.maximum(terms, bound, where, self.free))
        if op.empty is not None:
            text, names, unsaid, program = "", {}, "the language does not say what an empty maximum is", None
        shape = tuple(self.scope.space(v).size_text() for v in self.ends)
        claim = Claim(
            program or self.whole.program, self.stage, program.output if program is not None else self.stage, self.expander.atoms()
        )
        return Notation(self.stage, "index", left, right, text, names, shape, (), why, unsaid, claim)

    def notation(self, style: str, reason: str) -> Notation:
        """The formula in one style, not proved. Raises NoMatrixForm."""
        symbols = self.whole.symbols
        op = self.whole.program.by_name[self.stage].op
        if isinstance(op, ops.Reduce):
            return self._maximum(op)
        if isinstance(op, ops.Position):
            return self.definition("positions are no matrix expression")
        letters = Letters(self.scope, _sizes(self.terms))
        entries = EntryMath(symbols, letters, self.scope)
        where: tuple[m.Math, ...] = ()
        tree = self.tree if style == "matrix" else self.tree_or_none()
        if style == "matrix":
            assert tree is not None
            matrix = MatrixMath(symbols, letters)
            marks = [letters.var(v) for v in self.free if v not in self.ends]
            left = symbols.stage(self.stage).math(marks)
            right = matrix.math(tree)
            where = matrix.definitions(entries)
        else:
            left = entries.entry(self.stage, self.at)
            right = entries.tree(tree, self.ends) if tree is not None else entries.sum(self.terms)
        text, names, unsaid, program = self._said(tree, style)
        if program is None and tree is not None:
            program = from_tree(self.whole.program, self.stage, self.at, tree, self.scope, self._new_name(), self.expander.atoms())
        if program is None:
            program = from_sum(self.whole.program, self.stage, self.at, self.terms, self.scope, self._new_name(), self.expander.atoms())
        claim = Claim(program, self.stage, program.output, tuple(a for a in self.expander.atoms() if a in program.by_name))
        shape = tuple(self.scope.space(v).size_text() for v in self.ends)
        return Notation(self.stage, style, left, right, text, names, shape, where, reason, unsaid, claim)

    def _said(self, tree: Tree | None, style: str) -> tuple[str, Mapping[str, str], str, Program | None]:
        """Text, its names, why there is none, and the program that the text compiles to: in matrix form where the language says it so,
        else entry by entry."""
        unsaid = ""
        if tree is not None and style == "matrix":
            words = TextWriter(self.whole.symbols, Letters(self.scope), self.scope)
            try:
                text = words.text(tree)
                return text, _stages(words.names), "", self._compiled(text, words.names, whole=False)
            except NoText as why:
                unsaid = str(why)
        text, names, why_not, program = self._written(
            self.terms,
            lambda words: words.tree(tree, self.free, self.ends) if tree is not None else words.sum(self.terms, self.free),
        )
        return text, names, (unsaid or why_not) if program is None else "", program

    def _written(self, terms: Sum, write: Callable[[EntryText], str]) -> tuple[str, Mapping[str, str], str, Program | None]:
        """Text in index notation, its names, why there is none, and the program that it compiles to."""
        taken = {self.whole.symbols.text(name) for name in self.whole.named} | set(_sizes(terms))
        words = EntryText(self.whole.symbols, Letters(self.scope, taken), self.scope)
        try:
            text = write(words)
            return text, _stages(words.names), "", self._compiled(text, words.names, whole=True)
        except NoText as why:
            return "", {}, str(why), None

    def _compiled(self, text: str, names: Mapping[str, Named], *, whole: bool) -> Program:
        atoms = self.expander.atoms()
        return from_text(self.whole.program, self.stage, self.at, text, names, self.scope, self._new_name(), atoms, whole=whole)

    def tree_or_none(self) -> Tree | None:
        """The matrix expression where there is one."""
        try:
            return self.tree
        except NoMatrixForm:
            return None

    def _new_name(self) -> str:
        return f"{self.stage}.notation"


def _stages(names: Mapping[str, Named]) -> dict[str, str]:
    return {name: named.stage for name, named in names.items()}


def _sizes(terms: Sum) -> list[str]:
    """Sizes that the formula shows: no index may have their letter."""
    return [b for t in terms for b, _ in t.sizes if isinstance(b, str)]
