"""Proofs of statements about the stages of a program, for all sizes, and the certificates that say so.

Where to go: `kernel.prove_equal` (two stages are equal for all sizes), `kernel.prove_at_sizes` (at stated sizes, by an independent road),
`rules` (inequalities, limits, induction and the other rules beside identities), `sampling.sample` (exact random points, counterexamples).

What is trusted. A certificate for all sizes rests on these files, each one a list of identities:

* lower.py (what a stage means), terms.py, indices.py, canon.py, reduce.py, fold.py, functions.py, maximum.py, primes.py, sign.py, facts.py,
  parts.py and zero.py (the zero test), needs.py and forms.py (what must be supposed), kernel.py and certificate.py (who may say so);
* for the rules beside identities also known.py, alike.py, inequalities.py, extremes.py, limits.py, induction.py, independence.py,
  instance.py and supposition.py.

A certificate is made only when a sample agrees, too: sampling.py with residues.py, enclosures.py and series.py runs the program by the
interpreter and shares nothing with the zero test. A mistake must be in both to be believed. polynomials.py and sized.py are the road to
statements at stated sizes, and share nothing with the zero test either.

What the zero test decides. Sums of products over any index networks, with relations between positions, unions and products of index
sets, symbolic sizes; quotients, roots and exponentials of such sums, cos, sin and tanh through exponentials, logarithms of what is proved
positive, |a| and the larger of two. Polynomial identities in independent atoms it decides. For quotients, nested functions and facts it is
a search that stops at a budget. What it cannot see: values of sums over positions (n(n-1)/2), which of several numbers is the largest,
identities that hold at small sizes only, a window of symbolic width against a number, rows without entries that have a value of their own.

Promises: a `Certificate` is made here and nowhere else, and only for a statement that was proved.
Does not promise: that a true statement is found to be true. What is not decided is an `Undecided` error, never "equal".
"""
