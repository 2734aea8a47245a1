"""The pages of a part, as JSON: what the worker that reads them leaves for the one that joins them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import TypeAdapter

from ragbase.domain.extraction import PageText

_PAGES = TypeAdapter(tuple[PageText, ...])


def encode_pages(pages: Sequence[PageText]) -> str:
    """The text that `decode_pages` reads."""
    return _PAGES.dump_json(tuple(pages)).decode()


def decode_pages(text: str) -> tuple[PageText, ...]:
    return _PAGES.validate_json(text)
