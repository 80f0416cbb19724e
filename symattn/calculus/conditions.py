"""The hypotheses that a derivation must print: its sizes, and what its steps need.

Promises: the same derivation gives the same hypotheses, so that one left out of a file is missed. Does not promise: the weakest ones.
"""

from __future__ import annotations

from symattn.calculus.setting import Setting
from symattn.proof.certificate import Certificate


def size_conditions(setting: Setting) -> tuple[str, ...]:
    """ "n >= 1" for each size symbol."""
    return tuple(f"{name} >= 1" for name in setting.sizes())


def conditions_of(certificate: Certificate, setting: Setting) -> tuple[str, ...]:
    """What a step needs, as text of the language."""
    return certificate.hypotheses
