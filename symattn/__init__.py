"""symattn: attention you can prove.

An attention is written once, as a small program over exact tensors with named axes; formulas, digits, floats and worksheets
are readings of that one program. Names load on first use: `import symattn` loads neither SymPy nor NumPy nor flint.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> (module, name there).
_PUBLIC = {
    "Attention": ("symattn.program.attention", "Attention"),
    "Exact": ("symattn.number.exact", "Exact"),
    "Program": ("symattn.program.program", "Program"),
    "SymattnError": ("symattn.errors", "SymattnError"),
    "compile_text": ("symattn.language.prompt", "compile_text"),
    "derive": ("symattn.calculus.derive", "derive"),
    "evaluate": ("symattn.interp.evaluate", "evaluate"),
    "forward": ("symattn.program.tangent", "forward"),
    "hessian": ("symattn.calculus.hessian", "hessian"),
    "jacobian": ("symattn.calculus.jacobian", "jacobian"),
    "reverse": ("symattn.calculus.reverse", "reverse"),
    "symbolic": ("symattn.interp.symbolic", "symbolic"),
}
__all__ = [
    "Attention", "Exact", "Program", "SymattnError", "__version__", "compile_text", "derive", "evaluate", "forward", "hessian", "jacobian",
    "reverse", "symbolic",
]  # fmt: skip

if TYPE_CHECKING:
    from symattn.calculus.derive import derive
    from symattn.calculus.hessian import hessian
    from symattn.calculus.jacobian import jacobian
    from symattn.calculus.reverse import reverse
    from symattn.errors import SymattnError
    from symattn.interp.evaluate import evaluate
    from symattn.interp.symbolic import symbolic
    from symattn.language.prompt import compile_text
    from symattn.number.exact import Exact
    from symattn.program.attention import Attention
    from symattn.program.program import Program
    from symattn.program.tangent import forward


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'symattn' has no attribute {name!r}")
    module, attribute = _PUBLIC[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
