"""What a reader makes of a text."""

from __future__ import annotations

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.chunk import Passage
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor


def read(text: str, format: str) -> Extraction:
    return FormatExtractor().extract(text.encode(), format, ProcessingConfig())


def markdown(text: str, format: str) -> str:
    return read(text, format).markdown


def left_out(text: str, format: str) -> dict[str, str]:
    return {left.what: left.text for left in read(text, format).left_out}


def passages(text: str, format: str, size: int = 1000) -> list[Passage]:
    return MarkdownChunker(size, 0).split(read(text, format))
