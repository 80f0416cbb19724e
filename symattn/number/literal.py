"""Taking numbers from people: text, integers, fractions, decimals; never a float by accident.

Promises: what is taken is exact; a float is refused with the exact number it would have been; no literal or exponent is so
large that reading it would stall. Does not promise: expressions (the language reads those) or thousands separators.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from symattn.errors import InputError

# Below Python's own limit for turning text into integers, which would otherwise show as a bare ValueError.
MAX_DIGITS = 4000
MAX_EXPONENT = 4000
_DECIMAL = re.compile(r"([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_RATIO = re.compile(r"([+-]?)([0-9]+)\s*/\s*([0-9]+)")


def number_from_text(text: str) -> Fraction:
    """`12`, `-0.50`, `.5`, `1e-3`, `1/3`, with an optional sign (− too), exactly. Raises InputError for anything else."""
    if len(text) > MAX_DIGITS + 20:
        raise InputError(f"the number {text[:20]!r}… has {len(text)} characters", next_move=f"at most {MAX_DIGITS} digits are read")
    bare = text.strip().replace("\u2212", "-")
    found = _DECIMAL.fullmatch(bare)
    if found is not None:
        sign, digits, exponent = found.groups()
        whole, _, places = digits.partition(".")
        if len(whole) + len(places) > MAX_DIGITS:
            raise InputError(f"a number of {len(whole) + len(places)} digits", next_move=f"at most {MAX_DIGITS} digits are read")
        power = _exponent(exponent, text) - len(places)
        value = Fraction(int(whole + places)) * Fraction(10) ** power
        return -value if sign == "-" else value
    ratio = _RATIO.fullmatch(bare)
    if ratio is not None:
        sign, num, den = ratio.groups()
        if max(len(num), len(den)) > MAX_DIGITS:
            raise InputError(f"a number of {max(len(num), len(den))} digits", next_move=f"at most {MAX_DIGITS} digits are read")
        if int(den) == 0:
            raise InputError(f"{text.strip()!r} divides by zero", next_move="check the denominator")
        value = Fraction(int(num), int(den))
        return -value if sign == "-" else value
    raise InputError(f"{_shown(text)} is not a number", next_move='write it as "0.5", "1/3", "-2" or "1e-3"')


def _exponent(digits: str | None, text: str) -> int:
    if digits is None:
        return 0
    if len(digits) > 7 or abs(int(digits)) > MAX_EXPONENT:
        raise InputError(
            f"the exponent in {_shown(text)} is too large", next_move=f"exponents from -{MAX_EXPONENT} to {MAX_EXPONENT} are read"
        )
    return int(digits)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def exact_rational(x: object) -> Fraction:
    """The rational number that an int, str, Fraction or Decimal is. Raises InputError for all else: floats, booleans, NaN."""
    if isinstance(x, bool):
        raise InputError(f"{x!r} is a truth value, not a number", next_move="write 1 or 0")
    if isinstance(x, int):
        return Fraction(x)
    if isinstance(x, str):
        return number_from_text(x)
    if isinstance(x, Fraction):
        return x
    if isinstance(x, Decimal):
        return _from_decimal(x)
    if isinstance(x, float):
        raise float_refused(x)
    raise InputError(f"a {type(x).__name__} is not a number", next_move="give an int, a Fraction, a Decimal or text such as 0.5 or 1/3")


def _from_decimal(x: Decimal) -> Fraction:
    if not x.is_finite():
        raise InputError(f"{x} is not a number", next_move="give finite numbers")
    _, digits, exponent = x.as_tuple()
    if len(digits) > MAX_DIGITS or abs(int(exponent)) > MAX_EXPONENT + MAX_DIGITS:
        raise InputError("a Decimal with too many digits or too large an exponent", next_move=f"at most {MAX_DIGITS} digits are read")
    return Fraction(x)


def float_refused(x: float) -> InputError:
    """The refusal of a float where exactness is meant; says what it would have been."""
    if x != x or x in (float("inf"), float("-inf")):
        return InputError(f"{x!r} is not a number", next_move="give finite numbers")
    exact = str(Decimal(x))
    if len(exact) > 80:
        exact = exact[:60] + f"… ({len(exact)} characters)"
    return InputError(f"the float {x!r} is exactly {exact}", next_move=f'write it as text, "{x!r}", to mean the decimal')
