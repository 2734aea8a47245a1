"""The text of one page, before the pages of a document become one text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageText:
    """What a reader has made of a page: its Markdown."""

    markdown: str
