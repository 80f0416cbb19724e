"""Every rule beside identities, in one place: from certificates to certificates.

Promises: nothing but names; each rule is where it is defined (inequalities.py, extremes.py, limits.py, induction.py, independence.py,
instance.py, supposition.py).
"""

from __future__ import annotations

from symattn.proof.extremes import below_maximum, each_is_zero, factor_is_zero, maximum_counts, tangent_line
from symattn.proof.independence import equivariant, zero_derivative
from symattn.proof.induction import induction
from symattn.proof.inequalities import antisymmetric, congruent, difference, inequality, monotone, nonnegative, transitive, turned
from symattn.proof.instance import at_sizes
from symattn.proof.limits import squeeze, tends
from symattn.proof.supposition import supposing

__all__ = [
    "antisymmetric", "at_sizes", "below_maximum", "congruent", "difference", "each_is_zero", "equivariant", "factor_is_zero",
    "induction", "inequality", "maximum_counts", "monotone", "nonnegative", "squeeze", "supposing", "tangent_line", "tends",
    "transitive", "turned", "zero_derivative",
]  # fmt: skip
