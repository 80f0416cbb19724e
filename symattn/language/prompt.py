"""One line of text to one program: what the command line and a quick look in Python use.

Promises: `compile_text` of any text gives a program with its exact feeds, or one `SymattnError` with a place. Does not promise: values;
hand `program` and `feeds` to a reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symattn.errors import LanguageError
from symattn.language.builder import AxisDecl, Builder
from symattn.language.constants import Nested
from symattn.language.names import is_identifier
from symattn.language.parser import check_name, parse, parse_definition, starts_definition
from symattn.language.tokens import Source, tokens
from symattn.program.program import Program

RESULT = "result"


@dataclass(frozen=True)
class Compiled:
    """A program, the exact values of what was written out, and the name of the stage that is the answer."""

    program: Program
    feeds: Mapping[str, Nested]
    output: str


def compile_text(
    text: str, shapes: Mapping[str, str | Sequence[str | int]] | None = None, values: Mapping[str, str] | None = None, path: str = ""
) -> Compiled:
    """The program of an expression. Definitions may come before it, each on its own line or ended by a semicolon:
    `s = [2, 5, 1]; softmax(s)`.

    `shapes` declares inputs without values: {"Q": "n,d_k", "b": ("d_k",), "M": (2, 2)}; `values` gives inputs as text of the language.
    Raises LanguageError, ShapeError."""
    builder = Builder()
    for name, shape in (shapes or {}).items():
        builder.give(name, _shape(shape))
    for name, value in (values or {}).items():
        builder.give_value(name, (), parse(value, path=name))
    *before, final = _statements(text, path)
    for part, line, column, whole in before:
        builder.add(parse_definition(part, path, line, column, whole))
    last, line, column, whole = final
    if starts_definition(last):
        definition = parse_definition(last, path, line, column, whole)
        builder.add(definition)
        output = definition.name
    else:
        node = parse(last, path, line, column, whole)
        output = RESULT
        while output in builder.names():
            output += "_"
        builder.define(output, node)
    return Compiled(builder.program(output), builder.feeds(), output)


def _shape(shape: str | Sequence[str | int]) -> list[AxisDecl]:
    parts: list[str | int] = [p.strip() for p in shape.split(",")] if isinstance(shape, str) else list(shape)
    if parts == [""]:
        return []
    found: list[AxisDecl] = []
    for part in parts:
        if isinstance(part, int) and not isinstance(part, bool):
            found.append(AxisDecl("", part))
        elif isinstance(part, str) and part.isascii() and part.isdigit() and len(part) < 10:
            found.append(AxisDecl("", int(part)))
        elif is_identifier(part):
            check_name(str(part))
            found.append(AxisDecl(str(part), str(part)))
        else:
            raise LanguageError(f"{str(part)[:60]!r} is not a size", next_move='write sizes as numbers or names: "n,d_k"')
    return found


def _statements(text: str, path: str) -> list[tuple[str, int, int, str]]:
    """The statements of a text with line, column and whole line of their beginning. They end at a semicolon, or at a line's end where
    the expression could end and the next line does not go on with a sign; brackets hold them together."""
    source = Source(text, path)
    cuts: list[tuple[int, int]] = []
    start: int | None = None
    depth, end = 0, 0
    closed = False
    for token in tokens(source):
        opens = token.kind in ("number", "name", "text") or token.text in ("(", "[")
        if token.kind == "end" or (depth <= 0 and (token.text == ";" or (closed and opens and "\n" in text[end : token.offset]))):
            if start is not None:
                cuts.append((start, end))
            start = None
            if token.kind == "end":
                break
        if token.text != ";" or token.kind != "sign" or depth > 0:
            start = token.offset if start is None else start
        depth += (token.text in ("(", "[")) - (token.text in (")", "]")) if token.kind == "sign" else 0
        end = token.offset + len(token.typed)
        closed = token.kind in ("number", "name", "text") or token.text in (")", "]")
    if not cuts:
        raise LanguageError("there is no expression", place=source.place(0), next_move="write one, for example softmax([2, 5, 1])")
    found: list[tuple[str, int, int, str]] = []
    for first, last in cuts:
        place = source.place(first)
        found.append((text[first:last], place.line, place.column, place.source_line))
    return found
