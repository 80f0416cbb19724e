"""The words of the pages themselves, in both languages: heads, verdicts, statuses, captions.

Promises: the same keys in every language (tested), plain text that a renderer must still escape, placeholders such as {n} only
where the key says so. Does not promise: any word of a worksheet; those live in the worksheet.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symattn.errors import RenderError

LANGUAGES = ("es", "en")

# key: (es, en). Words of the margin stay under 20 mm in label type: shorten the word, never the type.
_WORDS: dict[str, tuple[str, str]] = {
    # heads of the margin and its key
    "printed": ("impreso", "printed"),
    "verdict": ("veredicto", "verdict"),
    "your-verdict": ("su veredicto", "your verdict"),
    "key.title": ("Cómo leer el margen", "How to read the margin"),
    "key.title.blank": ("Su veredicto", "Your verdict"),
    "key.text.blank": (
        "Anote en la raya el número impreso y en la casilla su juicio:",
        "Copy the printed number onto the line and put your judgement in the box:",
    ),
    # verdicts, singular
    "verdict.exact": ("exacto", "exact"),
    "verdict.rounded": ("redondeado", "rounded"),
    "verdict.truncated": ("truncado", "truncated"),
    "verdict.from-rounded": ("desde redondeados", "from rounded"),
    "verdict.off-by": ("a {k} del último dígito", "last digit off by {k}"),
    "verdict.wrong": ("equivocado", "wrong"),
    "verdict.undecided": ("sin decidir", "undecided"),
    "verdict.given": ("dado", "given"),
    "verdict.measured": ("medido", "measured"),
    "verdict.changes-order": ("cambia el orden", "changes the order"),
    # verdicts, plural: several numbers share one entry, or a count stands before the word
    "verdicts.exact": ("exactos", "exact"),
    "verdicts.rounded": ("redondeados", "rounded"),
    "verdicts.truncated": ("truncados", "truncated"),
    "verdicts.from-rounded": ("desde redondeados", "from rounded"),
    "verdicts.off-by": ("a {k} del último dígito", "last digit off by {k}"),
    "verdicts.wrong": ("equivocados", "wrong"),
    "verdicts.undecided": ("sin decidir", "undecided"),
    "verdicts.given": ("dados", "given"),
    "verdicts.measured": ("medidos", "measured"),
    "verdicts.changes-order": ("cambian el orden", "change the order"),
    "verdict.off-by.short": ("a {k} del último", "last digit off by {k}"),  # twenty columns of a terminal
    # off-by where no single k is meant: the key and the counts under the bar
    "off-by.any": ("a k del último dígito", "last digit off by k"),
    "off-by.count": ("en el último dígito", "in the last digit"),
    "correct": ("correcto {x}", "correct {x}"),
    "terms": ("{n} términos", "{n} terms"),
    # parts of a page
    "worksheet": ("Hoja de trabajo", "Worksheet"),
    "worksheet.numbered": ("Hoja de trabajo {n}", "Worksheet {n}"),
    "student-version": ("versión para estudiantes", "student version"),
    "givens": ("Datos", "Givens"),
    "step": ("paso", "step"),
    "step.numbered": ("paso {n}", "step {n}"),
    "at-the-end": ("Al final", "At the end"),
    "errata": ("Fe de erratas", "Errata"),
    "errata.right": ("correcto", "correct"),
    "errata.cause": ("causa", "cause"),
    "errata.none": (
        "Esta hoja no tiene erratas.",
        "This worksheet has no errata.",
    ),
    "answers": ("Clave de respuestas", "Answer key"),
    "answers.intro": (
        "Cada casilla con su valor; a la derecha, el número que imprime el documento y su veredicto.",
        "Each box with its value; on the right, the number the document prints and its verdict.",
    ),
    "answers.box": ("casilla", "box"),
    "answers.name": ("qué es", "what it is"),
    "answers.value": ("valor", "value"),
    # statements
    "statements": ("Las frases del documento", "The document's sentences"),
    "statement.line": ("línea {n}", "line {n}"),
    "statement.evidence": ("prueba", "evidence"),
    "status.holds": ("se cumple", "holds"),
    "status.imprecise": ("impreciso", "imprecise"),
    "status.false": ("falso", "false"),
    "status.not-mathematics": ("no es matemática", "not mathematics"),
    "quote.open": ("«", "“"),
    "quote.close": ("»", "”"),
    # figures and tables
    "figure": ("Figura {n}.", "Figure {n}."),
    "table": ("Tabla {n}.", "Table {n}."),
    "heat.keys": ("a quién mira (clave)", "who is looked at (key)"),
    "heat.queries": ("quién mira (consulta)", "who looks (query)"),
    "heat.sum": ("suma 1", "sum 1"),
    "heat.no-key": ("sin clave", "no key"),
    "heat.masked": ("enmascarado", "masked"),
    # derivations
    "derivation": ("Derivación", "Derivation"),
    "derivations": ("Derivaciones", "Derivations"),
    "derivation.footer": (
        "symattn · cada línea lleva su regla, su razón y su prueba",
        "symattn · each line has its rule, its reason and its proof",
    ),
    "marks": ("Marcas", "Marks"),
    "rule": ("regla", "rule"),
    "line": ("línea", "line"),
    "theorem": ("Teorema.", "Theorem."),
    "proof.end": ("Teorema", "Theorem"),
    "proof.weakest": ("la más débil de sus líneas", "the weakest of its lines"),
    "mark.proved-all-sizes": ("demostrado, todo tamaño", "proved, all sizes"),
    "mark.proved-at-sizes": ("demostrado, tamaño dado", "proved, given sizes"),
    "mark.sampled": ("probado en k puntos", "sampled at k points"),
    "mark.enclosed": ("encerrado", "enclosed"),
    "mark.observed": ("observado", "observed"),
    "mark.undecided": ("sin decidir", "undecided"),
    "mark.admitted": ("admitido", "admitted"),
    "mark.rejected": ("refutado", "rejected"),
    # studies
    "study": ("Estudio", "Study"),
    "study.footer": (
        "symattn · lo demostrado y lo observado en esta máquina se dicen por separado",
        "symattn · what is proven and what is observed on this machine are told apart",
    ),
    # controls of the interactive page
    "reveal.next": ("Siguiente paso", "Next step"),
    "reveal.all": ("Ver todo", "Show all"),
    "reveal.count": ("paso {i} de {n}", "step {i} of {n}"),
}

_TABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {lang: MappingProxyType({key: pair[at] for key, pair in _WORDS.items()}) for at, lang in enumerate(LANGUAGES)}
)

GLYPHS: Mapping[str, str] = MappingProxyType(
    {
        "exact": "=",
        "rounded": "≈",
        "truncated": "⌋",
        "from-rounded": "↳",
        "off-by": "±k",
        "wrong": "≠",
        "undecided": "?",
        "given": "·",
        "measured": "∼",
    }
)


# Kinds of evidence, strongest first: (sign of a terminal, the same in ASCII). In print they are squares: more ink, stronger.
MARKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "proved-all-sizes": ("■", "[P]"),
        "proved-at-sizes": ("◩", "[n]"),
        "sampled": ("⁙", "[s]"),
        "enclosed": ("[·]", "[e]"),
        "observed": ("[o]", "[o]"),
        "undecided": ("┄", "[?]"),
        "admitted": ("□", "[a]"),
        "rejected": ("☒", "[X]"),
    }
)


def mark_word(kind: str, lang: str) -> str:
    """What a proof mark means. Raises RenderError for a kind of evidence that there is not."""
    if kind not in MARKS:
        raise RenderError(f"unknown kind of evidence {kind!r}", next_move=f"use one of {', '.join(MARKS)}")
    return words(lang)[f"mark.{kind}"]


def words(lang: str) -> Mapping[str, str]:
    """All words of one language, read-only. Raises RenderError for a language that has none."""
    table = _TABLES.get(lang)
    if table is None:
        raise RenderError(f"there are no page words for the language {lang!r}", next_move=f"use one of {', '.join(LANGUAGES)}")
    return table


def verdict_word(verdict: str, lang: str, *, off: int = 0, plural: bool = False, changes_order: bool = False) -> str:
    """The word beside a badge. `off` fills the k of "off-by" (0: k as a letter). Raises RenderError for an unknown verdict."""
    table = words(lang)
    if verdict not in GLYPHS:
        raise RenderError(f"unknown verdict {verdict!r}", next_move=f"use one of {', '.join(GLYPHS)}")
    group = "verdicts" if plural else "verdict"
    if verdict == "wrong" and changes_order:
        return table[f"{group}.changes-order"]
    if verdict == "off-by":
        return table[f"{group}.off-by"].format(k=abs(off)) if off else table["off-by.any"]
    return table[f"{group}.{verdict}"]


def count_word(verdict: str, count: int, lang: str) -> str:
    """The word after a count under the errata bar: "213 exactos" without the 213."""
    if verdict == "off-by":
        return words(lang)["off-by.count"]
    return verdict_word(verdict, lang, plural=count != 1)


def glyph(verdict: str, off: int = 0) -> str:
    """The sign inside a badge, as plain text; "off-by" shows signed units of the last place with a true minus sign."""
    if verdict not in GLYPHS:
        raise RenderError(f"unknown verdict {verdict!r}", next_move=f"use one of {', '.join(GLYPHS)}")
    if verdict == "off-by" and off:
        return f"+{off}" if off > 0 else f"−{-off}"
    return GLYPHS[verdict]
