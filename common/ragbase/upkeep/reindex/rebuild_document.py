"""Make one document again, in the index that a reindex builds, from the bytes of its active generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragbase.domain.chunk import Passage
from ragbase.domain.document import Document, IndexedGeneration, Usage
from ragbase.domain.transitions import rebuilt
from ragbase.formats.table import FORMATS
from ragbase.pipeline.make_chunks import Maker
from ragbase.ports import Ports, VectorStore

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilder:
    """Makes documents in the index of `maker`. `source` is an index of the same model, whose embeddings are reused;
    None if no other index has that model."""

    ports: Ports
    maker: Maker
    source: VectorStore | None

    def rebuild(self, record: Document, active: IndexedGeneration) -> tuple[Document | None, Usage]:
        """Write the chunks and note them in the record. Returns the record as it is then, and what was paid.

        If search shows another generation by then, nothing is noted, and the next pass removes the chunks. Raises what
        `passages` raises.
        """
        data, format = self._read(record, active)
        paid: list[Usage] = []
        made = self.maker.make(
            data,
            format,
            record.config,
            document_id=record.id,
            name=record.name,
            generation=active.generation,
            md5=active.md5,
            known=self.known(record, active),
            between_batches=paid.append,
        )
        usage = sum(paid, start=made.usage)
        indexed = replace(made.indexed, duplicate_of=active.duplicate_of)
        lane = FORMATS[format].lane
        noted = rebuilt(indexed, format=format, lane=lane, usage=usage, now=self.ports.clock.now())
        return self.ports.documents.update(record.id, noted).after, usage

    def passages(self, record: Document, active: IndexedGeneration) -> list[Passage]:
        """What `rebuild` would write.

        Raises GenerationGone if the bucket has another generation, PermanentError if the current settings cannot make
        text of the bytes.
        """
        data, format = self._read(record, active)
        return self.maker.split(self.maker.extract(data, format, record.config), record.config)

    def known(self, record: Document, active: IndexedGeneration) -> Mapping[str, Vector]:
        """The embeddings, by text hash, that cost nothing: the document's own, and those of its duplicate."""
        known = dict(self.source.embeddings(record.id)) if self.source is not None else {}
        duplicate = self.duplicate(active)
        if duplicate is not None and duplicate.indexed_in(self.maker.index.index.name) is not None:
            known.update(self.maker.index.vectors.embeddings(duplicate.id))
        return known

    def duplicate(self, active: IndexedGeneration) -> Document | None:
        """The record of the document whose chunks it was copied from. That document may have changed since."""
        return self.ports.documents.get(active.duplicate_of) if active.duplicate_of else None

    def _read(self, record: Document, active: IndexedGeneration) -> tuple[bytes, str]:
        """The bytes, and the format that they have by the current rules."""
        data = self.ports.bucket.read(record.name, active.generation)
        return data, self.maker.extractor.detect(data, record.format)
