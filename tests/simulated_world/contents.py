"""The contents of the documents in a simulated world, and the result that each must have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.chunk import Passage
from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.document import IndexedGeneration
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction, Page, PageText
from ragbase.domain.identity import text_hash
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.limits import MAX_NOISE_RATIO
from ragbase.domain.page_range import PageRange, cut_pages
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.markdown import read_markdown
from ragbase.formats.quality import check_text
from ragbase.formats.table import PDF, format_of
from ragbase.ports import Embeddings
from tests.simulated_world.faults import Crash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragbase.domain.chunk import Vector

LANGUAGE = "english"
_EXTRACTOR = FormatExtractor()
CHUNKERS = {
    "160 characters": MarkdownChunker(size=160, overlap=30),
    "110 characters": MarkdownChunker(size=110, overlap=20),
}
"""The chunker of each release, by its fingerprint."""
RELEASES = tuple(CHUNKERS)
_PARAGRAPHS = [
    "The boiler is inspected every spring, before the heating season has quite come to its end.",
    "Leave is agreed with the team; the first who asks for a week in August is given it.",
    "A parcel that arrives broken is photographed before anybody opens it any further.",
    "The night shift writes down each reading, and the day shift compares them with its own.",
    "Visitors sign the book at the gate and give back their badge when they leave the site.",
    "Spare parts are ordered on Mondays, except for those that stop a machine from running.",
    "Passwords are changed whenever somebody leaves the company, and never by telephone.",
]
_EDITED = "The boiler is inspected every autumn, long before the heating season has begun at all."
_HEADED = "\n\n".join(f"## Rule {n}\n\n{text}" for n, text in enumerate(_PARAGRAPHS))
POISON = b"POISON"
"""A worker that extracts this dies."""
DAMAGE = b"DAMAGE"
"""A page with this cannot be read."""
_READ_BY = ("", " (Read again.)")
"""What the reader of PDFs of each release adds to a page: the texts of two readers must not be mixed."""
_PAGE_BREAK = "\n\n"


def _text(*paragraphs: str) -> bytes:
    return "\n\n".join(paragraphs).encode()


def _pdf(*pages: str) -> bytes:
    return b"%PDF-1.7\n" + "\f".join(pages).encode()


GOOD = {
    "four": _text(*_PARAGRAPHS[:4]),
    "four-edited": _text(_EDITED, *_PARAGRAPHS[1:4]),
    "last-three": _text(*_PARAGRAPHS[4:]),
    "headed": _HEADED.encode(),
    "one": _text(_PARAGRAPHS[2]),
    "json": b'"' + _PARAGRAPHS[5].encode() + b'"',  # a text, too: only its name makes it JSON
    "pdf": _pdf("## Duties\n\nEverybody keeps to these rules.", *_PARAGRAPHS[1:5]),
    "long pdf": _pdf(*_PARAGRAPHS),
}
BAD = {
    "corrupt json": b'{"rule": "' + _PARAGRAPHS[5].encode(),
    "short": b"Too short.",
    "zip": b"PK\x03\x04 and so on, whatever it is that archives go on with after their first four bytes",
    "poison": POISON + b" " + _text(*_PARAGRAPHS[:2]),
    "poisoned page": _pdf(*_PARAGRAPHS[:3], f"{POISON.decode()} {_PARAGRAPHS[3]}"),
    "damaged page": _pdf(*_PARAGRAPHS[:2], f"{DAMAGE.decode()} {_PARAGRAPHS[2]}"),
}
CONTENTS = GOOD | BAD
NAMES = ("a.md", "b.md", "c.txt", "d.json", "e.pdf", "f.exe")
"""The last one says nothing of its format: only its content can."""


Facts = tuple[int, str, int, int]
"""Ordinal, text and offsets of a chunk."""


@dataclass(frozen=True, slots=True)
class Expected:
    """How a generation has to end: with these passages, or FAILED with this code."""

    passages: tuple[Passage, ...] = ()
    code: ErrorCode | None = None
    text_length: int = 0

    @property
    def facts(self) -> list[Facts]:
        return [(n, one.text, one.char_start, one.char_end) for n, one in enumerate(self.passages)]


@cache
def expected(name: str, data: bytes, release: int) -> Expected:
    """What a clean run makes of an object, with the settings of a release. Extraction and chunking count as right here:
    they have their own tests."""
    try:
        promised = format_of(name)
        extractor = SimulatedExtractor(release)
        format = extractor.detect(data, promised.name if promised is not None else None)
        if POISON in data:
            return Expected(code=ErrorCode.INTERNAL_ERROR)
        extraction = extractor.extract(data, format, ProcessingConfig())
        check_text(extraction.markdown, ProcessingConfig().min_text_length, MAX_NOISE_RATIO)
    except PermanentError as error:
        return Expected(code=error.code)
    return Expected(tuple(SimulatedChunker(release).split(extraction)), text_length=len(extraction.markdown))


@cache
def expected_given(text: str, release: int) -> Expected:
    """The same for a given text."""
    extraction = read_markdown(text)
    try:
        check_text(extraction.markdown, ProcessingConfig().min_text_length, MAX_NOISE_RATIO)
    except PermanentError as error:
        return Expected(code=error.code)
    return Expected(tuple(SimulatedChunker(release).split(extraction)), text_length=len(extraction.markdown))


class SimulatedExtractor:
    """The real extractor with a cache, except that a PDF is text with form feeds here, and that poison is a crash. The
    reader of PDFs changes with the release."""

    versions = "simulated"

    def __init__(self, release: int) -> None:
        self._release = release

    def version(self, format: str, config: ProcessingConfig) -> str:
        return f"simulated {self._release if format == PDF.name else ''}"

    def allows(self, format: str) -> bool:
        return True

    def detect(self, data: bytes, promised: str | None) -> str:
        return _detect(data, promised)

    def extract(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction:
        if POISON in data:
            raise Crash
        if format != PDF.name:
            return _extract(data, format)
        return self.join(format, [self._page(page) for page in _pages_of(data)])

    def extract_or_cut(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction | tuple[PageRange, ...]:
        parts = cut_pages([1.0] * len(_pages_of(data))) if format == PDF.name else ()
        return parts or self.extract(data, format, config)

    def extract_pages(
        self, data: bytes, format: str, config: ProcessingConfig, pages: PageRange
    ) -> tuple[PageText, ...]:
        return tuple(self._page(page) for page in _pages_of(data)[pages.first - 1 : pages.last])

    def join(self, format: str, pages: Sequence[PageText]) -> Extraction:
        return _joined(tuple(pages))

    def _page(self, page: str) -> PageText:
        if POISON.decode() in page:
            raise Crash
        if DAMAGE.decode() in page:
            raise PermanentError(ErrorCode.CORRUPT_FILE, "The page is damaged.")
        return PageText(page + _READ_BY[self._release])


def _pages_of(data: bytes) -> list[str]:
    return data.decode().partition("\n")[2].split("\f")


@cache
def _detect(data: bytes, promised: str | None) -> str:
    return _EXTRACTOR.detect(data, promised)


@cache
def _extract(data: bytes, format: str) -> Extraction:
    return _EXTRACTOR.extract(data, format, ProcessingConfig())


@cache
def _joined(texts: tuple[PageText, ...]) -> Extraction:
    pages, start = [], 0
    for number, text in enumerate(texts, start=1):
        pages.append(Page(number, start, start + len(text.markdown)))
        start += len(text.markdown) + len(_PAGE_BREAK)
    return Extraction(_PAGE_BREAK.join(text.markdown for text in texts), tuple(pages), boxes=b"boxes")


class SimulatedChunker:
    """The real chunker with small passages and a cache."""

    def __init__(self, release: int) -> None:
        self.fingerprint = RELEASES[release]

    def sized(self, size: ChunkSize | None) -> SimulatedChunker:
        """Only MarkdownChunker() has other sizes. No simulated upload asks for one."""
        if size is not None:
            raise AssertionError("a simulated upload has the chunks of its release")
        return self

    def split(self, extraction: Extraction) -> list[Passage]:
        return list(_split(extraction, self.fingerprint))


def release_of(made: IndexedGeneration) -> int:
    """The release whose settings have made it."""
    (release,) = [RELEASES.index(part) for part in made.fingerprint.split("|") if part in CHUNKERS]
    return release


@cache
def _split(extraction: Extraction, fingerprint: str) -> tuple[Passage, ...]:
    return tuple(CHUNKERS[fingerprint].split(extraction))


class SimulatedEmbedder:
    """Unit vectors from the text's hash: common words do not make two texts similar."""

    dimension = 4
    max_batch = 1
    at_a_time = 2
    """Small, so that a document needs several batches of several calls."""

    def __init__(self, model: str) -> None:
        self.model = model

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings([self.embed_query(text) for text in texts], billed_tokens=len(texts))

    def embed_query(self, text: str) -> Vector:
        return vector_of(text_hash(text))


@lru_cache(maxsize=1000)
def vector_of(hash: str) -> Vector:
    """The vector of the text with this hash."""
    vector = np.frombuffer(bytes.fromhex(hash)[:4], np.uint8).astype(np.float32) + 1
    return np.asarray(vector / np.linalg.norm(vector), np.float32)
