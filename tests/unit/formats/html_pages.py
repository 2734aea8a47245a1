"""Pages of a test, read as files are."""

from __future__ import annotations

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor

SENTENCE = "The pump needs a new gasket every six months, says the maker of it."


def read(page: str | bytes) -> Extraction:
    return FormatExtractor().extract(page.encode() if isinstance(page, str) else page, "html", ProcessingConfig())


def body(content: str) -> Extraction:
    return read(f"<!doctype html><html><head><title>t</title></head><body>{content}</body></html>")


def left_out(extraction: Extraction) -> dict[str, str]:
    """What was left out, by its kind, with single blanks."""
    return {one.what: " ".join(one.text.split()) for one in extraction.left_out}
