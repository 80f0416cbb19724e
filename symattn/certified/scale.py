"""The scale of the scores as an exact algebraic number: a rational, or the square root of one.

Promises: "1/sqrt(d_k)", "1/d_k", "1/sqrt(8)", "1/8", "0.125", integers, fractions and decimals are read exactly; a binary float is the
binary fraction it holds (arrays and their scale are taken as they stand here). Does not promise: anything but real numbers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.errors import InputError, SymattnError
from symattn.number.elementary import rational_power
from symattn.program.lower_options import exact_number

_UNDER_ROOT = re.compile(r"1/sqrt\(([0-9./]{1,40})\)")


@dataclass(frozen=True)
class Scale:
    """sign · sqrt(square), with `value` the number itself where it is rational."""

    sign: int
    square: Fraction
    value: Fraction | None

    @staticmethod
    def rational(value: Fraction) -> Scale:
        """A rational scale."""
        return Scale(-1 if value < 0 else 1, value * value, value)

    @staticmethod
    def root(square: Fraction) -> Scale:
        """The root of a positive number; rational where that is."""
        return Scale(1, square, rational_power(square, Fraction(1, 2)))

    def ball(self, bits: int) -> Any:
        """The scale as an Arb ball, at the current precision or `bits`, whichever is more."""
        from flint import arb, ctx, fmpq

        from symattn.number.precision import flint_bits

        with flint_bits(max(bits, ctx.prec)):
            exact = self.square if self.value is None else self.value
            found = arb(fmpq(exact.numerator, exact.denominator))
            return found if self.value is not None else self.sign * found.sqrt()


def read_scale(scale: object, d_k: int) -> Scale:
    """The scale for features of size d_k. Raises InputError for None and for what is no number and no known form."""
    if scale is None:
        raise InputError("scale is None, which could mean two things", next_move='write scale=1 for none, "1/sqrt(d_k)" for the usual one')
    if isinstance(scale, float) or (type(scale).__module__ == "numpy" and hasattr(scale, "as_integer_ratio")):
        if not math.isfinite(float(scale)):  # type: ignore[arg-type]
            raise InputError(f"scale is {scale}", next_move="give a finite number")
        return Scale.rational(Fraction(*scale.as_integer_ratio()))
    text = re.sub(r"\s+", "", scale) if isinstance(scale, str) and len(scale) <= 100 else scale
    if text == "1/sqrt(d_k)":
        return Scale.root(Fraction(1, d_k))
    if text == "1/d_k":
        return Scale.rational(Fraction(1, d_k))
    root = _UNDER_ROOT.fullmatch(text) if isinstance(text, str) else None
    try:
        value = exact_number(root.group(1) if root else text, "scale")
    except SymattnError as error:
        raise InputError(
            f"scale is {str(scale)[:40]!r}", next_move='write "1/sqrt(d_k)", "1/d_k", "1/sqrt(8)", or a number such as "1/8" or 0.125'
        ) from error
    if root is None:
        return Scale.rational(value)
    if value <= 0:
        raise InputError(f"scale is {str(scale)[:40]!r}", next_move="the number under the root is positive")
    return Scale.root(1 / value)
