"""Bytes to Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction, PageText
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.page_range import PageRange


class Extractor(Protocol):
    """Bytes to Markdown. Formats are given by their names (ragbase/formats/table.py)."""

    @property
    def versions(self) -> str:
        """Names the versions of all formats: an index holds documents of all of them."""
        ...

    def version(self, format: str, config: ProcessingConfig) -> str:
        """Names everything that decides which text a file of this format gives, with what of `config` matters to it."""
        ...

    def allows(self, format: str) -> bool:
        """Whether the settings allow documents of this format."""
        ...

    def detect(self, data: bytes, promised: str | None) -> str:
        """The format that the content really has; None promises nothing. Raises PermanentError if no allowed format
        fits."""
        ...

    def extract(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction:
        """Raises PermanentError with the code that fits."""
        ...

    def extract_or_cut(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction | tuple[PageRange, ...]:
        """The text of a file; or, unread, the ranges of pages that a long one is read in. Raises as `extract`."""
        ...

    def extract_pages(
        self, data: bytes, format: str, config: ProcessingConfig, pages: PageRange
    ) -> tuple[PageText, ...]:
        """The text of some pages. What a page gives does not depend on the range that it is read in. Raises as
        `extract`."""
        ...

    def join(self, format: str, pages: Sequence[PageText]) -> Extraction:
        """One text of all pages: the same that `extract` makes of the file. Raises as `extract`."""
        ...
