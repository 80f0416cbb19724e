"""How many samples make a measured deviation ordinary.

Promises: the counts of number/samples.py, under the name claims know them by. Does not promise: that the document drew that many, or that
its samples were independent; a measured number gets a label, never a verdict.
"""

from __future__ import annotations

from symattn.number.samples import BALL_BITS, dot_product_kurtosis, ordinary_up_to

__all__ = ["BALL_BITS", "dot_product_kurtosis", "ordinary_up_to"]
