"""The sentences that sheets put together themselves, in both languages.

Promises: the same keys in both languages (tested). Does not promise: the words of a page's furniture; those are in page/words.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_WORDS: dict[str, tuple[str, str]] = {
    "footer": (
        "symattn · cada cifra está demostrada; los números del margen son los que imprime el documento",
        "symattn · every digit is proven; the numbers in the margin are those the document prints",
    ),
    "footer.program": ("symattn · cada cifra está demostrada", "symattn · every digit is proven"),
    "kicker.default": ("Atención paso a paso", "Attention step by step"),
    "errata.intro": (
        (
            "De los {total} números impresos que salen de una cuenta, {right} son el valor exacto o su redondeo. "
            "Los demás se reúnen aquí por su causa."
        ),
        (
            "Of the {total} printed numbers that come from a calculation, {right} are the exact value or its rounding. "
            "The others are gathered here by cause."
        ),
    ),
    "errata.inherited": (
        "{roots} errores nacen donde se señalan y {inherited} los heredan.",
        "{roots} errors are born where they are pointed out and {inherited} inherit them.",
    ),
    "cause.truncated": ("Las cifras se cortaron en vez de redondearse.", "The digits were cut off instead of rounded."),
    "cause.from-rounded": (
        "Es lo que da la cuenta con los números ya redondeados que el documento imprime.",
        "It is what the calculation gives from the rounded numbers that the document prints.",
    ),
    "cause.interval": (
        "Es compatible con los números impresos si se toman con su redondeo.",
        "It is compatible with the printed numbers once their rounding is allowed for.",
    ),
    "cause.off-by": ("La última cifra no es la del valor exacto.", "The last digit is not that of the exact value."),
    "cause.wrong": ("No es el valor que dan los datos del documento.", "It is not the value that the document's data give."),
    "cause.undecided": ("No se pudo decidir dentro del tope de precisión.", "It could not be decided within the cap on precision."),
    "cause.inherits": ("Hereda el error de otro número.", "It inherits the error of another number."),
    "hint.fits": ("Error probable: {slip}.", "Likely slip: {slip}."),
    "hint.chance": ("puede ser casualidad", "may be chance"),
    "hint.none": ("Ninguno de los {n} deslices probados lo explica.", "None of the {n} slips tried explains it."),
    "order": ("orden", "order"),
    "sum": ("suma", "sum"),
    "facts.labels": ("Entradas con nombre", "Named entries"),
    "facts.sizes": ("Dimensiones", "Sizes"),
    "facts.indices": ("Índices", "Indices"),
    "facts.indices.value": ("desde 0", "from 0"),
    "facts.source": ("Documento", "Document"),
    "index": ("índice", "index"),
    "statements.title": ("Las frases del documento", "The document's sentences"),
    "measured.any": ("normal con toda muestra", "ordinary at any size"),
    "measured.upto": ("normal si", "ordinary if"),
    "value": ("valor", "value"),
    "stage.queries": ("Consultas", "Queries"),
    "stage.keys": ("Claves", "Keys"),
    "stage.values": ("Valores", "Values"),
    "stage.scores": ("Puntajes", "Scores"),
    "stage.scaled": ("Puntajes escalados", "Scaled scores"),
    "stage.masked": ("Puntajes permitidos por la máscara", "Scores that the mask allows"),
    "stage.row_max": ("Máximo de cada fila", "Row maxima"),
    "stage.shifted": ("Puntajes menos el máximo", "Scores minus the maximum"),
    "stage.exponentials": ("Exponenciales", "Exponentials"),
    "stage.row_sums": ("Sumas de fila", "Row sums"),
    "stage.weights": ("Pesos de atención", "Attention weights"),
    "stage.mixed": ("Mezcla de cada cabeza", "Mixture of each head"),
    "stage.output": ("Salida", "Output"),
    "also": ("También impresos en este paso:", "Also printed in this step:"),
}

_TABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {lang: MappingProxyType({key: pair[at] for key, pair in _WORDS.items()}) for at, lang in enumerate(("es", "en"))}
)


def sheet_words(lang: str) -> Mapping[str, str]:
    """All of them in one language ("es" or "en")."""
    return _TABLES[lang]
