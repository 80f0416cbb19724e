"""Derivatives of programs, derivations whose every step is proved, and the catalogue of theorems."""
