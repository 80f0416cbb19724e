"""Derivations as JSON (`symattn-derivation/1`), and back.

Promises: a file that is truncated, huge, of a newer schema or of another shape is one clear `DerivationError` that names the place;
reading runs nothing and proves nothing. Does not promise: that what a file says is true (recheck.py).
"""

from __future__ import annotations

import json
from typing import Any

from symattn.calculus.derivation import Both, Definition, Derivation, Step
from symattn.calculus.rules import RULES, split_rule
from symattn.errors import DerivationError
from symattn.proof.evidence import ADMITTED, KINDS, Evidence

SCHEMA = "symattn-derivation/1"
MAX_CHARACTERS = 8_000_000
MAX_ITEMS = 5_000
MAX_TEXT = 50_000
_KEYS = ("schema", "topic", "statement", "hypotheses", "definitions", "steps", "result")
_STEP_KEYS = ("rule", "before", "after", "why", "evidence")


def to_data(derivation: Derivation, lang: str = "en") -> dict[str, Any]:
    """The derivation as plain data; the reasons are written in `lang`."""
    return {
        "schema": SCHEMA,
        "topic": derivation.topic,
        "statement": derivation.statement,
        "hypotheses": list(derivation.hypotheses),
        "definitions": [{"name": d.name, "meaning": d.meaning} for d in derivation.definitions],
        "steps": [
            {"rule": s.rule, "before": s.before, "after": s.after, "why": s.why.said(lang), "evidence": s.evidence.to_json()}
            for s in derivation.steps
        ],
        "result": derivation.result,
    }


def to_json(derivation: Derivation, lang: str = "en") -> str:
    """The derivation as a file, ending in a newline."""
    return json.dumps(to_data(derivation, lang), indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> Derivation:
    """The derivation that a file holds, unproved: its evidence is what the file claims. Raises DerivationError."""
    if len(text) > MAX_CHARACTERS:
        raise DerivationError(f"the file has more than {MAX_CHARACTERS} characters", next_move="a derivation is far shorter; split it")
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_constant)
    except json.JSONDecodeError as error:
        what = "ends too early" if error.pos >= len(text.rstrip()) - 1 else f"is no JSON: {error.msg}"
        raise DerivationError(f"the file {what} (line {error.lineno}, column {error.colno})", next_move="copy it again, whole") from None
    except RecursionError:
        raise DerivationError("the file nests too deeply to be a derivation") from None
    except ValueError as error:
        raise DerivationError(f"the file is no derivation: {error}") from None
    return from_data(data)


def from_data(data: object) -> Derivation:
    """The derivation in parsed JSON. Raises DerivationError."""
    if not isinstance(data, dict):
        raise DerivationError(
            f"the file holds {_kind(data)}, not a derivation", next_move=f'a derivation is an object with "schema": "{SCHEMA}"'
        )
    _schema(data.get("schema"))
    _keys(data, _KEYS, "the derivation")
    steps = [_step(item, at) for at, item in enumerate(_list(data, "steps", "the derivation"), 1)]
    if not steps:
        raise DerivationError("the derivation has no steps")
    return Derivation(
        topic=_text(data, "topic", "the derivation"),
        statement=_text(data, "statement", "the derivation"),
        hypotheses=tuple(_string(h, f"hypothesis {k}") for k, h in enumerate(_list(data, "hypotheses", "the derivation"), 1)),
        definitions=tuple(_definition(item, at) for at, item in enumerate(_list(data, "definitions", "the derivation"), 1)),
        steps=tuple(steps),
        result=_text(data, "result", "the derivation"),
    )


def _schema(schema: object) -> None:
    if schema == SCHEMA:
        return
    if not isinstance(schema, str) or not schema.startswith("symattn-derivation/"):
        raise DerivationError(
            'the file does not say "schema": "symattn-derivation/…"', next_move="write one with symattn derive TOPIC --to json"
        )
    number = schema.partition("/")[2]
    newer = number.isdigit() and len(number) < 10 and int(number) > 1
    what = "from a newer symattn" if newer else "of an unknown schema"
    raise DerivationError(f"the file is {what}: {schema[:60]}", next_move=f"this symattn reads {SCHEMA}")


def _definition(item: object, at: int) -> Definition:
    where = f"definition {at}"
    data = _object(item, where)
    _keys(data, ("name", "meaning"), where)
    return Definition(_text(data, "name", where), _text(data, "meaning", where))


def _step(item: object, at: int) -> Step:
    where = f"step {at}"
    data = _object(item, where)
    _keys(data, _STEP_KEYS, where)
    why = _text(data, "why", where)
    evidence = _object(data["evidence"], f"the evidence of {where}")
    kind = evidence.get("kind")
    if kind not in KINDS:
        raise DerivationError(f"the evidence of {where} is of no known kind: {str(kind)[:40]!r}", next_move="known: " + ", ".join(KINDS))
    claimed = Evidence(kind, reason="claimed by the file" if kind != ADMITTED else str(evidence.get("reason", ""))[:MAX_TEXT])
    rule, before, after = (_text(data, key, where) for key in ("rule", "before", "after"))
    return Step(rule, before, after, Both(why, why), claimed, _sign(rule))


def _sign(rule: str) -> str:
    """How before stands to after as far as the rule alone says."""
    found = RULES.get(split_rule(rule)[0])
    return found.sign if found is not None and found.sign else "=="


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} stands twice in one object")
        found[key] = value
    return found


def _constant(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _keys(data: dict[str, Any], expected: tuple[str, ...], where: str) -> None:
    for key in expected:
        if key not in data:
            raise DerivationError(f'{where} has no "{key}"', next_move="keys: " + ", ".join(expected))
    for key in data:
        if key not in expected:
            raise DerivationError(f"{where} has the unknown key {key[:40]!r}", next_move="keys: " + ", ".join(expected))


def _object(item: object, where: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise DerivationError(f"{where} is {_kind(item)}, not an object")
    return item


def _list(data: dict[str, Any], key: str, where: str) -> list[Any]:
    value = data[key]
    if not isinstance(value, list):
        raise DerivationError(f'"{key}" of {where} is {_kind(value)}, not a list')
    if len(value) > MAX_ITEMS:
        raise DerivationError(f'"{key}" of {where} has more than {MAX_ITEMS} items')
    return value


def _text(data: dict[str, Any], key: str, where: str) -> str:
    return _string(data[key], f'"{key}" of {where}')


def _string(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise DerivationError(f"{where} is {_kind(value)}, not text")
    if len(value) > MAX_TEXT:
        raise DerivationError(f"{where} has more than {MAX_TEXT} characters")
    return value


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"
