"""One document is made anew, in an index beside the live one, from the bytes of the generation that search shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.chunk import Extraction
from ragbase.domain.document import Active, Document, Usage
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.index import Index
from ragbase.domain.routing import MAX_NOISE_RATIO, Format
from ragbase.domain.transitions import built_beside
from ragbase.extraction.quality import check_text
from ragbase.pipeline.index_text import Indexer
from ragbase.ports import Bucket, Clock, DocumentStore, Extractor, VectorStore

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilder:
    """Makes documents for `index`, whose chunks `indexer` writes. `source` is an index of the same model, whose
    embeddings need not be paid again; None where no other has that model."""

    bucket: Bucket
    documents: DocumentStore
    extractor: Extractor
    clock: Clock
    index: Index
    indexer: Indexer
    source: VectorStore | None

    def fingerprint(self, format: Format) -> str:
        """What decides the chunks and vectors of some bytes (as Worker.fingerprint)."""
        return f"{format.value}|{self.extractor.fingerprint}|{self.indexer.fingerprint}"

    def extract(self, record: Document, active: Active) -> tuple[Format, Extraction]:
        """Raises GenerationGone where the bucket has another generation, PermanentError where the bytes cannot be made
        into text any more."""
        data = self.bucket.read(record.name, active.generation)
        if record.format is None or self.extractor.detect(data, record.format) is not record.format:
            raise PermanentError(ErrorCode.UNSUPPORTED_FORMAT, "The content is of another format than it was.")
        extraction = self.extractor.extract(data, record.format)
        check_text(extraction.markdown, record.config.min_text_length, MAX_NOISE_RATIO)
        return record.format, extraction

    def known(self, record: Document, active: Active) -> Mapping[str, Vector]:
        """The embeddings by text hash that cost nothing: the document's own, and those of its twin."""
        known = dict(self.source.embeddings(record.id)) if self.source is not None else {}
        twin = self.documents.get(active.duplicate_of) if active.duplicate_of else None
        if twin is not None and twin.made_in(self.index.name) is not None:
            known.update(self.indexer.vectors.embeddings(twin.id))
        return known

    def rebuild(self, record: Document, active: Active) -> tuple[Document | None, Usage]:
        """Write the chunks and note them in the record; the record as it is then, and what was paid. Where search shows
        another generation by then, the note is not made, and the next pass takes the chunks away."""
        format, extraction = self.extract(record, active)
        chunk_count, usage = 0, Usage()
        for written, paid in self.indexer.write(
            extraction, document_id=record.id, generation=active.generation, known=self.known(record, active)
        ):
            chunk_count += written
            usage += paid
        made = Active(
            generation=active.generation,
            chunk_count=chunk_count,
            md5=active.md5,
            fingerprint=self.fingerprint(format),
            text_length=len(extraction.markdown),
            page_count=len(extraction.pages) or None,
            duplicate_of=active.duplicate_of,
            index=self.index.name,
        )
        return self.documents.update(record.id, built_beside(made, usage=usage, now=self.clock.now())).after, usage
