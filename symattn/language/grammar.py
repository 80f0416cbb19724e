"""The grammar of expressions: precedence climbing by hand over the tokens of one text.

Precedence, loosest first: + -; * / @; sign; ** (to the right); .T [ ] ( ). Promises: nesting and chains are bounded, so that no text makes
Python run out of stack. Does not promise: that names are known (compile.py says).
"""

from __future__ import annotations

from symattn.errors import LanguageError
from symattn.language.ast import (
    Array,
    At,
    Call,
    Every,
    Index,
    IndexItem,
    Keyword,
    Label,
    Name,
    Node,
    Number,
    Operation,
    Sign,
    Text,
    Transpose,
)
from symattn.language.functions import ANY, FUNCTIONS, Function
from symattn.language.limits import MAX_DEPTH, MAX_ENTRIES, MAX_NESTING
from symattn.language.names import is_reserved, suggestion
from symattn.language.reader import POINT, Reader
from symattn.language.tokens import Source, Token

SUM, PRODUCT, SIGN, POWER = 1, 2, 3, 4
ELSEWHERE = {"ln": "log", "average": "mean", "avg": "mean", "logistic": "sigmoid", "expit": "sigmoid"}  # names other places use
LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "@": PRODUCT, "**": POWER}


class Parser(Reader):
    """Reads expressions; `expression` is the way in."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._depth = 0
        self._entries = 0

    # -- expressions --------------------------------------------------------------------------------------------------
    def expression(self, level: int = 0) -> Node:
        """Operations that bind more tightly than `level`."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self.fail(f"more than {MAX_NESTING} operations hang on one another here", "give the inner part a name of its own")
        left = self.operand()
        chain = 0
        while True:
            token = self.peek()
            own = LEVELS.get(token.text, 0) if token.kind == "sign" else 0
            if own == 0 or own <= level:
                self._depth -= 1
                return left
            chain += 1
            if chain > MAX_DEPTH:
                raise self.fail(
                    f"more than {MAX_DEPTH} operations hang on one another here", "give parts of the expression names of their own"
                )
            self.next()
            # a ** b ** c groups to the right; the others to the left.
            right = self.expression(own - 1 if token.text == "**" else own)
            typed = token.typed if token.typed != token.text else ""
            left = Operation(token.text, left, right, typed, place=self.place(token))

    def operand(self) -> Node:
        """A value with its signs in front."""
        token = self.peek()
        if token.kind == "sign" and token.text in ("+", "-"):
            signs = []
            while self.peek().kind == "sign" and self.peek().text in ("+", "-"):
                signs.append(self.next())
                if len(signs) > MAX_DEPTH:
                    raise self.fail(f"more than {MAX_DEPTH} signs stand in a row", "write one sign")
            node = self.expression(SIGN)
            for sign in reversed(signs):
                node = Sign(sign.text, node, place=self.place(sign))
            return node
        return self.postfix(self.atom())

    def atom(self) -> Node:
        """A number, a name, a call, or what stands in brackets."""
        token = self.peek()
        match token.kind:
            case "number":
                self.next()
                return Number(token.value, token.text, place=self.place(token))
            case "name":
                return self.name()
            case "sign" if token.text == "(":
                self.open(self.next())
                node = self.expression()
                if self.is_sign(","):
                    raise self.fail("parentheses hold one expression", self.decimal_comma() or "a vector is written in brackets: [2, 5]")
                self.close()
                return node
            case "sign" if token.text == "[":
                return self.array()
            case _:
                raise self.unexpected()

    def name(self) -> Node:
        """A name, dotted or not, or a call."""
        token = self.next()
        if is_reserved(token.text):
            raise self.beside(token)
        if self.peek().kind == "text" and not self.peek().spaced:
            raise self.fail("text in quotes cannot stand here", 'quotes hold only a keyword\'s word, as in mask="causal"', token)
        if self.is_sign("("):
            return self.call(token)
        if token.text in FUNCTIONS:
            raise self.fail(f'"{token.text}" is a function', f"call it: {FUNCTIONS[token.text].usage()}", token)
        text = token.text
        while self.is_sign(".") and self.peek(1).kind == "name" and self.peek(1).text != "T":
            part = self.peek(1).text
            if self.is_sign("(", 2):
                raise self.method(part)
            self.next()
            text += "." + self.next().text
            if text.count(".") > 1:
                raise self.fail(
                    "a name has at most one point", "write the definition's name, a point, and the name of its inner stage", token
                )
        return Name(text, place=self.place(token))

    def postfix(self, node: Node) -> Node:
        """What follows a value: .T and indices."""
        chain = 0
        while self.peek().kind == "sign":
            chain += 1
            if chain > MAX_DEPTH:
                raise self.fail(f"more than {MAX_DEPTH} operations hang on one another here", "give the inner part a name of its own")
            if self.is_sign("."):
                place = self.place()
                after = self.peek(1)
                if after.kind != "name":
                    raise self.fail("a point cannot stand here", "after a matrix, .T transposes it")
                if after.text != "T":
                    if self.is_sign("(", 2):
                        raise self.method(after.text)
                    raise self.fail(f".{after.text} is not read", "only .T (the transpose) follows a value", after)
                self.next()
                self.next()
                node = Transpose(node, place=place)
            elif self.is_sign("["):
                node = self.index(node)
            elif self.is_sign("("):
                raise self.fail("a parenthesis follows a value with no sign between", "write * between two values that are multiplied")
            else:
                break
        return node

    # -- brackets -----------------------------------------------------------------------------------------------------
    def array(self) -> Array:
        """A vector or a matrix that is written out."""
        opened = self.next()
        self.open(opened)
        place = self.place(opened)
        items: list[Node] = []
        if self.is_sign("]"):
            raise self.fail("this vector has no entries", "write its entries between the brackets: [1, 2]", opened)
        while True:
            if self.is_sign("]") and items:
                raise self.fail('a value is missing before this "]"', "remove the comma, or write the last value")
            items.append(self.expression())
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                raise self.fail(f"more than {MAX_ENTRIES} entries are written out here", "read large matrices from a file")
            if self.is_sign(":"):
                raise self.fail("ranges are not read", "write every entry")
            if not self.is_sign(","):
                break
            self.next()
        self.close("entries are separated by commas")
        rows = [item for item in items if isinstance(item, Array)]
        if rows and len(rows) != len(items):
            odd = next(item for item in items if isinstance(item, Array) != isinstance(items[0], Array))
            raise LanguageError(
                "a matrix mixes rows and single entries", place=odd.place, next_move="put every row in brackets: [[1, 2], [3, 4]]"
            )
        for k, row in enumerate(rows):
            if isinstance(row.items[0], Array):
                raise LanguageError(
                    "brackets are nested three deep", place=row.place, next_move="a matrix has two levels: [[1, 2], [3, 4]]"
                )
            if len(row.items) != len(rows[0].items):
                raise LanguageError(
                    f"the matrix is ragged: row {k} has {len(row.items)} entries and row 0 has {len(rows[0].items)}",
                    place=row.place,
                    next_move="give every row the same number of entries",
                )
        return Array(tuple(items), place=place)

    def index(self, node: Node) -> Index:
        """The indices of a value."""
        opened = self.next()
        self.open(opened)
        place = self.place(opened)
        if self.is_sign("]"):
            raise self.fail("the index is empty", "write positions counted from 0, or entry names: A[0,1]", opened)
        items = [self.index_item()]
        while self.is_sign(","):
            self.next()
            items.append(self.index_item())
        if self.is_sign(":"):
            raise self.fail("ranges are not read", "index one entry, or all of them with a colon alone: A[:,0]")
        self.close("indices are positions or entry names separated by commas")
        return Index(node, tuple(items), place=place)

    def index_item(self) -> IndexItem:
        """One index."""
        token = self.peek()
        place = self.place(token)
        if self.is_sign(":"):
            self.next()
            if not (self.is_sign(",") or self.is_sign("]")):
                raise self.fail("ranges are not read", "index one entry, or all of them with a colon alone: A[:,0]", token)
            return Every(place=place)
        if token.kind == "number":
            self.next()
            if token.value.denominator != 1 or not token.text.isdigit():
                raise self.fail(f"{token.text[:30]} is not a position", "positions are whole numbers counted from 0", token)
            if token.value > MAX_ENTRIES:
                raise self.fail(f"the position {token.text[:30]} is too large", "positions count from 0", token)
            self._index_end("a position is one whole number")
            return At(int(token.value), place=place)
        if token.kind == "name":
            self.next()
            self._index_end("an entry is one name")
            return Label(token.text, place=place)
        if token.kind == "text":
            raise self.fail("entry names are written without quotes", f"write [{token.text[:30]}]", token)
        if self.is_sign("-"):
            raise self.fail("positions count from 0 and are never negative", "count from the first entry", token)
        raise self.unexpected("indices are positions or entry names separated by commas")

    def _index_end(self, message: str) -> None:
        token = self.peek()
        if token.kind == "sign" and token.text not in (",", "]", ":", ")"):
            raise self.fail(f"{message}, nothing is computed in an index", "write the position itself")

    def call(self, token: Token) -> Call:
        """The arguments of a function."""
        row = FUNCTIONS.get(token.text)
        if row is None:
            meant = ELSEWHERE.get(token.text.lower())
            move = f"write {FUNCTIONS[meant].usage()}" if meant else suggestion(token.text, FUNCTIONS, "functions")
            raise self.fail(f'there is no function "{token.text}"', f"{move}; text is never run; to multiply write *, to index [ ]", token)
        self.open(self.next())
        args: list[Node] = []
        keywords: list[Keyword] = []
        while not (self.is_sign(")") and not args and not keywords):
            if self.peek().kind == "name" and self.is_sign("=", 1):
                keywords.append(self.keyword(row, keywords))
            elif keywords and self.peek().kind != "end":
                raise self.fail("a value follows a keyword", "write the keywords last")
            else:
                args.append(self.expression())
            if not self.is_sign(","):
                break
            self.next()
            if self.is_sign(")"):
                raise self.fail('a value is missing before this ")"', "remove the comma, or write the last value")
        self.close("arguments are separated by commas")
        if not row.least <= len(args) <= row.most:
            many = f"{row.least}" if row.least == row.most else f"{row.least} to {row.most}"
            hint = f"; {POINT}" if len(args) > row.most and all(isinstance(a, Number | Sign) for a in args) else ""
            if hint and row.kind == "along":
                hint = f"; several numbers are one vector: {row.name}([1, 2, 3]){hint}"
            plural = "" if many == "1" else "s"
            raise self.fail(f"{row.name} takes {many} argument{plural}, not {len(args)}", f"write {row.usage()}{hint}", token)
        return Call(row.name, tuple(args), tuple(keywords), place=self.place(token))

    def keyword(self, row: Function, earlier: list[Keyword]) -> Keyword:
        """name=value in a call."""
        token = self.next()
        self.next()
        if token.text not in row.keywords and ANY not in row.keywords:
            move = suggestion(token.text, row.keywords, "keywords") if row.keywords else f"write {row.usage()}"
            raise self.fail(f'{row.name} has no keyword "{token.text}"', move, token)
        if any(k.name == token.text for k in earlier):
            raise self.fail(f'the keyword "{token.text}" is given twice', "give it once", token)
        value = self.peek()
        place = self.place(token)
        if value.kind == "text":
            self.next()
            return Keyword(token.text, Text(value.text, place=self.place(value)), place=place)
        return Keyword(token.text, self.expression(), place=place)
