"""All that is done with the bytes of a file until an answer quotes them, a stage at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragbase.adapters.extractive.generator import ExtractiveGenerator
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.chunk import Chunk, embedding_text
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.identity import text_hash
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.limits import MAX_NOISE_RATIO
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.quality import check_text
from ragbase.ports import DraftSentence
from ragbase.retrieval.same_text import grouped_by_text
from ragbase.retrieval.verify import Verifier
from ragbase.sources.page_links import PageLinks
from ragbase.testing.passages import document
from ragbase.text.languages import language_of
from ragbase.text.terms import index_terms, parts_of

if TYPE_CHECKING:
    from ragbase.domain.chunk import Passage
    from ragbase.domain.extraction import Extraction

QUESTION = "What fills the sail, and which Default retry_limit has a boat of e.g. 1.2?"
QUOTED = 30
"""Passages of which an answer is made: the longest ones, the first and the last. A question has fewer."""

COMPARED = 2_000
"""Passages of which equal texts are looked for. A search finds fewer."""


@dataclass(slots=True)
class Stages:
    """The work on one file. Each stage needs those before it."""

    data: bytes
    format: str
    extractor: FormatExtractor
    extraction: Extraction | None = None
    passages: list[Passage] = field(default_factory=list)

    def all(self) -> dict[str, Callable[[], Any]]:
        links = {"links": self.links} if self.format == "html" else {}
        return links | {
            "detect": self.detect,
            "read": self.read,
            "check": self.check,
            "cut": self.cut,
            "analyse": self.analyse,
            "compare": self.compare,
            "quote": self.quote,
        }

    def links(self) -> None:
        links = PageLinks(self.data, "https://example.com/a/")
        links.all()
        links.canonical()

    def detect(self) -> None:
        self.format = self.extractor.detect(self.data, self.format)

    def read(self) -> None:
        self.extraction = self.extractor.extract(self.data, self.format, ProcessingConfig())
        self.extraction.markdown.encode()

    def check(self) -> None:
        check_text(self._text.markdown, 50, MAX_NOISE_RATIO)

    def cut(self) -> None:
        self.passages = MarkdownChunker().split(self._text)

    def analyse(self) -> None:
        for passage in self.passages:
            index_terms(embedding_text(passage), "english")

    def compare(self) -> None:
        grouped_by_text((chunk, chunk) for chunk in self._chunks()[:COMPARED])

    def quote(self) -> None:
        evidence = [
            EvidencePassage(id=str(number), document=document("guide.md"), chunks=(chunk,), score=0.9)
            for number, chunk in enumerate(self._chunks()[:QUOTED], start=1)
        ]
        for passage in evidence:
            language_of(passage.text)
            parts_of(passage.text)
            sentence_spans(passage.text)
        verifier = Verifier(evidence, chunks_of=lambda _document: _Shown(), language="english")  # type: ignore[arg-type,return-value]
        for sentence in ExtractiveGenerator("english").generate(QUESTION, evidence):
            if isinstance(sentence, DraftSentence):
                verifier.verified(sentence)

    @property
    def _text(self) -> Extraction:
        if self.extraction is None:
            raise TypeError("nothing is read")
        return self.extraction

    def _chunks(self) -> list[Chunk]:
        half = QUOTED // 3
        longest = sorted(self.passages, key=lambda one: -len(one.text))[:half]
        chosen = [*longest, *self.passages[:half], *self.passages[-half:], *self.passages[:COMPARED]]
        return [
            Chunk(
                id=str(ordinal),
                document_id="document",
                generation=1,
                ordinal=ordinal,
                text=passage.text,
                char_start=passage.char_start,
                char_end=passage.char_end,
                header_path=passage.header_path,
                page=passage.page,
                row=passage.row,
                text_hash=text_hash(passage.text),
                table_header=passage.table_header,
            )
            for ordinal, passage in enumerate(chosen)
        ]


class _Shown:
    """A partition that shows every chunk."""

    def shown(self, chunks: tuple[Chunk, ...], _within: object) -> list[Chunk]:
        return list(chunks)
