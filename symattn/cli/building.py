"""What `worksheet build` writes: every file made in memory before the first is written.

Promises: trouble on any page leaves every file as it was. Does not promise: to keep more than one page tree a language.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symattn.errors import InputError, RenderError

if TYPE_CHECKING:
    from symattn.page.nodes import Page
    from symattn.sheets.result import Result

ENDINGS = {"tex": "tex", "pdf": "pdf", "html": "html", "md": "md", "json": "json", "text": "txt"}


@dataclass(frozen=True)
class Build:
    """What is built of each worksheet: `lang` is es, en, all or None for its own language."""

    formats: tuple[str, ...]
    lang: str | None
    blank: bool
    paper: str
    folder: Path

    def check_engine(self) -> None:
        """Raises RenderError where a PDF is asked for and no TeX engine is there, before any work is done."""
        if "pdf" in self.formats:
            from symattn.render.pdf import INSTALL, find_engine

            if find_engine() is None:
                raise RenderError("no PDF: this machine has no TeX engine", next_move=INSTALL)

    def count(self, results: int) -> int:
        """How many files of that many worksheets."""
        return results * len(self.formats) * (2 if self.lang == "all" else 1)

    def files(self, results: Sequence[Result]) -> Iterator[tuple[str, Callable[[], tuple[Path, bytes]]]]:
        """Name of each file, and how it is made. Raises InputError where two worksheets would write the same file."""
        names = [r.sheet.name for r in results]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f'two worksheets are named "{name}"', next_move="build them one by one, into different folders (-o)")
        for result in results:
            for lang in ("es", "en") if self.lang == "all" else (self.lang or result.sheet.lang,):
                pages: list[Page] = []
                for form in self.formats:
                    path = self.folder / f"{result.sheet.name}.{lang}{'.student' if self.blank else ''}.{ENDINGS[form]}"
                    yield path.name, lambda r=result, f=form, p=path, g=lang, s=pages: (p, self._content(r, g, f, s))  # type: ignore[misc]

    def _content(self, result: Result, lang: str, form: str, pages: list[Page]) -> bytes:
        if form == "json":
            from symattn.claims.report import to_json_text
            from symattn.sheets.result import report

            return to_json_text(report([result], lang)).encode()
        if not pages:
            from symattn.sheets.page import build_page

            pages.append(build_page(result, lang))
        return self._pdf(pages[0]) if form == "pdf" else self._text(form, pages[0]).encode("utf-8", "surrogatepass")

    def _text(self, form: str, page: Page) -> str:
        if form == "tex":
            from symattn.render.latex import to_latex

            return to_latex(page, blank=self.blank, paper=self.paper)
        if form == "html":
            from symattn.render.html import to_html

            return to_html(page, blank=self.blank)
        if form == "md":
            from symattn.render.markdown import to_markdown

            return to_markdown(page, blank=self.blank)
        from symattn.render.terminal import to_text

        return to_text(page, blank=self.blank)

    def _pdf(self, page: Page) -> bytes:
        from symattn.render.pdf import to_pdf

        with tempfile.TemporaryDirectory(prefix="symattn-") as folder:
            return to_pdf(self._text("tex", page), Path(folder) / "page.pdf").read_bytes()
