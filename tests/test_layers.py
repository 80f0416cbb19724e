"""Imports point downward: every module of the package is read with ast, imports inside functions count too.

Promises: an arrow from a lower layer to a higher one fails here, and so does a package or module that has no layer. Type-checking imports
count as well: what a module's types mention, it depends on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "symattn"

# From the ground up; a module may import from its own layer and from those before it.
LAYERS = (
    "errors",
    "page",
    "number",
    "program",
    "language",
    "interp",
    "inputs",
    "proof",
    "calculus",
    "certified",
    "study",
    "audit",
    "claims",
    "sheets",
    "render",
    "cli",
)
# The package's own front door and `python -m symattn`: they may import anything.
DOORS = ("symattn", "symattn.__main__")
# (module, imported layer) -> why the arrow may point up.
EXCEPTIONS = {
    (
        "symattn.program.program",
        "interp",
    ): "`Program.evaluate` and `.symbolic` are methods people look for; they load the readings when called",
    ("symattn.page.notebook", "render"): "what people hold shows itself in a notebook; the renderer is loaded when a notebook asks",
}


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("symattn", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(text: str, module: str, known: set[str], is_package: bool = False) -> Iterator[tuple[str, int]]:
    """Every module of the package that `text` imports, also by a name given as text to import_module or in a table of modules."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield (f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base), node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known:
            yield node.value, node.lineno


def layer(module: str) -> str:
    return module.split(".")[1]


def arrows_up(sources: dict[str, str], packages: set[str]) -> list[str]:
    """What points the wrong way, as `module:line imports module`."""
    found = []
    for module, text in sources.items():
        if module in DOORS:
            continue
        assert layer(module) in LAYERS, f"{module} has no layer: put it into LAYERS"
        for target, line in imported(text, module, set(sources), module in packages):
            if not target.startswith("symattn."):
                if target == "symattn" and layer(module) != "cli":
                    found.append(f"{module}:{line} imports the whole package")
                continue
            upward = LAYERS.index(layer(target)) > LAYERS.index(layer(module))
            if upward and (module, layer(target)) not in EXCEPTIONS:
                found.append(f"{module}:{line} imports {target}")
    return found


def sources() -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in modules().items()}


def packages() -> set[str]:
    return {name for name, path in modules().items() if path.name == "__init__.py"}


def test_every_arrow_points_down() -> None:
    found = sources()
    assert len(found) > 100
    assert arrows_up(found, packages()) == []


@pytest.mark.parametrize(
    "line",
    [
        "from symattn.cli.main import main",
        "import symattn.render.latex",
        "from symattn import cli",
        "from symattn import Attention",
        "def late():\n    from symattn.sheets.page import build_page",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from symattn.claims.model import Claim",
        "from ..render import latex",
        "from ..interp.run import run",
        "TABLE = {'x': ('symattn.interp.run', 'run')}",
    ],
)
def test_a_planted_arrow_is_seen(line: str) -> None:
    planted = sources()
    planted["symattn.number.exact"] += f"\n{line}\n"
    [seen] = arrows_up(planted, packages())
    assert seen.startswith("symattn.number.exact:")


def test_an_arrow_down_is_none() -> None:
    planted = sources()
    planted["symattn.number.exact"] += "\nfrom symattn.errors import SymattnError\nfrom . import truth\n"
    assert arrows_up(planted, packages()) == []


def test_a_module_without_a_layer_is_seen() -> None:
    with pytest.raises(AssertionError, match="has no layer"):
        arrows_up({**sources(), "symattn.misc.helpers": ""}, packages())


def test_the_exceptions_are_needed() -> None:
    found = sources()
    used = {
        (module, layer(target))
        for module, text in found.items()
        for target, _ in imported(text, module, set(found))
        if target.startswith("symattn.") and (module, layer(target)) in EXCEPTIONS
    }
    assert used == set(EXCEPTIONS)


# The two roads to a number share nothing: neither engine's readings may lean on the other's.
ROADS = {
    "symattn.interp.multiprec": ("flint", "symattn.interp.balls", "symattn.interp.ball", "symattn.number.exact_ball"),
    "symattn.interp.balls": ("mpmath", "symattn.interp.multiprec"),
}


def leans(sources: dict[str, str]) -> list[str]:
    return [
        f"{module} imports {target}"
        for module, barred in ROADS.items()
        for target, _ in imported(sources[module], module, set(sources))
        if any(target == b or target.startswith(f"{b}.") for b in barred)
    ]


def test_the_two_roads_are_two() -> None:
    found = sources()
    assert leans(found) == []
    found["symattn.interp.multiprec"] += "\nfrom flint import arb\n"
    assert leans(found) == ["symattn.interp.multiprec imports flint"]
