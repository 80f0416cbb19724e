"""Attention as a frozen description, and the program that a named algorithm makes of it.

Promises: every variant is written once, here; a description that means nothing is refused when it is made, with the next move; the
stages have the names people read: X, W_Q, W_K, W_V, W_O, queries, keys, values, scores, scaled, masked, row_max, exponentials,
row_sums, weights, output. Does not promise: values; readings compute them (interp/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn.errors import ProgramError, ShapeError, SymattnError
from symattn.program import lower_scores
from symattn.program.algorithms import ALGORITHMS, Softmax
from symattn.program.lower_draft import Axes, Draft, Mask
from symattn.program.lower_inputs import finish, project, take
from symattn.program.lower_options import (
    MASKED_ROWS,
    alibi_slopes,
    exact_number,
    make_axes,
    one_of,
    positive_integer,
    read_mask,
    read_scale,
    row_count,
    size_or_symbol,
)
from symattn.program.lower_rotary import rotate
from symattn.program.program import Program
from symattn.program.spaces import Space

if TYPE_CHECKING:
    from symattn.number.formats import Format
    from symattn.program.program import Evaluation, Symbolic

Number = int | str | Fraction | Decimal
SizeOrSymbol = int | str


@dataclass(frozen=True, kw_only=True)
class Attention:
    """Scaled dot-product attention: P = softmax(Q K^T / sqrt(d_k)), O = P V, and its variants.

    `inputs`: "weights" (X, W_Q, W_K, W_V) or "qkv" (Q, K, V as they are). `cross`: keys and values come from another sequence, Y
    (m, d_model), or have m rows; otherwise there is one sequence and m = n.

    `heads`: an integer, or a symbol's name. `kv_heads`: how many heads of keys and values; `heads` of them by default, 1 is
    multi-query, a divisor of `heads` is grouped: head h reads keys of group h * kv_heads // heads. The columns of W_Q (or Q) are
    grouped by head, so W_Q is (d_model, heads * d_k), W_K (d_model, kv_heads * d_k), W_V (d_model, kv_heads * d_v).
    `output_projection` adds W_O (heads * d_v, d_model).

    `mask`: None, or rules joined by "+": "causal", "window" (causal, only the last `window` keys: i-window+1 … i), "padding" (a boolean
    input `allowed_keys`, one a key, true where there is a real token), "array" (a boolean input `allowed`, query x key). Positions
    count from 0; where queries and keys are not the same positions, `query_offset` is added to the query's: 0 aligns the first
    ones, m - n the last ones (decoding). There is no default for it.

    `scale`: "1/sqrt(d_k)", "1/d_k", "1/sqrt(8)", or a number that multiplies ("1/8", "0.25", Fraction(1, 8)); 1 for none; "input" for
    an input `scale` that multiplies, by which one can differentiate.
    Then, in this order: `softcap` c replaces x by c tanh(x/c); `bias` adds an input `bias` (query x key; "per-head" for one a head);
    `alibi` subtracts slope * distance (input `slopes`, by default those of `alibi_slopes(heads)`). `rotary`: "interleaved" or
    "halves" turns queries and keys, with angles t * rotary_base**(-2p/d_k). `sink` is an input, one logit a head, that takes
    part in the row sum and has no value.

    `masked_row` says what a row in which nothing is allowed becomes: "error", "zero" (weights and output 0), "mean" (weights 1/m over
    all keys), "nan" (only float readings have one).

    Raises ProgramError for a combination that means nothing, InputError for a number that is not exact."""

    inputs: str = "weights"
    cross: bool = False
    heads: SizeOrSymbol = 1
    kv_heads: int | None = None
    mask: str | None = None
    window: int | None = None
    query_offset: int | None = None
    scale: Number = "1/sqrt(d_k)"
    softcap: Number | None = None
    bias: bool | str = False
    alibi: bool = False
    rotary: str | None = None
    rotary_base: Number = 10000
    sink: bool = False
    output_projection: bool = False
    masked_row: str = "error"

    def __post_init__(self) -> None:
        one_of("inputs", self.inputs, ("weights", "qkv"))
        one_of("masked_row", self.masked_row, MASKED_ROWS)
        for name in ("cross", "alibi", "sink", "output_projection"):
            if not isinstance(getattr(self, name), bool):
                raise ProgramError(f"{name} is {getattr(self, name)!r}", next_move="give True or False")
        self._check_heads()
        read_mask(self.mask, self.window, 0)
        if self.query_offset is not None:
            self._check_offset(self.query_offset)
        read_scale(self.scale)
        if self.softcap is not None and exact_number(self.softcap, "softcap") <= 0:
            raise ProgramError(f"softcap is {self.softcap!r}", next_move="the cap is a positive number; None leaves it out")
        if self.bias not in (True, False):
            one_of("bias", self.bias, ("per-head",))
            if self.heads == 1:
                raise ProgramError('bias is "per-head" but there is one head', next_move="write bias=True")
        if self.rotary is not None:
            one_of("rotary", self.rotary, ("interleaved", "halves"))
        if exact_number(self.rotary_base, "rotary_base") <= 0:
            raise ProgramError(f"rotary_base is {self.rotary_base!r}", next_move="give a positive number")

    def _check_heads(self) -> None:
        size_or_symbol("heads", self.heads)
        if self.kv_heads is None:
            return
        positive_integer("kv_heads", self.kv_heads)
        if isinstance(self.heads, str):
            if self.kv_heads != 1:
                raise ProgramError(
                    f'heads is the symbol "{self.heads}" and kv_heads is {self.kv_heads}',
                    next_move="groups need a number of heads; with a symbol, kv_heads is 1 or left out",
                )
        elif self.heads % self.kv_heads:
            fitting = ", ".join(str(k) for k in range(1, min(self.heads, 1024) + 1) if self.heads % k == 0)
            raise ProgramError(f"{self.heads} heads do not split into {self.kv_heads} groups", next_move=f"kv_heads can be {fitting}")

    def _check_offset(self, offset: object) -> None:
        if not isinstance(offset, int) or isinstance(offset, bool):
            raise ProgramError(
                f"query_offset is {offset!r}", next_move="give an integer: 0 aligns the first positions, m - n the last ones"
            )
        if not self.cross and offset:
            raise ProgramError(
                f"query_offset is {offset}, but in self-attention queries and keys are the same positions", next_move="leave it out"
            )

    @property
    def by_position(self) -> bool:
        """Does the description compare the positions of queries and keys?"""
        return read_mask(self.mask, self.window, 0).by_position or self.alibi or self.rotary is not None

    def program(
        self,
        algorithm: str = "plain",
        *,
        masking: str = "skip",
        masked_value: Number = "-inf",
        blocks: Sequence[SizeOrSymbol] = (),
        n: SizeOrSymbol = "n",
        m: SizeOrSymbol | None = None,
        d_model: SizeOrSymbol = "d_model",
        d_k: SizeOrSymbol = "d_k",
        d_v: SizeOrSymbol | None = None,
    ) -> Program:
        """The program of this attention; `algorithm` is one of `algorithms.ALGORITHMS`.

        Sizes are integers or names of symbols; `m` is "m" in cross-attention, `d_v` is `d_k` when that is an integer, else "d_v". `d_k` and
        `d_v` are those of one head. With `rotary` a symbolic d_k is written 2 * pairs. `blocks` are the sizes of the blocks
        of keys of "online", in order.

        `masking="skip"` never looks at what is masked. `masking="additive"` adds `masked_value` to it instead ("-inf", or a number such
        as -10000), as float implementations do, and then looks at everything.

        Raises ProgramError: unknown algorithm (names the nearest), a missing query_offset, blocks that do not add up."""
        one_of("algorithm", algorithm, tuple(ALGORITHMS))
        one_of("masking", masking, ("skip", "additive"))
        axes = make_axes(self, algorithm, tuple(blocks), {"n": n, "m": m, "d_model": d_model, "d_k": d_k, "d_v": d_v})
        mask = read_mask(self.mask, self.window, self._offset(axes))
        draft = Draft()
        queries, keys, values = project(draft, axes, cross=self.cross) if self.inputs == "weights" else take(draft, axes)
        lower_scores.mask_inputs(draft, axes, mask)
        logits = self._logits(draft, axes, mask, queries, keys, prescaled=algorithm == "prescaled")
        where = mask.relations(axes.token, axes.key)
        masked_row = self.masked_row if where else ""
        if self.sink:
            lower_scores.sink_input(draft, axes)
        if where and masking == "skip":
            logits = lower_scores.skip_masked(draft, axes, logits, where)
        elif where:
            logits = self._add_mask(draft, axes, logits, where, masked_value)
            where, masked_row = (), ""
        many = bool(axes.heads) or self.output_projection
        ALGORITHMS[algorithm](draft, Softmax(axes, logits, values, where, mask, masked_row, self.sink, "mixed" if many else "output"))
        if many:
            finish(draft, axes, "mixed", projected=self.output_projection)
        return Program(tuple(draft.stages), "output")

    def _offset(self, axes: Axes) -> int:
        if self.query_offset is not None:
            return self.query_offset
        queries, keys = axes.token.space, axes.key.space
        if self.by_position and not _same_size(queries, keys):
            raise ProgramError(
                f"query_offset is missing: there are {queries.size_text()} queries and {keys.size_text()} keys, and positions are compared",
                next_move="give query_offset=0 to align the first positions, or m - n to align the last ones (decoding)",
            )
        return 0

    def _logits(self, draft: Draft, axes: Axes, mask: Mask, queries: str, keys: str, *, prescaled: bool) -> str:
        if self.rotary is not None:
            base = exact_number(self.rotary_base, "rotary_base")
            queries, keys = rotate(draft, axes, queries, keys, layout=self.rotary, base=base, offset=mask.offset)
        logits = lower_scores.score(draft, axes, queries, keys, read_scale(self.scale)(axes.d_k), prescaled=prescaled)
        if self.softcap is not None:
            logits = lower_scores.softcap(draft, axes, logits, exact_number(self.softcap, "softcap"))
        if self.bias:
            logits = lower_scores.bias(draft, axes, logits, per_head=self.bias == "per-head")
        return lower_scores.alibi(draft, axes, logits, mask) if self.alibi else logits

    def _add_mask(self, draft: Draft, axes: Axes, logits: str, where: Any, masked_value: Number) -> str:
        infinite = masked_value == "-inf"
        allowed = ("error", "nan") if infinite else ("error",)
        if self.masked_row not in allowed:
            raise ProgramError(
                f'masking is "additive" with {masked_value!r} and masked_row is "{self.masked_row}"',
                next_move='what a fully masked row becomes follows from the numbers then; write masked_row="error" to refuse such a row'
                + (', or "nan" to let it be' if infinite else ""),
            )
        value = None if infinite else exact_number(masked_value, "masked_value")
        return lower_scores.add_mask(draft, axes, logits, where, value, check=self.masked_row == "error")

    def _repr_latex_(self) -> str | None:
        try:
            return self.program()._repr_latex_()
        except SymattnError:  # a description that needs sizes first shows itself as text
            return None

    def with_defaults(self, feeds: Mapping[str, Any]) -> dict[str, Any]:
        """`feeds` with the inputs that have published values: the slopes of ALiBi."""
        given = dict(feeds)
        if self.alibi and "slopes" not in given and isinstance(self.heads, int):
            slopes = alibi_slopes(self.heads)
            given["slopes"] = slopes if self.heads > 1 else slopes[0]
        return given

    def evaluate(
        self,
        feeds: Mapping[str, Any],
        *,
        numbers: str | Format = "exact",
        algorithm: str = "plain",
        masking: str = "skip",
        masked_value: Number = "-inf",
        blocks: Sequence[SizeOrSymbol] = (),
        **options: Any,
    ) -> Evaluation:
        """The named stages for these inputs, in one number system; `options` go to `symattn.interp.evaluate.evaluate`.

        Raises what `program` and `evaluate` raise, and ProgramError for masked_row="nan" in a reading that has no such thing."""
        if self.masked_row == "nan" and isinstance(numbers, str) and not numbers.startswith(("float", "bfloat")):
            raise ProgramError(
                f'masked_row is "nan", which the reading "{numbers}" does not have',
                next_move='write "zero" or "mean", or choose a float reading',
            )
        if self.inputs == "qkv" and not self.cross:
            self._check_one_sequence(feeds)
        sizes = self._stated_sizes(feeds)
        program = self.program(algorithm, masking=masking, masked_value=masked_value, blocks=blocks, **sizes)
        return program.evaluate(self.with_defaults(feeds), numbers=numbers, **options)

    def _check_one_sequence(self, feeds: Mapping[str, Any]) -> None:
        queries, keys = row_count(feeds.get("Q")), row_count(feeds.get("K"))
        if queries and keys and queries != keys:
            raise ShapeError(
                f'"Q" has {queries} row{"s" * (queries != 1)} and "K" has {keys}, but one sequence has as many queries as keys',
                next_move="say cross=True when the keys come from another sequence",
            )

    def _stated_sizes(self, feeds: Mapping[str, Any]) -> dict[str, int]:
        """n and m as they are given, where positions of two sequences are compared and no offset says how."""
        if not (self.cross and self.by_position and self.query_offset is None):
            return {}
        rows = {"n": "X", "m": "Y"} if self.inputs == "weights" else {"n": "Q", "m": "K"}
        values = {size: feeds.get(name) for size, name in rows.items()}
        return {size: count for size, value in values.items() if (count := row_count(value))}

    def symbolic(
        self,
        *,
        given: Mapping[str, Any] | None = None,
        algorithm: str = "plain",
        masking: str = "skip",
        masked_value: Number = "-inf",
        blocks: Sequence[SizeOrSymbol] = (),
        maximum: str = "symbol",
        unfold: bool = True,
        n: int | None = None,
        m: int | None = None,
        d_model: int | None = None,
        d_k: int | None = None,
        d_v: int | None = None,
    ) -> Symbolic:
        """Every stage as SymPy objects: matrices for given sizes, `Indexed` and `Sum` when neither sizes nor values are given.

        See `symattn.interp.symbolic.symbolic` for `given`, `maximum` and `unfold`. `d_v` is `d_k` unless it is given. Sizes
        that the given values show may be left out.

        Raises what `program` and `symbolic` raise."""
        sizes = {"n": n, "m": m, "d_model": d_model, "d_k": d_k, "d_v": d_v}
        known: dict[str, Any] = {name: size for name, size in {**self._stated_sizes(given or {}), **sizes}.items() if size is not None}
        program = self.program(algorithm, masking=masking, masked_value=masked_value, blocks=blocks, **known)
        defaults = self.with_defaults({})
        if "d_k" in known:
            known.setdefault("d_v", known["d_k"])
        return program.symbolic(known, given, defaults=defaults, same={"d_v": "d_k"}, maximum=maximum, unfold=unfold)


def _same_size(a: Space, b: Space) -> bool:
    """Have the two spaces as many entries? Blocks of known sizes count together; symbols are compared as they are written."""
    if a.symbols() or b.symbols():
        return a.size_text() == b.size_text()
    return a.extent({}) == b.extent({})
