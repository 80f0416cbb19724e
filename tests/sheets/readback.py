"""Reads the LaTeX of a worksheet back and recomputes every row from nothing but what is printed on it.

Independent of the builder: it knows the macros' contract (render/latex.py) and arithmetic, in mpmath and fractions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

import mpmath

MP = mpmath.MPContext()
MP.dps = 80
MACROS = {"symline": 4, "symcont": 2, "symterm": 6, "symsum": 4}
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.", re.DOTALL)


@dataclass(frozen=True)
class Side:
    """A numeric side: its value (a Fraction when it is rational as written, else an mpf) and the most decimals it prints."""

    value: Fraction | mpmath.mpf
    places: int


class NotNumeric(Exception):
    """The side holds symbols."""


def groups(text: str, at: int, count: int) -> tuple[list[str], int]:
    """`count` brace groups from position `at`; an optional [student] group before them is skipped."""
    if text[at] == "[":
        at = text.index("]", at) + 1
    found = []
    for _ in range(count):
        assert text[at] == "{", text[at : at + 40]
        depth, start = 0, at + 1
        while True:
            if text[at] == "\\":
                at += 2
                continue
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
            if depth == 0:
                break
        found.append(text[start : at - 1])
    return found, at


def rows(tex: str) -> list[tuple[str, list[str]]]:
    """Every row macro of the document body with its arguments."""
    body = tex[tex.index(r"\begin{document}") :]
    found = []
    for line in body.splitlines():
        match = re.match(r"\\(symline|symcont|symterm|symsum)(?=[\[{])", line)
        if match:
            arguments, _ = groups(line, match.end(), MACROS[match[1]])
            found.append((match[1], arguments))
        elif line.startswith(r"\begin{symledger}"):
            found.append(("ledger", []))
    return found


def strip_boxes(text: str) -> str:
    """Results and terms without their boxes."""
    while match := re.search(r"\\(symresult|symtermbox)(?=\{)", text):
        count = 2 if match[1] == "symresult" else 1
        arguments, end = groups(text, match.end(), count)
        text = text[: match.start()] + arguments[0] + text[end:]
    return text


def sides(text: str) -> tuple[list[str], list[str]]:
    """A row split at its relation signs outside braces."""
    parts, signs, depth, current = [], [], 0, ""
    for token in TOKEN.findall(strip_boxes(text)):
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        if depth == 0 and token in ("=", r"\approx"):
            parts.append(current)
            signs.append("=" if token == "=" else "≈")
            current = ""
        else:
            current += token
    return [*parts, current], signs


def read(text: str) -> Side:
    """The value of a numeric side. Raises NotNumeric when a symbol stands in it."""
    tokens = [
        t
        for t in TOKEN.findall(text.replace(r"\ ", " ").replace("{}", ""))
        if not t.isspace() and t not in (r"\,", r"\;", r"\left", r"\right")
    ]
    if not tokens:
        raise NotNumeric
    reader = _Reader(tokens)
    value = reader.total()
    if reader.at != len(tokens):
        raise NotNumeric
    printed = re.findall(r"(\d+)(?:\.(\d+))?(?:\\times10\^\{(-?\d+)\})?", text.replace(" ", ""))
    places = max((len(decimals) - int(power or 0) for _, decimals, power in printed), default=0)
    return Side(value, places)


class _Reader:
    """Recursive descent over TeX tokens: sums, products (also by juxtaposition), quotients, powers of e and 10, roots, fractions."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise NotNumeric
        self.at += 1
        return token

    def total(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()
            other = self.product()
            value = add(value, other if sign == "+" else -other)
        return value

    def product(self):
        if self.peek() == "-":
            self.take()
            return -self.product()
        value = self.factor()
        while True:
            token = self.peek()
            if token in (r"\times", r"\cdot"):
                self.take()
                value = mul(value, self.factor())
            elif token == "/":
                self.take()
                value = div(value, self.factor())
            elif token == "(" or token in (r"\frac", r"\sqrt", "e"):
                value = mul(value, self.factor())
            else:
                return value

    def factor(self):
        token = self.peek()
        if token == "-":
            self.take()
            return -self.factor()
        if token and token[0].isdigit():
            self.take()
            value = Fraction(token)
            return self.raised(value)
        if token == "(":
            self.take()
            value = self.total()
            self.take(")")
            return self.raised(value)
        if token == "{":
            return self.braced()
        if token == "e":
            self.take()
            if self.peek() != "^":
                return MP.e
            self.take("^")
            return MP.exp(real(self.braced()))
        if token == r"\sqrt":
            self.take()
            return MP.sqrt(real(self.braced()))
        if token == r"\frac":
            self.take()
            above = self.braced()
            return div(above, self.braced())
        raise NotNumeric

    def raised(self, value):
        if self.peek() != "^":
            return value
        self.take()
        exponent = self.braced()
        if not isinstance(exponent, Fraction) or exponent.denominator != 1:
            raise NotNumeric
        return value ** int(exponent)

    def braced(self):
        if self.peek() != "{":
            token = self.take()
            if not token[0].isdigit():
                raise NotNumeric
            return Fraction(token)
        self.take("{")
        value = self.total()
        self.take("}")
        return value


def real(x):
    return MP.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def add(a, b):
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else real(a) + real(b)


def mul(a, b):
    return a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else real(a) * real(b)


def div(a, b):
    return a / b if isinstance(a, Fraction) and isinstance(b, Fraction) else real(a) / real(b)


def rounded(value, places: int) -> Fraction:
    """Half away from zero."""
    scaled = value * 10**places if isinstance(value, Fraction) else MP.mpf(value) * MP.mpf(10) ** places
    if isinstance(scaled, Fraction):
        whole = (abs(scaled) * 2 + 1) // 2
    else:
        whole = int(MP.floor(abs(scaled) + MP.mpf("0.5")))
    return Fraction(whole if scaled >= 0 else -whole) / Fraction(10) ** places


def holds(a: Side, sign: str, b: Side) -> bool:
    """`=`: equal. `≈`: a, evaluated as printed and rounded to the digits of b, is b."""
    if sign == "=":
        if isinstance(a.value, Fraction) and isinstance(b.value, Fraction):
            return a.value == b.value
        return abs(real(a.value) - real(b.value)) <= MP.mpf(10) ** -60 * (1 + abs(real(b.value)))
    if not isinstance(b.value, Fraction):
        return False
    return rounded(a.value, b.places) == b.value


@dataclass
class Reading:
    """What a document's rows said: how many were recomputed, which failed, how many relations had a symbol on one side."""

    checked: int = 0
    symbolic: int = 0
    failures: list[str] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.failures = []


def recompute(tex: str) -> Reading:
    """Every printed relation between numbers, recomputed."""
    reading = Reading()
    last: Side | None = None
    ledger: list[Side] = []
    pending = ""
    for macro, arguments in merged(rows(tex)):
        if macro == "ledger":
            ledger = []
            continue
        if macro == "symterm":
            _, product, relation, _, value, _ = arguments
            term = read(strip_boxes(value))
            ledger.append(term)
            if product.strip():
                check(reading, product, sign_of(relation), value)
            continue
        left, relation, right, _ = arguments
        if macro == "symsum":
            total = Side(sum((Fraction(t.value) for t in ledger), Fraction(0)), max(t.places for t in ledger))
            compare(reading, total, sign_of(relation), read(strip_boxes(right)), f"sum of the ledger {relation} {right}")
            continue
        text = f"{left} {relation} {right}" if relation else right
        parts, signs = sides(text)
        values: list[Side | None] = []
        for part in parts:
            try:
                values.append(read(part))
            except NotNumeric:
                values.append(None)
        if not left and relation:
            values[0] = last
        for a, sign, b in zip(values, signs, values[1:], strict=False):
            if a is None or b is None:
                reading.symbolic += 1
            else:
                compare(reading, a, sign, b, text)
        last = values[-1]
    del pending
    return reading


def merged(found: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Rows with their continuations joined."""
    result: list[tuple[str, list[str]]] = []
    for macro, arguments in found:
        if macro == "symcont":
            result[-1][1][2] += " " + arguments[0]
        else:
            result.append((macro, list(arguments)))
    return result


def sign_of(relation: str) -> str:
    return "≈" if "approx" in relation else "="


def check(reading: Reading, a: str, sign: str, b: str) -> None:
    compare(reading, read(strip_boxes(a)), sign, read(strip_boxes(b)), f"{a} {sign} {b}")


def compare(reading: Reading, a: Side, sign: str, b: Side, text: str) -> None:
    reading.checked += 1
    if not holds(a, sign, b):
        reading.failures.append(text)
