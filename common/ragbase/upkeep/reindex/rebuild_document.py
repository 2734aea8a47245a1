"""Make one document again, in the index that a reindex builds, from the file of its active generation, or from the text
that was given for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragbase.domain.chunk import Passage
from ragbase.domain.document import Document, IndexedGeneration, Usage
from ragbase.domain.index import Index
from ragbase.domain.transitions import rebuilt
from ragbase.formats.table import FORMATS, lane_of
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.read_given_text import read_given_text
from ragbase.ports import OpenPartitions, Ports

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilder:
    """Makes documents in the index of `maker`. `source` is an index of the same model, whose embeddings are reused;
    None if no other index has that model."""

    ports: Ports
    maker: Maker
    source: OpenPartitions | None

    def rebuild(self, record: Document, active: IndexedGeneration) -> tuple[Document | None, Usage]:
        """Write the chunks and note them in the record. Returns the record as it is then, and what was paid.

        If search shows another generation by then, nothing is noted, and the next pass removes the chunks. Raises what
        `passages` raises.
        """
        data, format = self._read(record, active)
        duplicate = self.duplicate(record, active)
        extraction = self.maker.extract_in_parts(data, format, record.config, active.given)
        paid: list[Usage] = []
        made = self.maker.make(
            self.maker.cut(extraction, record.config),
            format,
            record.config,
            name=record.name,
            source=record.source,
            document_id=record.id,
            generation=active.generation,
            md5=active.md5,
            given=active.given,
            known=self.known(record, duplicate),
            between_batches=paid.append,
        )
        usage = sum(paid, start=made.usage)
        duplicate_of = active.duplicate_of if duplicate is not None or not self._index.is_split else None
        indexed = replace(made.indexed, duplicate_of=duplicate_of)
        lane = lane_of(FORMATS[format], record.size)
        boxes = self.ports.word_boxes
        if extraction.boxes:
            boxes.put(record.id, active.generation, indexed.reader, extraction.boxes)
        noted = rebuilt(indexed, format=format, lane=lane, usage=usage, now=self.ports.clock.now())
        after = self.ports.documents.update(record.id, noted).after
        if extraction.boxes and (after is None or not after.needs(active.generation)):
            boxes.delete(record.id, active.generation)  # a lane may have removed the generation before they were put
        return after, usage

    def passages(self, record: Document, active: IndexedGeneration) -> Sequence[Passage]:
        """What `rebuild` would write.

        Raises GenerationGone if the bucket has another generation, PermanentError if the current settings cannot make
        text of the bytes.
        """
        data, format = self._read(record, active)
        extraction = self.maker.extract_in_parts(data, format, record.config, active.given)
        return self.maker.cut(extraction, record.config).passages

    def known(self, record: Document, duplicate: Document | None) -> Mapping[str, Vector]:
        """The embeddings, by text hash, that cost nothing: the document's own, and those of its duplicate."""
        known = dict(self.source.vectors_of(record.name).embeddings(record.id)) if self.source is not None else {}
        if duplicate is not None and duplicate.indexed_in(self._index.name) is not None:
            known.update(self.maker.index.vectors_of(duplicate.name).embeddings(duplicate.id))
        return known

    def duplicate(self, record: Document, active: IndexedGeneration) -> Document | None:
        """The record of the document whose chunks it was copied from, unless this index has that document in another
        tenant's partition. It may have changed since."""
        found = self.ports.documents.get(active.duplicate_of) if active.duplicate_of else None
        return found if found is not None and self._index.same_tenant(found.name, record.name) else None

    @property
    def _index(self) -> Index:
        return self.maker.index.index

    def _read(self, record: Document, active: IndexedGeneration) -> tuple[bytes, str]:
        """The bytes, and the format that they have by the current rules; or the UTF-8 of the given text."""
        if active.given is not None:
            text = read_given_text(record.id, active.given, self.ports.texts, self.ports.documents)
            return text, active.format
        data = self.ports.bucket.read(record.name, active.generation)
        return data, self.maker.extractor.detect(data, record.format)
