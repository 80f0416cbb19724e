"""How much text the language takes before it says so. Every limit keeps one mistyped line from costing minutes."""

from __future__ import annotations

MAX_TEXT = 1_000_000  # characters in one expression
MAX_DIGITS = 1_000  # digits of one number, and of the exponent's reach in 1e…
MAX_BRACKETS = 64  # open at once
MAX_NESTING = 140  # expressions being read inside one another
MAX_DEPTH = 200  # operations inside one another, a chain a + b + c + … included
MAX_ENTRIES = 100_000  # of one literal
MAX_COMPUTED = 64  # entries of one literal that are not plain numbers
MAX_STAGE_ENTRIES = 4_000_000  # of one result
MAX_EXPONENT = 1_000  # of a power, numerator and denominator
MAX_BITS = 200_000  # of an exact rational result, estimated: what 9**1000**1000 runs into
MAX_QUOTED = 200  # characters between quotes
