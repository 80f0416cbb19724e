"""What people hold of a symbolic reading: a mapping and a namespace from stage name to SymPy object.

Promises: `s["weights"]` and `s.weights` are the same; `s.keys` and `s.values` are the stages of those names, and can be called as the
methods of a mapping where they are matrices. Does not promise: that a stage exists; the error names the nearest one.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from itertools import chain, islice
from math import prod
from typing import Any

import sympy as sp

from symattn.errors import ProgramError
from symattn.interp.evaluate import UnknownStage
from symattn.interp.symbolic_latex import latex, stage_name
from symattn.interp.tensor import Tensor
from symattn.language.names import suggestion
from symattn.program.ops import Input, Reduce
from symattn.program.program import Program

# Nodes of an expression tree that are still printed in a notebook: a page full, and a second of SymPy's printer.
MAX_NODES = 1_500


class CallableMatrix(sp.ImmutableDenseMatrix):  # type: ignore[misc]
    """A stage whose name is that of a mapping's method: the matrix, and, called, the method."""

    def __call__(self) -> Any:
        method = getattr(self, "method", None)
        if method is None:
            raise TypeError("a matrix is not callable")
        return method()

    def __hash__(self) -> int:
        return hash(sp.ImmutableDenseMatrix(self.rows, self.cols, self.flat()))


class CallableTuple(tuple[Any, ...]):
    """The same for one matrix a head."""

    method: Callable[[], Any]

    def __call__(self) -> Any:
        return self.method()


class Symbolic(Mapping[str, Any]):
    """Every stage of a program as SymPy objects.

    With known sizes a stage is an `ImmutableDenseMatrix`: rank 2 its two axes, rank 1 one column, rank 0 the bare expression; above rank
    2 a tuple of matrices, one for each index of the leading axes in order (one a head). `array(name)` has the full rank.
    For symbolic sizes a stage is one expression in `indices[name]`.

    `program` and `sizes` are what was read. `shifts` maps the symbol of each row maximum to the Max it stands for."""

    def __init__(
        self,
        program: Program,
        sizes: Mapping[str, int],
        *,
        tensors: Mapping[str, Tensor[Any]] | None = None,
        expressions: Mapping[str, tuple[tuple[Any, ...], Any]] | None = None,
        shifts: Mapping[Any, Any] | None = None,
    ) -> None:
        self.program = program
        self.sizes = dict(sizes)
        self.shifts = dict(shifts or {})
        self._tensors = dict(tensors or {})
        self.indices: dict[str, tuple[Any, ...]] = {name: free for name, (free, _) in (expressions or {}).items()}
        self._stages: dict[str, Any] = {name: value for name, (_, value) in (expressions or {}).items()}
        self._stages |= {name: _as_matrices(tensor) for name, tensor in self._tensors.items()}

    # -- the mapping ------------------------------------------------------------------------------------------------------------------
    def __getitem__(self, name: str) -> Any:
        if name not in self._stages:
            raise UnknownStage(f"there is no stage {name!r}", next_move=suggestion(str(name), self._stages, "stages"))
        return self._stages[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stages)

    def __len__(self) -> int:
        return len(self._stages)

    def __contains__(self, name: object) -> bool:
        return name in self._stages

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbolic) and self._stages == other._stages

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        stages = self.__dict__.get("_stages", {})
        if name in stages:
            return stages[name]
        raise AttributeError(f'there is no stage "{name[:60]}"; {suggestion(name[:60], stages, "stages")}')

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in self._stages if name.isidentifier())})

    @property
    def keys(self) -> Any:
        """The stage "keys" where there is one; called, the names of the stages."""
        return self._stage_or("keys", lambda: KeysView(self))

    @property
    def values(self) -> Any:
        """The stage "values" where there is one; called, the stages."""
        return self._stage_or("values", lambda: ValuesView(self))

    def items(self) -> ItemsView[str, Any]:
        """(name, stage) for every stage."""
        return ItemsView(self)

    def _stage_or(self, name: str, method: Callable[[], Any]) -> Any:
        stage = self._stages.get(name)
        if isinstance(stage, sp.ImmutableDenseMatrix):
            matrix = CallableMatrix(stage.rows, stage.cols, stage.flat())
            matrix.method = method
            return matrix
        if isinstance(stage, tuple):
            heads = CallableTuple(stage)
            heads.method = method
            return heads
        return method if stage is None else stage

    # -- other forms ------------------------------------------------------------------------------------------------------------------
    def tensor(self, name: str) -> Tensor[Any]:
        """The stage with all its axes and what a mask left out. Raises ProgramError for symbolic sizes or an unknown stage."""
        if name not in self._stages:
            raise ProgramError(f'there is no stage "{name}"', next_move=suggestion(name, self._stages, "stages"))
        if name not in self._tensors:
            raise ProgramError(f'"{name}" has symbolic sizes', next_move="read it at its indices, or give sizes")
        return self._tensors[name]

    def array(self, name: str) -> Any:
        """The stage as an ImmutableDenseNDimArray of its full rank. Raises what `tensor` raises."""
        tensor = self.tensor(name)
        return sp.ImmutableDenseNDimArray(list(tensor.entries), tensor.shape)

    def latex(self, name: str) -> str:
        """`P = …` for a stage. Raises KeyError for an unknown one."""
        return f"{self._left(name)} = {latex(self[name])}"

    def _left(self, name: str) -> str:
        left = stage_name(name, self.program.by_name[name].letter)
        free = self.indices.get(name, ())
        return f"{{{left}}}_{{{','.join(latex(i) for i in free)}}}" if free else left

    def _repr_latex_(self) -> str:
        """Every computed stage, one a line; a stage too long to read shows its shape."""
        lines = []
        for stage in self.program.stages:
            bare = isinstance(stage.op, Reduce) and stage.name in self.indices
            if not isinstance(stage.op, Input) and not bare:
                if stage.name in self._tensors and _is_long(self[stage.name]):
                    shape = r" \times ".join(str(n) for n in self._tensors[stage.name].shape) or "1"
                    lines.append(rf"{self._left(stage.name)} &\in \mathbb{{R}}^{{{shape}}}")
                else:
                    lines.append(f"{self._left(stage.name)} &= {latex(self[stage.name])}")
        return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"

    def __repr__(self) -> str:
        known = [f"{name}={size}" for name, size in self.sizes.items()] + ["symbolic sizes"] * bool(self.indices)
        return f"Symbolic({', '.join(known)}; {', '.join(self._stages)})"


def _is_long(value: Any) -> bool:
    nodes = chain.from_iterable(sp.preorder_traversal(part) for part in (value if isinstance(value, tuple) else (value,)))
    return next(islice(nodes, MAX_NODES, None), None) is not None


def _as_matrices(tensor: Tensor[Any]) -> Any:
    shape = tensor.shape
    entries = list(tensor.entries)
    if entries and isinstance(entries[0], bool):
        entries = [sp.Integer(int(entry)) for entry in entries]
    if not shape:
        return entries[0]
    rows, columns = (shape[-2], shape[-1]) if len(shape) > 1 else (shape[0], 1)
    size = rows * columns
    parts = [sp.ImmutableDenseMatrix(rows, columns, entries[k * size : (k + 1) * size]) for k in range(prod(shape[:-2]))]
    return parts[0] if len(shape) <= 2 else tuple(parts)


__all__ = ["MAX_NODES", "CallableMatrix", "CallableTuple", "Symbolic"]
