"""A stream of tokens with its open brackets, and what to say of a token that cannot stand where it does.

Promises: each trouble is one `LanguageError` with the place to look at (an unclosed bracket is shown where it opens) and the
next move. Does not promise: any grammar (parser.py has it).
"""

from __future__ import annotations

from symattn.errors import LanguageError, Place
from symattn.language.ast import SIGNS
from symattn.language.functions import FUNCTIONS
from symattn.language.limits import MAX_BRACKETS
from symattn.language.names import is_reserved, nearest
from symattn.language.tokens import Source, Token, tokens

CLOSERS = {"(": ")", "[": "]"}
POINT = "a decimal is written with a point: 2.5"


class Reader:
    """The tokens of one text, one after the other."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._tokens = tokens(source)
        self._ahead: list[Token] = []
        self._open: list[Token] = []
        self._last: Token | None = None

    def peek(self, k: int = 0) -> Token:
        """The token `k` places ahead; the end is there for ever."""
        while len(self._ahead) <= k:
            self._ahead.append(next(self._tokens))
        return self._ahead[k]

    def next(self) -> Token:
        """Take one token."""
        self._last = self.peek()
        return self._ahead.pop(0)

    def is_sign(self, text: str, k: int = 0) -> bool:
        """Is the token `k` places ahead this sign?"""
        token = self.peek(k)
        return token.kind == "sign" and token.text == text

    def place(self, token: Token | None = None) -> Place:
        """Where a token stands; the next one by default."""
        return self.source.place((token or self.peek()).offset)

    def fail(self, message: str, move: str, token: Token | None = None) -> LanguageError:
        """An error at a token; the next one by default."""
        return LanguageError(message, place=self.place(token), next_move=move)

    def open(self, token: Token) -> None:
        """A bracket has opened."""
        if len(self._open) >= MAX_BRACKETS:
            raise self.fail(f"more than {MAX_BRACKETS} brackets are open here", "give the inner part a name of its own", token)
        self._open.append(token)

    def close(self, move: str = "") -> Token:
        """The bracket that closes the last one opened."""
        opened = self._open[-1]
        wanted = CLOSERS[opened.text]
        if not self.is_sign(wanted):
            raise self.unexpected(move)
        self._open.pop()
        return self.next()

    def end(self, move: str = "") -> None:
        """Nothing may follow."""
        if self.peek().kind != "end":
            raise self.unexpected(move)

    def unexpected(self, move: str = "") -> LanguageError:
        """What to say of a token that cannot stand here."""
        token = self.peek()
        if token.kind == "end":
            if self._open:
                opened = self._open[-1]
                return self.fail(f'this "{opened.text}" is never closed', f'write "{CLOSERS[opened.text]}" where it ends', opened)
            return self.fail("the expression ends too early", move or "a value is missing at its end")
        if token.kind != "sign":
            return self.beside(token)
        text = token.text
        if text in ")]":
            if not self._open:
                return self.fail(f'this "{text}" closes nothing', "remove it, or open the bracket before it")
            opened = self._open[-1]
            if CLOSERS[opened.text] != text:
                where = self.place(opened)
                return self.fail(
                    f'this "{text}" stands where the "{opened.text}" of line {where.line}, column {where.column} must be closed',
                    f'write "{CLOSERS[opened.text]}" here',
                )
            return self.fail(f'a value is missing before this "{text}"', move or "write a value, or remove what asks for one")
        if text == ",":
            return self.fail("a comma cannot stand here", self.decimal_comma() or move or "a vector is written in brackets: [1, 2]")
        if text == "=":
            return self.fail("= stands in definitions only", "write == to compare")
        if text in SIGNS:
            return self.fail(
                f"the comparison {token.typed} cannot stand here", "an expression is one value; comparisons stand in statements"
            )
        if text in "([":
            return self.fail(f'"{text}" cannot follow here', "write * between two values that are multiplied")
        if text == ":":
            return self.fail("a colon cannot stand here", "a colon alone stands for all entries: A[:,0]")
        if text == ";":
            if self._open and self._open[-1].text == "[":
                return self.fail("a semicolon cannot stand here", f"entries are separated by commas, rows are in brackets; {POINT}")
            return self.fail("a semicolon cannot stand here", "write one expression")
        return self.fail(f'a value is missing before "{token.typed}"', move or "write a value on both sides of it")

    def decimal_comma(self) -> str:
        """The next move for a comma between two digits, "" for any other."""
        before, after = self._last, self.peek(1)
        if before is None or before.kind != "number" or after.kind != "number":
            return ""
        if "." in after.text:
            return f"a number has no thousands separators: {before.text[:20]}{after.text[:20]}"
        return f"a decimal is written with a point: {before.text[:20]}.{after.text[:20]}"

    def beside(self, token: Token) -> LanguageError:
        """What to say of a value that no sign joins to the one before it."""
        if token.kind == "text":
            return self.fail("text in quotes cannot stand here", 'quotes hold only a keyword\'s word, as in mask="causal"', token)
        if is_reserved(token.text):
            return self.fail(f'"{token.text}" is a word of Python', "an expression is a formula: values, + - * / @ ** and functions", token)
        entries = bool(self._open) and self._open[-1].text == "["
        move = "write a comma between two entries; to multiply write *" if entries else "write * (or another sign) between them"
        return self.fail(f'"{token.typed[:30]}" stands beside a value with no sign between', move, token)

    def method(self, part: str) -> LanguageError:
        """What to say of `x.exp()` and `np.exp(x)`."""
        close = nearest(part, FUNCTIONS, 1)
        move = f"write {FUNCTIONS[close[0]].usage()}" if close else "functions: " + ", ".join(FUNCTIONS)
        return self.fail(f".{part}( ) is not read: functions stand alone and text is never run", move, self.peek(1))
