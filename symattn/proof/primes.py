"""Prime factors, for roots and logarithms of rational numbers.

Promises: the product of the factors is the number. Does not promise: that a large factor is prime (it only has no small one).
"""

from __future__ import annotations

_SMALL = 1 << 16


def primes(n: int) -> list[tuple[int, int]]:
    """Small primes with their exponents; what is left is taken as one."""
    found: list[tuple[int, int]] = []
    p = 2
    while p * p <= n and p < _SMALL:
        e = 0
        while n % p == 0:
            n //= p
            e += 1
        if e:
            found.append((p, e))
        p += 1 if p == 2 else 2
    if n > 1:
        found.append((n, 1))
    return found
