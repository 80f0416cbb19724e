"""Proofs of equalities between stages of a program, for all sizes, and the certificates that say so.

Promises: a `Certificate` is made here and nowhere else, and only for a statement that was proved.
Does not promise: that a true statement is found to be true. What is not decided is an `Undecided` error, never "equal".
"""
