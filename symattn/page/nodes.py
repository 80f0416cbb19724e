"""The page tree: what a worksheet, a derivation or a study says, as plain frozen data.

Promises: no markup and no mathematics; renderers walk it and decide nothing but looks. Every class in NODES has a
method in every renderer, or the renderer names the reason (a test walks the grid).
Does not promise: layout. The student version is the same tree; renderers take `blank=True`.
"""

from __future__ import annotations

from dataclasses import dataclass

from symattn.page.math import EMPTY, Math


# -- inline text ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Text:
    """Plain words."""

    text: str


@dataclass(frozen=True)
class Emph:
    """Italic: a token's name, a stress."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Bold: only the one fact that changes a conclusion."""

    text: str


@dataclass(frozen=True)
class Code:
    """Program text."""

    text: str


@dataclass(frozen=True)
class Formula:
    """Mathematics inside a sentence."""

    math: Math


Inline = Text | Emph | Strong | Code | Formula


# -- verdicts in the margin -------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Margin:
    """One margin entry: the document's own number, its verdict and why.

    `printed` is the printed token, or a count such as "4 términos" when several numbers share one verdict (`plural`).
    `verdict` is one of `page.words.GLYPHS` ("exact", "rounded", …); `off` the signed units of the last place (0: none).
    `changes_order` marks a wrong entry that changes a conclusion. `right` is the right value at the printed digits ("" when it
    is right); `because` a small formula that explains (the operand used). `claim` is the claim's id."""

    printed: str
    verdict: str
    off: int = 0
    right: str = ""
    because: Math = EMPTY
    changes_order: bool = False
    plural: bool = False
    claim: str = ""


# -- blocks -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Paragraph:
    """A paragraph of inline text."""

    items: tuple[Inline, ...]


@dataclass(frozen=True)
class Bullets:
    """A list of short items."""

    items: tuple[tuple[Inline, ...], ...]


@dataclass(frozen=True)
class Line:
    """One row of a chain: `left relation right`, and the verdicts of the numbers on it.

    `left` is empty on rows that go on ("= …" under the first). `relation` is "=", "≈" or "" (a formula alone).
    `student`: "show" (as it is), "dashed" (term boxes are empty, dashed), "hide" (not shown, its space kept)."""

    left: Math
    relation: str
    right: Math
    margin: tuple[Margin, ...] = ()
    student: str = "show"
    space_above: bool = False


@dataclass(frozen=True)
class Chain:
    """Rows with one column of relation signs; all chains of a step share that column. With `symbolic` it is the formula in
    symbols that opens a step."""

    lines: tuple[Line, ...]
    symbolic: bool = False


@dataclass(frozen=True)
class Term:
    """One row of a ledger: a product and its value, with the verdict of the printed term."""

    product: Math
    relation: str
    value: str
    margin: tuple[Margin, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """A sum written one term a row, "+" hung to the left, values aligned on the point, a rule, the total below."""

    terms: tuple[Term, ...]
    total: Line
    student: str = "show"


@dataclass(frozen=True)
class Matrices:
    """Displayed matrices with their names, on one row where they fit; `wide` may use the full width."""

    items: tuple[tuple[Math, Math], ...]
    wide: bool = False


@dataclass(frozen=True)
class Cell:
    """One cell of a table: inline items, or a number with its margin verdict."""

    items: tuple[Inline, ...] = ()
    number: str = ""
    margin: Margin | None = None
    strong: bool = False
    label: str = ""


@dataclass(frozen=True)
class Table:
    """Booktabs manner. `align` has a letter a column: l words, r numbers. `groups` are row numbers with a hairline above."""

    head: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[Cell, ...], ...]
    align: str
    caption: tuple[Inline, ...] = ()
    groups: tuple[int, ...] = ()
    wide: bool = False


@dataclass(frozen=True)
class HeatMap:
    """Attention weights on a fixed scale 0 to 1: queries down, keys across. `values` holds proven decimals as text ("" = masked),
    `framed` the row under discussion (-1: none)."""

    values: tuple[tuple[str, ...], ...]
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    caption: tuple[Inline, ...] = ()
    framed: int = -1
    number: int = 0


@dataclass(frozen=True)
class Step:
    """A step: number ("" for an unnumbered one), title, its blocks. `id` is the anchor."""

    number: str
    title: tuple[Inline, ...]
    blocks: tuple[Block, ...]
    id: str = ""
    has_margin: bool = True


@dataclass(frozen=True)
class Facts:
    """The small grey table under the opening text: pairs of head and value."""

    items: tuple[tuple[str, tuple[Inline, ...]], ...]


@dataclass(frozen=True)
class Key:
    """How to read the margin: the verdicts that occur, the best ones first."""

    verdicts: tuple[str, ...]


@dataclass(frozen=True)
class Erratum:
    """One cause: the step, the printed numbers with their right values and verdicts, the cause in whole words."""

    step: str
    entries: tuple[tuple[str, str, Margin], ...]
    cause: tuple[Inline, ...]


@dataclass(frozen=True)
class Errata:
    """Opens with a sentence, then a bar of all verdicts to scale (`counts`: verdict, number), then a row a cause, worst first."""

    intro: tuple[Inline, ...]
    counts: tuple[tuple[str, int], ...]
    rows: tuple[Erratum, ...]


@dataclass(frozen=True)
class Statement:
    """A sentence of the document: quote, status word (holds, imprecise, false, not-mathematics), our words, the evidence."""

    line: int
    quote: str
    status: str
    precise: tuple[Inline, ...]
    evidence: Math = EMPTY
    step: str = ""


@dataclass(frozen=True)
class Statements:
    """The document's sentences, at the end of the page."""

    rows: tuple[Statement, ...]


@dataclass(frozen=True)
class Answer:
    """A line of the key: box label, value, the printed number with its verdict if the document prints one."""

    label: str
    name: Math
    value: str
    margin: Margin | None = None


@dataclass(frozen=True)
class AnswerKey:
    """Shown by the student version only, on its own last page: (step number, its answers)."""

    steps: tuple[tuple[str, tuple[Answer, ...]], ...]


@dataclass(frozen=True)
class Section:
    """An unnumbered full-width part after the steps (errata, statements): kicker, title, blocks; starts a new page in print."""

    kicker: str
    title: str
    blocks: tuple[Block, ...]
    id: str = ""


# -- derivations ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Theorem:
    """What a derivation proves, behind an accent bar: paragraphs and displayed formulas. `label` opens the first paragraph ("Teorema.")."""

    label: str
    blocks: tuple[Paragraph | Chain, ...]


@dataclass(frozen=True)
class Mark:
    """The margin of a proof line: `kind` is a kind of evidence (a key of page.words.MARKS), `rule` its rule, `reason` why it applies;
    sizes, points or the counterexample of any evidence but proved-all-sizes stand in the reason."""

    kind: str
    rule: str
    reason: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class ProofLine:
    """A numbered row of a proof. `left` is empty where it is the one above; a line of words only has its words in `right` and no
    `relation`. Without `mark` the row goes on from the one above it."""

    number: str
    left: Math
    relation: str
    right: Math
    mark: Mark | None = None


@dataclass(frozen=True)
class ProofStage:
    """Lines under a letter and a title; `intro` stands between title and lines. Both letter and title may be empty."""

    letter: str
    title: tuple[Inline, ...]
    lines: tuple[ProofLine, ...]
    intro: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class Proof:
    """The stages of a proof, whose lines share one column of relation signs, and at the end the theorem's own mark."""

    stages: tuple[ProofStage, ...]
    end: Mark
    closing: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class ProofKey:
    """What the marks mean; among the blocks of a page, in print it stands at the foot of the first one. `kinds` in the order of
    page.words.MARKS."""

    kinds: tuple[str, ...]


# -- figures ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Scale:
    """One axis of a panel, from `low` to `high` (positive ones with `log`), and its ticks: a place and what stands there."""

    label: tuple[Inline, ...]
    low: float
    high: float
    ticks: tuple[tuple[float, tuple[Inline, ...]], ...]
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """Points joined by a line, or shown as dots; `style` is one of CURVE_STYLES. Its name stands at the point `at`, which is the side
    `anchor` (one of ANCHORS) of the text."""

    points: tuple[tuple[float, float], ...]
    style: str = "solid"
    name: tuple[Inline, ...] = ()
    at: tuple[float, float] = (0.0, 0.0)
    anchor: str = "west"


CURVE_STYLES = ("solid", "long", "dotted", "dots")
ANCHORS = ("west", "east", "south", "north", "south west", "south east", "north west", "north east")


@dataclass(frozen=True)
class Threshold:
    """A thin line across a panel where `axis` ("x" or "y") has this value, and its meaning at the place `along` on the other axis."""

    axis: str
    value: float
    name: tuple[Inline, ...]
    along: float
    anchor: str = "west"


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its title."""

    title: tuple[Inline, ...]
    x: Scale
    y: Scale
    curves: tuple[Curve, ...]
    thresholds: tuple[Threshold, ...] = ()


@dataclass(frozen=True)
class Figure:
    """Panels side by side at full width, and a caption. Renderers draw it from these numbers."""

    panels: tuple[Panel, ...]
    caption: tuple[Inline, ...] = ()
    number: int = 0


Block = (
    Paragraph | Bullets | Chain | Ledger | Matrices | Table | HeatMap | Facts | Key | Errata | Statements | AnswerKey
    | Step | Section | Theorem | Proof | ProofKey | Figure
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    """A whole document. `opening` stands beside the key; `footer` says where the numbers come from. `lang` is "es" or "en";
    `number` is the worksheet's number in the header ("Hoja de trabajo 1"). A `plain` page (a derivation) has the smaller title, without
    the rule and the room for a key; `section` then stands on the left of its header. `heading` is the title with formulas in it, () where
    it has none."""

    lang: str
    kicker: str
    title: str
    subtitle: str
    opening: tuple[Inline, ...]
    blocks: tuple[Block, ...]
    footer: str
    short_title: str = ""
    number: str = ""
    opening_blank: tuple[Inline, ...] = ()
    plain: bool = False
    section: str = ""
    heading: tuple[Inline, ...] = ()


NODES: tuple[type, ...] = (
    Paragraph, Bullets, Chain, Ledger, Matrices, Table, HeatMap, Facts, Key, Errata, Statements, AnswerKey, Step, Section,
    Theorem, Proof, ProofKey, Figure,
)  # fmt: skip
