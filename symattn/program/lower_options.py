"""Reading the options of an attention: names with their nearest known one, sizes, masks, scales, and the axes they make.

Promises: what cannot be meant is a ProgramError (a number that is not exact: an InputError) that says what to write instead.
Does not promise: lowering.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn.errors import InputError, ProgramError
from symattn.number.literal import exact_rational
from symattn.program.lower_draft import Axes, Mask, apply, mul, num
from symattn.program.lower_scores import Scale
from symattn.program.scalar import Scalar, Size
from symattn.program.spaces import Axis, Space

if TYPE_CHECKING:
    from symattn.program.attention import Attention

MASKS = ("causal", "window", "padding", "array")
MASKED_ROWS = ("error", "zero", "mean", "nan")
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_UNDER_ROOT = re.compile(r"1\s*/\s*sqrt\(\s*([0-9./]{1,40})\s*\)")


# -- single values --------------------------------------------------------------------------------------------------------------------
def one_of(what: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse a name that is not known, with the nearest known one. Raises ProgramError."""
    if isinstance(value, str) and value in known:
        return
    near = get_close_matches(value, known, n=1) if isinstance(value, str) else []
    hint = f'did you mean "{near[0]}"? ' if near else ""
    raise ProgramError(f"{what} is {_shown(value)}", next_move=f"{hint}known: {', '.join(known)}")


def positive_integer(what: str, value: object) -> int:
    """The value, when it is an integer of at least 1. Raises ProgramError."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ProgramError(f"{what} is {_shown(value)}", next_move="give a positive integer")
    return value


def size_or_symbol(what: str, value: object) -> int | str:
    """A positive integer, or a symbol's name (a letter, then letters, digits and underscores). Raises ProgramError."""
    if isinstance(value, str):
        if not _SYMBOL.fullmatch(value):
            raise ProgramError(f"{what} is {_shown(value)}", next_move="give a positive integer or a name such as n")
        return value
    return positive_integer(what, value)


def exact_number(value: object, what: str) -> Fraction:
    """The exact number. Raises InputError for a float and anything else that is not exact, naming the option."""
    try:
        return exact_rational(value)
    except InputError as error:
        raise InputError(f"{what}: {error.message}", next_move=error.next_move) from error


def row_count(value: object) -> int:
    """The rows of something given as a matrix; 0 where that cannot be seen."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape and isinstance(shape[0], int):
        return shape[0]
    return len(value) if isinstance(value, list | tuple) else 0


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


# -- masks and scales -----------------------------------------------------------------------------------------------------------------
def read_mask(mask: object, window: object, offset: int) -> Mask:
    """`mask` is None or rules joined by "+". Raises ProgramError: unknown rule, a window without a causal mask, no width."""
    rules: list[str] = []
    if mask is not None:
        if not isinstance(mask, str):
            raise ProgramError(f"mask is {_shown(mask)}", next_move='name the rules, joined by "+": ' + ", ".join(MASKS))
        rules = [rule.strip() for rule in mask.split("+")]
    for rule in rules:
        one_of("mask", rule, MASKS)
        if rules.count(rule) > 1:
            raise ProgramError(f'mask names "{rule}" twice', next_move="name each rule once")
    if window is None:
        if "window" in rules:
            raise ProgramError('mask is "window" but window is not given', next_move="give its width, window=w: keys i-w+1 … i are kept")
        width = None
    else:
        width = positive_integer("window", window)
        if not {"causal", "window"} & set(rules):
            raise ProgramError(f"window is {width} but the mask is {_shown(mask)}", next_move='a window is causal: write mask="window"')
    causal = "causal" in rules or "window" in rules
    return Mask(causal, width, "padding" in rules, "array" in rules, offset)


def read_scale(scale: object) -> Callable[[Scalar], Scale]:
    """The scaling as a function of d_k. Raises ProgramError for None and for text that is neither a number nor a known form."""
    if scale is None:
        raise ProgramError(
            "scale is None, which could mean two things", next_move='write scale=1 for no scaling, "1/sqrt(d_k)" for the usual one'
        )
    text = re.sub(r"\s+", "", scale) if isinstance(scale, str) and len(scale) <= 100 else scale
    if text == "1/sqrt(d_k)":
        return lambda d_k: Scale(divisor=apply("sqrt", d_k))
    if text == "1/d_k":
        return lambda d_k: Scale(divisor=d_k)
    if text == "input":
        return lambda d_k: Scale(given=True)
    root = _UNDER_ROOT.fullmatch(text) if isinstance(text, str) else None
    try:
        value = exact_number(root.group(1) if root else text, "scale")
    except InputError as error:
        if isinstance(scale, float):
            raise
        raise InputError(
            f"scale is {_shown(scale)}", next_move='write "1/sqrt(d_k)", "1/d_k", "1/sqrt(8)", or an exact number such as "1/8" or "0.125"'
        ) from error
    if root:
        if value <= 0:
            raise ProgramError(f"scale is {_shown(scale)}", next_move="the number under the root is positive")
        return lambda d_k: Scale(divisor=apply("sqrt", num(value, root.group(1))))
    if value == 1:
        return lambda d_k: Scale()
    if isinstance(text, str) and text.startswith("1/"):
        return lambda d_k: Scale(divisor=num(1 / value))
    return lambda d_k: Scale(factor=num(value, text if isinstance(text, str) else ""))


def alibi_slopes(heads: int) -> tuple[Fraction, ...]:
    """The published slopes, one a head: 2**(-8h/H) for h = 1 … H when H is a power of two; else those of the power of two P below H,
    then every other one of 2P's, from its first. Source: Press et al. 2022, section 3, and its appendix for other counts.

    Raises InputError where they are irrational, for more than 8 heads: implementations round them, each in its way."""
    positive_integer("heads", heads)
    below = 1 << (heads.bit_length() - 1)
    exponents = [Fraction(-8 * h, below) for h in range(1, below + 1)]
    exponents += [Fraction(-8 * h, 2 * below) for h in range(1, 2 * below + 1, 2)][: heads - below]
    if any(e.denominator != 1 for e in exponents):
        raise InputError(
            f"the slopes of ALiBi for {heads} heads are irrational", next_move='give the input "slopes", as your model rounds them'
        )
    return tuple(Fraction(2) ** int(e) for e in exponents)


# -- axes -----------------------------------------------------------------------------------------------------------------------------
def make_axes(attention: Attention, algorithm: str, blocks: tuple[int | str, ...], sizes: Mapping[str, Any]) -> Axes:
    """The axes of an attention with these sizes (n, m, d_model, d_k, d_v; None for a default). Raises ProgramError."""
    given = {name: size_or_symbol(name, value) for name, value in sizes.items() if value is not None}
    n, d_k = given["n"], given["d_k"]
    if not attention.cross and "m" in given and given["m"] != n:
        raise ProgramError(
            f"m is {given['m']} but in self-attention there are as many keys as queries", next_move="leave m out, or write cross=True"
        )
    d_v = given.get("d_v", d_k if isinstance(d_k, int) else "d_v")
    keys = _key_space("key" if attention.cross else "token", given.get("m", "m") if attention.cross else n, algorithm, blocks, attention)
    tokens = Space("token", n) if attention.cross else keys
    feature, scalar, pair, side = _feature(attention.rotary, d_k)
    heads, kv_heads = _head_axes(attention.heads, attention.kv_heads)
    return Axes(
        Axis("token", tokens),
        Axis("key", keys),
        Axis("model", Space("model", given["d_model"])),
        feature,
        Axis("channel", Space("channel", d_v)),
        heads,
        kv_heads,
        scalar,
        pair,
        side,
    )


def _key_space(name: str, size: int | str, algorithm: str, blocks: tuple[int | str, ...], attention: Attention) -> Space:
    if algorithm != "online":
        if blocks:
            raise ProgramError(f'blocks are given but the algorithm is "{algorithm}"', next_move='write algorithm="online"')
        return Space(name, size)
    if not blocks:
        raise ProgramError("the online algorithm needs the sizes of its blocks of keys", next_move="give blocks=(2, 1, …), in order")
    parts = tuple(Space(f"block_{k}", size_or_symbol(f"block {k}", b)) for k, b in enumerate(blocks, 1))
    numbers = [part.size for part in parts if isinstance(part.size, int)]
    if len(numbers) < len(parts) and read_mask(attention.mask, attention.window, 0).by_position:
        raise ProgramError(
            "a block has a symbol for its size, but the mask compares positions", next_move="give every block an integer size"
        )
    if isinstance(size, int) and (len(numbers) < len(parts) or sum(numbers) != size):
        listed = " + ".join(str(b) for b in blocks)
        raise ProgramError(f"the blocks have {listed} keys but there are {size}", next_move=f"give blocks that add up to {size}")
    return Space(name, blocks=parts)


def _feature(rotary: str | None, d_k: int | str) -> tuple[Axis, Scalar, Axis | None, Axis | None]:
    if rotary is None:
        return Axis("feature", Space("feature", d_k)), Size(d_k) if isinstance(d_k, str) else num(d_k), None, None
    if isinstance(d_k, int) and d_k % 2:
        raise ProgramError(f"rotary positions turn pairs of features, but d_k is {d_k}", next_move="give an even d_k")
    pairs = Space("pair", d_k // 2 if isinstance(d_k, int) else "pairs")
    sides = Space("side", 2)
    factors = (pairs, sides) if rotary == "interleaved" else (sides, pairs)
    scalar = num(d_k) if isinstance(d_k, int) else mul(num(2), Size("pairs"))
    return Axis("feature", Space("feature", factors=factors)), scalar, Axis("pair", pairs), Axis("side", sides)


def _head_axes(heads: int | str, kv_heads: int | None) -> tuple[tuple[Axis, ...], tuple[Axis, ...]]:
    if heads == 1:
        return (), ()
    head = Axis("head", Space("head", heads))
    if kv_heads is None or kv_heads == heads:
        return (head,), (head,)
    if kv_heads == 1:
        return (head,), ()
    assert isinstance(heads, int)
    group, member = Axis("group", Space("group", kv_heads)), Axis("member", Space("member", heads // kv_heads))
    return (group, member), (group,)
