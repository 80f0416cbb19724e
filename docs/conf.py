"""Sphinx settings: MyST pages, formulas as MathML written by symattn itself, nothing fetched from the network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docutils import nodes  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

from symattn import __version__  # noqa: E402
from symattn.render.html_math import mathml  # noqa: E402
from symattn.sheets.texmath import read_tex  # noqa: E402

project = "symattn"
author = "The symattn developers"
project_copyright = author
release = version = __version__
language = "en"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "symattn"
html_show_sphinx = False
html_copy_source = False
html_last_updated_fmt = None
nitpicky = True


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(f"<math>{mathml(read_tex(node.astext()))}</math>")
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math"><math display="block">{mathml(read_tex(node.astext()))}</math></div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Formulas of the pages go through the same reader and the same writer as those of worksheets."""
    app.add_html_math_renderer("symattn", (_inline, None), (_block, None))
    app.config.html_math_renderer = "symattn"
