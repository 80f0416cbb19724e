"""From text to expressions, relations and definitions; nothing is ever run.

Promises: any text gives a node or one `LanguageError` with line, column and the next move. Does not promise: that names are known
(compile.py says).
"""

from __future__ import annotations

from symattn.errors import LanguageError, Place
from symattn.language.ast import SIGNS, AxisName, Definition, Node, Relation, children
from symattn.language.functions import FUNCTIONS
from symattn.language.grammar import Parser
from symattn.language.limits import MAX_DEPTH
from symattn.language.names import is_reserved
from symattn.language.tokens import Source


def parse(text: str, path: str = "", first_line: int = 1, first_column: int = 1, source_line: str = "") -> Node:
    """The expression in `text`. `first_line`, `first_column` and `source_line` say where it begins when it stands inside a
    longer text. Raises LanguageError."""
    parser = _Definitions(Source(text, path, first_line, first_column, source_line))
    node = parser.expression()
    parser.end()
    return bounded(node)


def parse_relation(text: str, path: str = "", first_line: int = 1, first_column: int = 1, source_line: str = "") -> Relation:
    """The comparison in `text`, chained or not: `0 < P[0] <= P[1]`. Raises LanguageError."""
    parser = _Definitions(Source(text, path, first_line, first_column, source_line))
    place = parser.place()
    operands, signs = [parser.expression()], []
    while parser.peek().kind == "sign" and parser.peek().text in SIGNS:
        signs.append(parser.next().text)
        operands.append(parser.expression())
    if not signs:
        parser.end("write one of == != < <= > >= between two expressions")
        raise LanguageError("this compares nothing", place=place, next_move="write one of == != < <= > >= between two expressions")
    parser.end()
    return Relation(tuple(bounded(o) for o in operands), tuple(signs), place=place)


def parse_definition(text: str, path: str = "", first_line: int = 1, first_column: int = 1, source_line: str = "") -> Definition:
    """`name = expression`, `name(axis, axis) = literal` or `name(axis, axis)`. Raises LanguageError."""
    parser = _Definitions(Source(text, path, first_line, first_column, source_line))
    return parser.definition()


def starts_definition(text: str) -> bool:
    """Does `text` begin like a definition, `name =` or `name(…) =`? Raises LanguageError for text that has no tokens."""
    parser = _Definitions(Source(text))
    if parser.peek().kind != "name":
        return False
    parser.next()
    if parser.is_sign("("):
        while not parser.is_sign(")") and parser.peek().kind != "end":
            parser.next()
        parser.next()
    return parser.is_sign("=")


def check_name(name: str, place: Place | None = None) -> None:
    """Raises LanguageError when `name` may not be given to a value: Python's words and the functions of the language."""
    if is_reserved(name):
        raise LanguageError(f'"{name}" is a word of Python and cannot be a name', place=place, next_move=f"write {name}_ or another name")
    if name in FUNCTIONS:
        raise LanguageError(
            f'"{name}" is a function of the language and cannot be a name', place=place, next_move=f"write {name}_ or another name"
        )


def bounded(node: Node) -> Node:
    """The same node, when no more than MAX_DEPTH operations lie inside one another. Raises LanguageError."""
    waiting = [(node, 1)]
    while waiting:
        current, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise LanguageError(
                f"more than {MAX_DEPTH} operations hang on one another here",
                place=current.place,
                next_move="give parts of the expression names of their own, or use sum(…) or @",
            )
        waiting.extend((child, depth + 1) for child in children(current))
    return node


class _Definitions(Parser):
    """The grammar with definitions."""

    def definition(self) -> Definition:
        token = self.peek()
        if token.kind != "name":
            raise self.fail("a definition begins with a name", "write name = expression")
        self.next()
        place = self.place(token)
        check_name(token.text, place)
        axes: list[AxisName] = []
        declared = self.is_sign("(")
        if declared:
            self.open(self.next())
            while not (self.is_sign(")") and not axes):
                axes.append(self.axis())
                if not self.is_sign(","):
                    break
                self.next()
            self.close("axes are names separated by commas")
        value: Node | None = None
        if self.is_sign("="):
            self.next()
            value = bounded(self.expression())
        elif not declared or self.peek().kind != "end":
            raise self.fail(f'the definition of "{token.text}" has no = here', "write name = expression")
        self.end()
        return Definition(token.text, tuple(axes), value, declared, place=place)

    def axis(self) -> AxisName:
        token = self.peek()
        place = self.place(token)
        if token.kind == "number":
            return AxisName("", self.size(), place=place)
        if token.kind != "name":
            raise self.unexpected("axes are names separated by commas")
        self.next()
        check_name(token.text, place)
        if not self.is_sign("="):
            return AxisName(token.text, 0, place=place)
        self.next()
        return AxisName(token.text, self.size(), place=place)

    def size(self) -> int:
        token = self.peek()
        if token.kind != "number":
            raise self.fail("a size is missing here", "write a positive whole number: token=3")
        self.next()
        if not token.text.isdigit() or not 1 <= token.value <= 10**9:
            raise self.fail(f"{token.text[:30]} is not a size", "a size is a positive whole number", token)
        return int(token.value)
