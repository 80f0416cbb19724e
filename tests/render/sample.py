"""A page that uses every node, in the manner of the real worksheets, for the tests of every renderer.

Promises: every class of page.nodes.NODES and of page.math occurs, every verdict and status, masks and a fully masked row,
every student mode, in Spanish and English. Does not promise that each number is right: nothing here is judged.
"""

from __future__ import annotations

import math

from symattn.page.math import EMPTY, Big, Box, Fence, Fraction, Grid, Math, Name, Number, Root, Row, Script, Sign, Words
from symattn.page.nodes import (
    Answer,
    AnswerKey,
    Bullets,
    Cell,
    Chain,
    Code,
    Curve,
    Emph,
    Errata,
    Erratum,
    Facts,
    Figure,
    Formula,
    HeatMap,
    Inline,
    Key,
    Ledger,
    Line,
    Margin,
    Mark,
    Matrices,
    Page,
    Panel,
    Paragraph,
    Proof,
    ProofKey,
    ProofLine,
    ProofStage,
    Scale,
    Section,
    Statement,
    Statements,
    Step,
    Strong,
    Table,
    Term,
    Text,
    Theorem,
    Threshold,
)
from symattn.page.words import MARKS

TOKENS = ("el", "perro", "come")
VERDICTS = ("exact", "rounded", "truncated", "from-rounded", "off-by", "wrong", "undecided")


# -- small builders ---------------------------------------------------------------------------------------------------
def row(*items: Math) -> Row:
    return Row(items)


def num(text: str) -> Number:
    return Number(text)


def factor(text: str) -> Fence:
    return Fence(Number(text))


def sub(name: str, *indices: str, accent: str = "") -> Script:
    """A letter with indices: words upright, letters italic, digits as numbers."""
    parts: list[Math] = []
    for index in indices:
        if parts:
            parts.append(Sign(","))
        parts.append(Number(index) if index.isdigit() else Name(index, upright=len(index) > 1))
    return Script(Name(name, accent=accent), Row(tuple(parts)))


def e_to(exponent: Math) -> Script:
    return Script(Name("e"), EMPTY, exponent)


def plus(*items: Math) -> Row:
    out: list[Math] = []
    for item in items:
        out += [Sign("+"), item] if out else [item]
    return Row(tuple(out))


def products(*pairs: tuple[str, str]) -> Row:
    return plus(*(Row((factor(a), factor(b))) for a, b in pairs))


def terms(*texts: str) -> Row:
    return plus(*(Box(Fence(Number(t)) if t.startswith("-") else Number(t), kind="term") for t in texts))


def box(text: str, label: str) -> Box:
    return Box(Number(text), label=label, id=f"box-{label}")


def grid(text: str, labels: tuple[str, ...] = ()) -> Grid:
    return Grid(tuple(tuple(Number(cell) for cell in line.split()) for line in text.split(";")), labels)


def derivation(lang: str) -> Section:
    """A proof with every mark."""
    es = lang == "es"
    p_i = sub("P", "i", "j")
    total = Big("sum", Name("j"), EMPTY, p_i)
    kinds = tuple(MARKS)
    reason = (Text("líneas 2 y 3; " if es else "lines 2 and 3; "), Formula(row(Name("Z"), Sign(">"), num("0"))))
    lines = tuple(
        ProofLine(str(at + 1), total if at in (0, 3) else EMPTY, "≤" if at == 5 else "=", Fraction(p_i, sub("Z", "i")), mark)
        for at, mark in enumerate(Mark(kind, "Definición" if es else "Definition", reason if at else ()) for at, kind in enumerate(kinds))
    )
    words = ProofLine("", EMPTY, "", Words("que es el enunciado" if es else "which is the statement"))
    theorem = Theorem(
        "Teorema." if es else "Theorem.",
        (
            Paragraph((Text("Sea " if es else "Let "), Formula(row(Name("S"), Sign("∈"), Name("ℝ"))), Text("."))),
            Chain((Line(total, "=", num("1")),)),
            Paragraph((Text("para toda fila." if es else "for every row."),)),
        ),
    )
    proof = Proof(
        (
            ProofStage("A", (Text("De los pesos " if es else "From the weights "), Formula(Name("P", accent="dot"))), lines[:4]),
            ProofStage("", (), (*lines[4:], words), (Text("El resto." if es else "The rest."),)),
        ),
        Mark("rejected", "Teorema" if es else "Theorem", (Text("la más débil" if es else "the weakest"),)),
        (Text("Fin." if es else "The end."),),
    )
    return Section("Derivación" if es else "Derivation", "Filas" if es else "Rows", (theorem, proof, ProofKey(kinds)))


def plot(lang: str) -> Figure:
    """Two panels with every style of curve, both kinds of threshold, a logarithmic axis and a curve that leaves its axes."""
    es = lang == "es"
    letter = (Formula(Name("t")),)
    linear = Scale(letter, 0.0, 20.0, tuple((float(x), (Text(str(x)),)) for x in (0, 10, 20)))
    power = (Text("1"),), (Formula(row(Script(num("10"), EMPTY, num("-4")))),)
    log = Scale((), 1e-8, 1.0, ((1.0, power[0]), (1e-4, power[1])), log=True)
    curves = tuple(
        Curve(tuple((float(x), math.exp(-x * k)) for x in range(25)), style, (Formula(sub("n", str(k))),), (4.0 * k, 0.5), anchor)
        for k, (style, anchor) in enumerate(
            zip(("solid", "long", "dotted", "dots"), ("west", "east", "south", "north east"), strict=True), 1
        )
    )
    marks = (
        Threshold("x", 17.25, (Text("desde aquí cero" if es else "zero from here"),), 0.7, "east"),
        Threshold("y", 1e-6, (Text("límite" if es else "limit"),), 2.0, "south west"),
    )
    first = Panel((Text("Peso" if es else "Weight"),), linear, Scale((), 0.0, 1.0, ((0.0, (Text("0"),)), (1.0, (Text("1"),)))), curves[:3])
    second = Panel((Text("Pendiente" if es else "Slope"),), linear, log, curves, marks)
    return Figure((first, second), (Text("Curvas de una sola tinta." if es else "Curves of one ink."),), 2)


# -- the page ---------------------------------------------------------------------------------------------------------
def sample_page(lang: str = "es") -> Page:
    es = lang == "es"

    def say(spanish: str, english: str) -> str:
        return spanish if es else english

    def t(spanish: str, english: str) -> Text:
        return Text(say(spanish, english))

    def p(*items: Inline) -> Paragraph:
        return Paragraph(items)

    givens = Step(
        "",
        (t("Datos", "Givens"),),
        (
            p(
                t("Las filas de ", "The rows of "),
                Formula(Name("X")),
                t(
                    " son los vectores de entrada; las matrices de pesos son las del original.",
                    " are the input vectors; the weight matrices are the document's.",
                ),
            ),
            Matrices(((Name("X"), grid("0.21 0.45 0.08 1.43; 0.50 1.15 0.78 0.88; 1.36 -0.64 -0.28 1.91", TOKENS)),)),
            Matrices(
                (
                    (sub("W", "Q"), grid("0.3 -0.1 0.4 0.2; 0.1 0.5 -0.2 0.3; -0.2 0.1 0.6 -0.1; 0.4 0.2 0.1 0.5")),
                    (sub("W", "K"), grid("0.2 0.4 -0.1 0.3; -0.3 0.2 0.5 0.1; 0.1 -0.2 0.3 0.4; 0.5 0.1 0.2 -0.2")),
                    (sub("W", "V"), grid("0.4 0.1 0.3 -0.2; 0.2 0.3 -0.1 0.4; -0.1 0.5 0.2 0.1; 0.3 -0.2 0.4 0.5")),
                ),
                wide=True,
            ),
        ),
        id="givens",
        has_margin=False,
    )
    exact_terms = Margin(say("4 términos", "4 terms"), "exact", plural=True)
    query = Step(
        "1",
        (t("La consulta de ", "The query of "), Emph("perro")),
        (
            p(
                t(
                    "Cada componente de la consulta es el producto punto de la fila ",
                    "Each component of the query is the dot product of row ",
                ),
                Emph("perro"),
                t(" de ", " of "),
                Formula(Name("X")),
                t(" con una columna de ", " with a column of "),
                Formula(sub("W", "Q")),
                Text("."),
            ),
            Chain(
                (
                    Line(
                        sub("q", "perro", "j"),
                        "=",
                        row(
                            Big(
                                "sum",
                                row(Name("i"), Sign("="), num("0")),
                                num("3"),
                                row(sub("x", "perro", "i"), Script(Fence(sub("W", "Q")), row(Name("i"), Name("j")))),
                            ),
                            Words("    "),
                            row(Name("j"), Sign("="), num("0"), Sign(","), num("1"), Sign(","), num("2"), Sign(","), num("3")),
                        ),
                    ),
                ),
                symbolic=True,
            ),
            Chain(
                (
                    Line(sub("q", "perro", "0"), "=", products(("0.50", "0.3"), ("1.15", "0.1"), ("0.78", "-0.2"), ("0.88", "0.4"))),
                    Line(EMPTY, "=", terms("0.150", "0.115", "-0.156", "0.352"), (exact_terms,)),
                    Line(EMPTY, "=", box("0.461", "1a"), (Margin("+0.461", "exact", claim="c1"),)),
                    Line(
                        sub("q", "perro", "1"),
                        "=",
                        products(("0.50", "-0.1"), ("1.15", "0.5"), ("0.78", "0.1"), ("0.88", "0.2")),
                        space_above=True,
                    ),
                    Line(EMPTY, "=", terms("-0.050", "0.575", "0.078", "0.176"), (exact_terms,), student="dashed"),
                    Line(EMPTY, "=", box("0.779", "1b"), (Margin("+0.779", "exact"),)),
                    Line(
                        sub("q", "perro", "2"),
                        "=",
                        products(("0.50", "0.4"), ("1.15", "-0.2"), ("0.78", "0.6"), ("0.88", "0.1")),
                        student="hide",
                        space_above=True,
                    ),
                    Line(EMPTY, "=", terms("0.200", "-0.230", "0.468", "0.088"), (exact_terms,), student="hide"),
                    Line(sub("q", "perro", "2"), "=", box("0.526", "1c"), (Margin("+0.526", "exact"),)),
                )
            ),
        ),
        id="step-1",
    )
    scores = Step(
        "2",
        (t("El puntaje de ", "The score of "), Emph("perro"), t(" hacia cada token", " towards each token")),
        (
            p(
                t(
                    "El puntaje es el producto punto de la consulta de quien mira con la clave de quien es mirado.",
                    "The score is the dot product of the query of the one who looks with the key of the one looked at.",
                )
            ),
            Chain(
                (
                    Line(
                        sub("s", "perro", "come"),
                        "=",
                        Big("sum", row(Name("c"), Sign("="), num("0")), num("3"), row(sub("q", "perro", "c"), sub("k", "come", "c"))),
                    ),
                ),
                symbolic=True,
            ),
            Ledger(
                (
                    Term(row(factor("0.461"), factor("1.391")), "=", "0.641251", (Margin("+0.641", "rounded"),)),
                    Term(row(factor("0.779"), factor("0.663")), "=", "0.516477", (Margin("+0.517", "off-by", off=1, right="0.516"),)),
                    Term(row(factor("0.526"), factor("-0.158")), "=", "(-0.083108)", (Margin("-0.083", "rounded"),)),
                    Term(row(factor("0.807"), factor("-0.150")), "=", "(-0.121050)", (Margin("-0.121", "rounded"),)),
                ),
                Line(sub("s", "perro", "come"), "=", box("0.953570", "2a"), (Margin("+0.954", "rounded"),)),
                student="dashed",
            ),
            p(t("Del mismo modo, con las otras dos claves:", "In the same way, with the other two keys:")),
            Chain(
                (
                    Line(sub("s", "perro", "el"), "=", box("0.677451", "2b"), (Margin("+0.677", "rounded"),)),
                    Line(sub("s", "perro", "perro"), "=", box("1.223268", "2c"), (Margin("+1.223", "rounded"),)),
                )
            ),
        ),
        id="step-2",
    )
    d_k = Root(sub("d", "k"))
    scaled = Step(
        "3",
        (t("Escalar por ", "Scale by "), Formula(d_k)),
        (
            Chain(
                (
                    Line(
                        sub("s", "perro", "j", accent="tilde"),
                        "=",
                        row(Fraction(sub("s", "perro", "j"), d_k), Sign("="), Fraction(sub("s", "perro", "j"), Root(num("4")))),
                    ),
                ),
                symbolic=True,
            ),
            Chain(
                (
                    Line(
                        sub("s", "perro", "el", accent="tilde"),
                        "=",
                        row(num("0.677451"), Sign("/"), num("2"), Sign("="), box("0.3387255", "3a")),
                        (Margin("+0.339", "rounded"),),
                    ),
                    Line(
                        sub("s", "perro", "perro", accent="tilde"),
                        "=",
                        row(num("1.223268"), Sign("/"), num("2"), Sign("="), box("0.6116340", "3b")),
                        (Margin("+0.611", "truncated", right="0.612"),),
                    ),
                    Line(
                        sub("s", "perro", "come", accent="tilde"),
                        "=",
                        row(num("0.953570"), Sign("/"), num("2"), Sign("="), box("0.4767850", "3c")),
                        (Margin("+0.477", "rounded"),),
                    ),
                )
            ),
        ),
        id="step-3",
    )
    softmax = Step(
        "4",
        (t("Softmax de la fila", "Softmax of the row"),),
        (
            p(
                t("Primero las exponenciales y su suma ", "First the exponentials and their sum "),
                Formula(Name("Z")),
                t("; después, cada exponencial dividida por ", "; then each exponential divided by "),
                Formula(Name("Z")),
                Text("."),
            ),
            Chain(
                (
                    Line(
                        sub("P", "perro", "j"),
                        "=",
                        row(
                            Fraction(e_to(sub("s", "perro", "j", accent="tilde")), Name("Z")),
                            Words("    "),
                            Name("Z"),
                            Sign("="),
                            Big("sum", Name("l"), EMPTY, e_to(sub("s", "perro", "l", accent="tilde"))),
                        ),
                    ),
                ),
                symbolic=True,
            ),
            Chain(
                (
                    Line(
                        e_to(num("0.3387255")),
                        "≈",
                        box("1.403158", "4a"),
                        (
                            Margin(
                                "1.404",
                                "from-rounded",
                                because=row(e_to(num("0.339")), Sign("≈"), num("1.4035")),
                            ),
                        ),
                    ),
                    Line(
                        e_to(num("0.6116340")),
                        "≈",
                        box("1.843441", "4b"),
                        (Margin("1.842", "from-rounded", right="1.843", because=row(e_to(num("0.611")), Sign("≈"), num("1.8423"))),),
                    ),
                    Line(e_to(num("0.4767850")), "≈", box("1.610887", "4c"), (Margin("1.611", "rounded"),)),
                    Line(Name("Z"), "≈", box("4.857486", "4d"), (Margin("4.857", "rounded"),)),
                    Line(
                        sub("P", "perro", "el"),
                        "=",
                        row(e_to(num("0.3387255")), Sign("/"), Name("Z"), Sign("≈"), box("0.288865", "4e")),
                        (Margin("0.289", "rounded"), Margin("28.9%", "rounded")),
                        space_above=True,
                    ),
                    Line(
                        sub("P", "perro", "perro"),
                        "=",
                        row(e_to(num("0.6116340")), Sign("/"), Name("Z"), Sign("≈"), box("0.379505", "4f")),
                        (Margin("0.379", "from-rounded", right="0.380"),),
                    ),
                    Line(
                        sub("P", "perro", "come"),
                        "=",
                        row(e_to(num("0.4767850")), Sign("/"), Name("Z"), Sign("≈"), box("0.331630", "4g")),
                        (Margin("0.332", "rounded"),),
                    ),
                )
            ),
            HeatMap(
                (("0.284", "0.340", "0.376"), ("0.289", "0.380", "0.332"), ("0.289", "0.362", "0.349")),
                TOKENS,
                TOKENS,
                (
                    t(
                        "Pesos de atención, con la escala fija de 0 a 1. La fila seguida va enmarcada.",
                        "Attention weights on the fixed scale from 0 to 1. The row we follow is framed.",
                    ),
                ),
                framed=1,
                number=1,
            ),
        ),
        id="step-4",
    )
    unscaled = Step(
        "5",
        (t("¿Y sin escalar?", "And without scaling?"),),
        (
            p(
                t(
                    "El mismo softmax sobre los puntajes sin dividir. La terna impresa no corresponde a estos puntajes y ",
                    "The same softmax on the undivided scores. The printed triple does not belong to these scores and ",
                ),
                Strong(say("cambia el orden", "changes the order")),
                t(": pone a ", ": it puts "),
                Emph("come"),
                t(" por delante de ", " before "),
                Emph("perro"),
                Text("."),
            ),
            Chain(
                (
                    Line(
                        row(e_to(num("0.677451")), Sign("/"), Name("Z'")),
                        "≈",
                        box("0.247279", "5a"),
                        (Margin("0.222", "wrong", right="0.247"),),
                    ),
                    Line(
                        row(e_to(num("1.223268")), Sign("/"), Name("Z'")),
                        "≈",
                        box("0.426807", "5b"),
                        (Margin("0.382", "wrong", right="0.427"),),
                    ),
                    Line(
                        row(e_to(num("0.953570")), Sign("/"), Name("Z'")),
                        "≈",
                        box("0.325914", "5c"),
                        (
                            Margin("0.396", "wrong", right="0.326", changes_order=True),
                            Margin("come > perro > el", "wrong", changes_order=True),
                            Margin("±0.12…", "undecided"),
                        ),
                    ),
                )
            ),
            Bullets(
                (
                    (
                        t("Con máscara, la entrada no existe: ", "With a mask the entry does not exist: "),
                        Code('masked_row="error"'),
                        Text("."),
                    ),
                    (
                        t("Sin máscara, ", "Without a mask, "),
                        Formula(
                            row(
                                Big("sum", Name("j"), EMPTY, sub("P", "i", "j")),
                                Sign("="),
                                num("1"),
                                Sign(","),
                                Fence(Name("x"), "‖‖"),
                                Sign("≥"),
                                Fence(row(Name("x"), Sign(","), Name("y")), "⟨⟩"),
                            )
                        ),
                        Text("."),
                    ),
                )
            ),
            HeatMap(
                (("1.000", "", ""), ("0.300", "0.700", ""), ("", "", "")),
                TOKENS,
                TOKENS,
                (t("Máscara causal con una fila vacía.", "Causal mask with an empty row."),),
                number=2,
            ),
        ),
        id="step-5",
    )
    zero_to_three = tuple((Text(str(c)),) for c in range(4))
    after = Step(
        "",
        (t("Antes y después", "Before and after"),),
        (
            Table(
                ((t("componente", "component"),), *zero_to_three),
                (
                    (
                        Cell((Formula(Script(Name("x"), Name("perro", upright=True))),)),
                        *(Cell(number=n) for n in ("0.500000", "1.150000", "0.780000", "0.880000")),
                    ),
                    (
                        Cell((Formula(Script(Name("O"), Name("perro", upright=True))),)),
                        Cell(number="0.742917", label="6a", margin=Margin("0.743", "rounded")),
                        Cell(number="0.013439", label="6b", margin=Margin("0.013", "rounded")),
                        Cell(number="0.772447", label="6c", margin=Margin("0.773", "from-rounded", right="0.772"), strong=True),
                        Cell(number="0.714239", label="6d"),
                    ),
                ),
                "lrrrr",
                (t("La salida frente a la entrada.", "The output beside the input."),),
            ),
            Table(
                ((t("divisor", "divisor"),), (t("qué hace", "what it does"),), (t("mayor peso", "largest weight"),)),
                (
                    (
                        Cell((Formula(num("1")),)),
                        Cell((t("nada: los puntajes crudos", "nothing: the raw scores"),)),
                        Cell(number="0.426807"),
                    ),
                    (
                        Cell((Formula(d_k),)),
                        Cell(
                            (
                                t(
                                    "la varianza vuelve a 1 si las componentes son independientes",
                                    "the variance is 1 again if the components are independent",
                                ),
                            )
                        ),
                        Cell(number="0.379505"),
                    ),
                    (Cell((Formula(sub("d", "k")),)), Cell((t("demasiado plano", "too flat"),)), Cell(number="0.356241")),
                ),
                "llr",
                (t("Tres divisores.", "Three divisors."),),
                groups=(2,),
                wide=True,
            ),
        ),
        id="after",
        has_margin=False,
    )
    errata = Section(
        say("Al final", "At the end"),
        say("Fe de erratas", "Errata"),
        (
            Errata(
                (
                    t(
                        "De los 350 números impresos, 316 son el valor exacto o su redondeo. Los demás se reúnen aquí por su causa; las "
                        "repeticiones de un mismo número van en la misma fila.",
                        "Of the 350 printed numbers, 316 are the exact value or its rounding. The others are gathered here by cause; "
                        "repetitions of one number share a row.",
                    ),
                ),
                (("exact", 213), ("rounded", 103), ("truncated", 7), ("from-rounded", 20), ("off-by", 1), ("wrong", 6)),
                (
                    Erratum(
                        "5",
                        (
                            ("0.222", "0.247", Margin("0.222", "wrong", right="0.247")),
                            ("0.382", "0.427", Margin("0.382", "wrong", right="0.427")),
                            ("0.396", "0.326", Margin("0.396", "wrong", right="0.326", changes_order=True)),
                        ),
                        (
                            t("La terna es el softmax de ", "The triple is the softmax of "),
                            Formula(Fence(row(num("0.677"), Sign(","), num("1.223"), Sign(","), num("1.258")), "[]")),
                            t(
                                ": un puntaje de otra versión del ejemplo; el resto del documento usa 0.954. ",
                                ": a score from another version of the example; the rest of the document uses 0.954. ",
                            ),
                            Strong(say("Cambia el orden", "It changes the order")),
                            Text(": "),
                            Emph("come"),
                            t(" pasaría por delante de ", " would come before "),
                            Emph("perro"),
                            t(". Los tres porcentajes heredan el error.", ". The three percentages inherit the error."),
                        ),
                    ),
                    Erratum(
                        "2",
                        (("+0.517", "+0.516", Margin("+0.517", "off-by", off=1, right="0.516")),),
                        (
                            Formula(row(factor("0.779"), factor("0.663"), Sign("="), num("0.516477"))),
                            t(
                                " y ambos factores son exactos. Con 0.516, los cuatro términos impresos sumarían 0.953 y no 0.954.",
                                " and both factors are exact. With 0.516 the four printed terms would add up to 0.953, not 0.954.",
                            ),
                        ),
                    ),
                    Erratum(
                        "3",
                        (("+0.611", "+0.612", Margin("+0.611", "truncated", right="0.612")),),
                        (
                            t(
                                "1.223/2 = 0.6115: el original corta aquí, pero redondea 0.3385 a 0.339. El número aparece seis veces.",
                                "1.223/2 = 0.6115: the original cuts here but rounds 0.3385 to 0.339. The number occurs six times.",
                            ),
                        ),
                    ),
                    Erratum(
                        "4",
                        (
                            ("1.404", "1.403", Margin("1.404", "from-rounded", right="1.403")),
                            ("1.842", "1.843", Margin("1.842", "from-rounded", right="1.843")),
                            ("0.379", "0.380", Margin("0.379", "from-rounded", right="0.380")),
                        ),
                        (
                            t(
                                "Exponenciales de 0.339 y de 0.611, que ya venían redondeado y truncado, y el cociente que sale de ellas.",
                                "Exponentials of 0.339 and of 0.611, already rounded and cut, and the quotient that comes from them.",
                            ),
                        ),
                    ),
                ),
            ),
        ),
        id="errata",
    )
    statements = Section(
        say("Al final", "At the end"),
        say("Las frases del documento", "The document's sentences"),
        (
            Statements(
                (
                    Statement(
                        98,
                        "no es ni el más chico ni el más grande",
                        "holds",
                        (
                            t(
                                "La mezcla queda estrictamente entre el menor y el mayor.",
                                "The mix lies strictly between least and greatest.",
                            ),
                        ),
                        row(num("10"), Sign("<"), num("19.39"), Sign("<"), num("30")),
                        "6",
                    ),
                    Statement(
                        66,
                        "su mejor match es consigo mismo (+1.223)",
                        "imprecise",
                        (t("Es el mayor de su fila, no de toda la matriz.", "It is the greatest of its row, not of the whole matrix."),),
                        EMPTY,
                        "2",
                    ),
                    Statement(
                        87,
                        "0.222, 0.382, 0.396 → «come» gana",
                        "false",
                        (
                            t("Con estos puntajes el mayor peso es el de ", "With these scores the largest weight is that of "),
                            Emph("perro"),
                            Text("."),
                        ),
                        row(num("0.426807"), Sign(">"), num("0.325914")),
                        "5",
                    ),
                    Statement(
                        4,
                        "Sin atención, cada token está aislado ✅",
                        "not-mathematics",
                        (t("Una imagen, no una afirmación sobre números.", "An image, not a claim about numbers."),),
                    ),
                )
            ),
        ),
        id="statements",
    )
    answers = AnswerKey(
        (
            (
                "1",
                (
                    Answer("1a", sub("q", "perro", "0"), "0.461", Margin("+0.461", "exact")),
                    Answer("1b", sub("q", "perro", "1"), "0.779", Margin("+0.779", "exact")),
                    Answer("1c", sub("q", "perro", "2"), "0.526", Margin("+0.526", "exact")),
                ),
            ),
            (
                "2",
                (
                    Answer("2a", sub("s", "perro", "come"), "0.953570", Margin("+0.954", "rounded")),
                    Answer("2b", sub("s", "perro", "el"), "0.677451", Margin("+0.677", "rounded")),
                    Answer("2c", sub("s", "perro", "perro"), "1.223268"),
                ),
            ),
            (
                "5",
                (
                    Answer("5a", row(e_to(num("0.677451")), Sign("/"), Name("Z'")), "0.247279", Margin("0.222", "wrong", right="0.247")),
                    Answer(
                        "5c",
                        row(e_to(num("0.953570")), Sign("/"), Name("Z'")),
                        "0.325914",
                        Margin("0.396", "wrong", right="0.326", changes_order=True),
                    ),
                ),
            ),
        )
    )
    return Page(
        lang,
        say("Hoja de trabajo   Atención paso a paso", "Worksheet   Attention step by step"),
        say("El perro come", "The dog eats"),
        say(
            "Self-attention de tres tokens, a mano y sin redondear hasta el final",
            "Self-attention of three tokens, by hand, nothing rounded before the end",
        ),
        (
            t("Seguimos al token ", "We follow the token "),
            Emph("perro"),
            t(
                " por una cabeza de atención: su consulta, sus puntajes, sus pesos y su salida. Cada resultado se calcula de forma exacta "
                "y se compara, en el margen, con el número que imprime el documento original.",
                " through one attention head: its query, its scores, its weights and its output. Each result is computed exactly "
                "and compared, in the margin, with the number that the original document prints.",
            ),
        ),
        (
            Facts(
                (
                    ("Tokens", (t("3: el, perro, come", "3: el, perro, come"),)),
                    (
                        say("Dimensiones", "Dimensions"),
                        (Formula(row(Name("d"), Sign("="), sub("d", "k"), Sign("="), sub("d", "v"), Sign("="), num("4"))),),
                    ),
                    (say("Índices", "Indices"), (t("desde 0, como el original", "from 0, as the original"),)),
                    (say("Máscara", "Mask"), (t("ninguna", "none"),)),
                )
            ),
            Key(VERDICTS),
            givens,
            query,
            scores,
            scaled,
            softmax,
            unscaled,
            after,
            answers,
            errata,
            statements,
            derivation(lang),
            plot(lang),
        ),
        say(
            "symattn · reproduce los números del documento original, con su orden y sus índices",
            "symattn · reproduces the numbers of the original document, with its order and its indices",
        ),
        say("El perro come", "The dog eats"),
        "1",
        (
            t("Seguimos al token ", "We follow the token "),
            Emph("perro"),
            t(
                " por una cabeza de atención: su consulta, sus puntajes, sus pesos y su salida. Cada resultado se calcula de forma exacta. "
                "Complete las casillas; la clave está al final.",
                " through one attention head: its query, its scores, its weights and its output. Each result is computed exactly. "
                "Fill in the boxes; the key is at the end.",
            ),
        ),
    )
