"""Attention as definitions of the language: what `derive attention` differentiates, with each option as the definitions it adds.

Promises: the letters of the field; with `heads`, weight matrices have an axis of heads of their own, so that the values are those of
`Attention(heads=…)` with its columns parted into heads. Does not promise: algorithms; over the reals they are one function.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.calculus.derivation import Both, Definition
from symattn.errors import InputError
from symattn.language.names import is_identifier

MASKS = ("causal",)


@dataclass(frozen=True)
class Described:
    """An attention by its options. Sizes are names or positive integers; `heads` "" is one head without an axis, `kv_heads` the number of
    groups that share keys and values. `softcap` and `scale` are text of the language."""

    heads: str = ""
    kv_heads: str = ""
    mask: str = ""
    rope: bool = False
    softcap: str = ""
    bias: bool = False
    alibi: bool = False
    sink: bool = False
    cross: bool = False
    scale: str = "1/sqrt(d_k)"


def attention_definitions(options: Described) -> list[Definition]:
    """Givens and definitions; the last one is the output O. Raises InputError for options that do not go together."""
    _check(options)
    return _Writer(options).all()


def _check(o: Described) -> None:
    for what, value in (("heads", o.heads), ("kv-heads", o.kv_heads)):
        if value and not (is_identifier(value) or (value.isdigit() and int(value) > 0)):
            raise InputError(f"--{what} is a name or a positive whole number, not {value[:30]!r}", next_move="write h, or 8")
    if o.kv_heads and not o.heads:
        raise InputError("--kv-heads needs --heads", next_move="add --heads h")
    if o.mask and o.mask not in MASKS:
        raise InputError(f'there is no mask "{o.mask[:30]}" here', next_move="known: " + ", ".join(MASKS))
    if o.mask == "causal" and o.cross:
        raise InputError("a causal mask compares positions of one sequence; --cross has two", next_move="leave one of the two out")


@dataclass
class _Writer:
    o: Described
    found: list[Definition] = field(default_factory=list)

    def all(self) -> list[Definition]:
        o = self.o
        # index letters of the axes of heads, and what they run over
        self.head = [("g", _axis("g", o.kv_heads)), ("r", "r")] if o.kv_heads else [("h", _axis("h", o.heads))] if o.heads else []
        self.shared = self.head[:1]
        self.keys = "m" if o.cross else "n"
        self._inputs()
        self._projections()
        if o.rope:
            self._rotation()
        last = self._scores()
        self._weights(last)
        self._output()
        return self.found

    def give(self, name: str, *axes: str, es: str, en: str) -> None:
        self.found.append(Definition(name, f"{name}({', '.join(axes)})", Both(es, en)))

    def define(self, name: str, meaning: str, es: str, en: str) -> None:
        self.found.append(Definition(name, meaning, Both(es, en)))

    def _inputs(self) -> None:
        o = self.o
        self.give("X", "n", "d", es="entrada", en="input")
        if o.cross:
            self.give("Y", "m", "d", es="la otra secuencia", en="the other sequence")
        own, shared = [_declared(a) for a in self.head], [_declared(a) for a in self.shared]
        width = ("p", "side=2") if o.rope else ("d_k",)
        self.give("W_Q", *own, "d", *width, es="pesos de las consultas", en="weights of the queries")
        self.give("W_K", *shared, "d", *width, es="pesos de las claves", en="weights of the keys")
        self.give("W_V", *shared, "d", "d_v", es="pesos de los valores", en="weights of the values")
        if self.head:
            self.give("W_O", *own, "d_v", "d", es="pesos de la salida", en="weights of the output")
        if o.rope:
            self.give("theta", "p", es="ángulos por posición", en="angles by position")
        if o.bias:
            self.give("B", *own, "n", self.keys, es="sesgo de los puntajes", en="bias of the scores")
        if o.alibi:
            self.give("slope", *own, es="pendientes", en="slopes")
        if o.sink:
            self.give("sink", *own, es="puntaje del sumidero", en="score of the sink")
        if o.softcap and is_identifier(o.softcap):
            self.give(o.softcap, es="cota de los puntajes", en="bound of the scores")

    def _projections(self) -> None:
        other = "Y" if self.o.cross else "X"
        width = [("f", "p"), ("u", "side")] if self.o.rope else [("c", "d_k")]
        plain = not self.head and not self.o.rope
        for name, weights, source, index, axes, columns in (
            ("Q", "W_Q", "X", ("i", "n"), self.head, width),
            ("K", "W_K", other, ("j", self.keys), self.shared, width),
            ("V", "W_V", other, ("j", self.keys), self.shared, [("e", "d_v")]),
        ):
            if plain or (not axes and columns == [("e", "d_v")]):
                meaning = f"{source} @ {weights}"
            else:
                inside = ",".join([*_letters(axes), "a", *_letters(columns)])
                meaning = _entries(f"sum_over({source}[{index[0]},a] * {weights}[{inside}], a=d)", [*axes, index, *columns])
            words = {"Q": ("consultas", "queries"), "K": ("claves", "keys"), "V": ("valores", "values")}[name]
            self.define(name, meaning, *words)

    def _rotation(self) -> None:
        rows = {"Q": ("i", "n", self.head), "K": ("j", self.keys, self.shared)}
        self.define("I_2", "eye(side)", "la matriz identidad", "the identity matrix")
        for name, (i, size, axes) in rows.items():
            angle = f"theta[f] * positions({i})"
            self.define(f"C_{name}", _entries(f"cos({angle})", [(i, size), ("f", "p")]), "cosenos", "cosines")
            self.define(f"S_{name}", _entries(f"sin({angle})", [(i, size), ("f", "p")]), "senos", "sines")
            turn = f"C_{name}[{i},f] * I_2[s,u] + (positions(s) - positions(u)) * S_{name}[{i},f]"
            self.define(f"R_{name}", _entries(turn, [(i, size), ("f", "p"), ("s", "side"), ("u", "side")]), "rotación", "rotation")
            inside = ",".join([*_letters(axes), i, "f", "u"])
            body = f"sum_over(R_{name}[{i},f,s,u] * {name}[{inside}], u=side)"
            words = ("consultas rotadas", "rotated queries") if name == "Q" else ("claves rotadas", "rotated keys")
            self.define(f"{name}_hat", _entries(body, [*axes, (i, size), ("f", "p"), ("s", "side")]), *words)

    def _scores(self) -> str:
        o = self.o
        q, k = ("Q_hat", "K_hat") if o.rope else ("Q", "K")
        cells = [*self.head, ("i", "n"), ("j", self.keys)]
        at = f"[{','.join(_letters(cells))}]"
        scale = o.scale.replace("d_k", "(2 * p)") if o.rope else o.scale
        if self.head or o.rope:
            columns = [("f", "p"), ("s", "side")] if o.rope else [("c", "d_k")]
            left, right = (",".join([*_letters(a), i, *_letters(columns)]) for a, i in ((self.head, "i"), (self.shared, "j")))
            product = f"sum_over({q}[{left}] * {k}[{right}], {', '.join(f'{a}={b}' for a, b in columns)})"
            self.define("S", _entries(_scaled(product, scale), cells), "puntajes", "scores")
        else:
            self.define("S", _scaled(f"{q} @ {k}.T", scale), "puntajes", "scores")
        last = "S"
        if o.alibi:
            slope = f"slope[{','.join(_letters(self.head))}]" if self.head else "slope"
            self.define(
                "A", _entries(f"S{at} + {slope} * (positions(j) - positions(i))", cells), "puntajes con distancia", "scores with distance"
            )
            last = "A"
        if o.bias:
            self.define("S_bar", f"{last} + B", "puntajes con sesgo", "biased scores")
            last = "S_bar"
        if o.softcap:
            self.define("T", f"tanh({last} / {o.softcap})", "tangentes", "tangents")
            self.define("S_tilde", f"{o.softcap} * T", "puntajes acotados", "bounded scores")
            last = "S_tilde"
        return last

    def _weights(self, last: str) -> None:
        o = self.o
        cells = [*self.head, ("i", "n"), ("j", self.keys)]
        at, row = f"[{','.join(_letters(cells))}]", f"[{','.join(_letters(cells[:-1]))}]"
        if not o.sink:
            mask = f', mask="{o.mask}"' if o.mask else ""
            self.define("P", f"softmax({last}{mask})", "pesos", "weights")
            return
        conditions = ("if_atmost(j, i, 0)",) if o.mask else ()
        self.define("E", _entries(f"exp({last}{at})", cells, conditions), "exponenciales", "exponentials")
        total = "sum(E)"
        if o.sink:
            sink = f"exp(sink[{','.join(_letters(self.head))}])" if self.head else "exp(sink)"
            summed = f"sum_over(E{at}, j={self.keys})"
            total = _entries(f"{summed} + {sink}", cells[:-1])
        self.define("Z", total, "sumas por fila", "row sums")
        self.define("P", _entries(f"E{at} / Z{row}", cells), "pesos", "weights")

    def _output(self) -> None:
        if not self.head:
            self.define("O", "P @ V", "salida", "output")
            return
        own = _letters(self.head)
        shared = _letters(self.shared)
        cells = [*self.head, ("i", "n"), ("e", "d_v")]
        mixed = f"sum_over(P[{','.join([*own, 'i', 'j'])}] * V[{','.join([*shared, 'j', 'e'])}], j={self.keys})"
        self.define("M", _entries(mixed, cells), "salida de cada cabeza", "output of each head")
        over = ", ".join(f"{a}={b.partition('=')[0]}" for a, b in [*self.head, ("e", "d_v")])
        body = f"sum_over(M[{','.join([*own, 'i', 'e'])}] * W_O[{','.join([*own, 'e', 'b'])}], {over})"
        self.define("O", _entries(body, [("i", "n"), ("b", "d")]), "salida", "output")


Pair = tuple[str, str]


def _axis(name: str, size: str) -> str:
    """An axis whose size is a number keeps its letter as its name."""
    return f"{name}={size}" if size.isdigit() else size


def _declared(pair: Pair) -> str:
    return pair[1]


def _letters(pairs: list[Pair]) -> list[str]:
    return [letter for letter, _ in pairs]


def _entries(body: str, pairs: list[Pair], conditions: tuple[str, ...] = ()) -> str:
    ranges = [f"{letter}={axis.partition('=')[0]}" for letter, axis in pairs]
    return f"entries({', '.join((body, *conditions, *ranges))})"


def _scaled(product: str, scale: str) -> str:
    if scale == "1":
        return product
    return f"{product} / {scale[2:]}" if scale.startswith("1/") else f"{product} * ({scale})"
