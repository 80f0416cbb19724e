"""What the words before a statement claim of its relations as a whole.

Promises: each form has a check that reads the relations and the definitions alone; a relation that is missing is named. Does not promise:
the relations themselves; their steps are proved one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from symattn.calculus.backward import Backward, backward_of
from symattn.calculus.setting import Setting
from symattn.calculus.statement import Statement
from symattn.errors import DerivationError
from symattn.language.unparse import unparse


def close(statement: Statement, setting: Setting) -> None:
    """Raises DerivationError when the relations do not add up to what the form claims."""
    if statement.form:
        word = statement.form.split(" ", 1)[0]
        FORMS[word](statement, setting)


def gradient_of(statement: Statement, setting: Setting) -> Backward | None:
    """What a statement of the form "gradient of O by Q, K" is about, None for another one. Raises DerivationError."""
    if not statement.form.startswith("gradient "):
        return None
    of, wrt = _asked(statement.form)
    return backward_of(setting, of, wrt)


def _gradient(statement: Statement, setting: Setting) -> None:
    """ "gradient of O by Q, K": one relation for each value between Q, K and O, with all its readers; directions and dO are free givens."""
    of, wrt = _asked(statement.form)
    names = setting.names()
    for name in (of, *wrt):
        if name not in names:
            raise DerivationError(f'the statement is about "{name[:60]}", which has no definition')
    backward = backward_of(setting, of, wrt)
    said = [(c.left, c.right) for c in statement.clauses if c.sign == "=="]
    for name in backward.order:
        if (backward.left(name), backward.right(name)) not in said:
            raise DerivationError(f'the relation of the gradient by "{name}" is missing', next_move=f"{unparse(backward.left(name))} == …")
        _free(setting, backward.direction(name), name)
    if backward.upstream:
        _free(setting, backward.upstream, of)
    answered = {unparse(c.left) for c in statement.clauses}
    for name in wrt:
        if backward.gradient(name) not in answered:
            raise DerivationError(f'the answer for "{name}" is missing')


def _asked(form: str) -> tuple[str, list[str]]:
    head, by, rest = form.removeprefix("gradient of ").partition(" by ")
    wrt = [n.strip() for n in rest.split(",")]
    if not by or not form.startswith("gradient of ") or not all(wrt):
        raise DerivationError(f'"{form[:60]}" names no gradient', next_move='write "gradient of O by Q, K: …"')
    return head.strip(), wrt


def _free(setting: Setting, name: str, like: str) -> None:
    """Raises DerivationError unless `name` is a given over the axes of `like`."""
    if name not in setting.givens():
        raise DerivationError(f'"{name}" is no given, so it is not free')
    if [a.space for a in setting.axes(name)] != [a.space for a in setting.axes(like)]:
        raise DerivationError(f'"{name}" has not the axes of "{like}"')


FORMS: Mapping[str, Callable[[Statement, Setting], None]] = MappingProxyType({"gradient": _gradient})
