"""The walk over the chunks of each tenant: those without a record, and those without the labels that it gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import zip_longest

from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from ragbase.domain.no_document import no_document
from ragbase.domain.passed import is_ahead
from ragbase.ports import HeldChunk, OpenIndex, Ports, VectorStore
from ragbase.upkeep.reconcile.compare import ActiveLabels, Difference, DifferenceKind, Remedy, active_labels
from ragbase.upkeep.reconcile.failures import Failures
from ragbase.upkeep.reconcile.progress import Finding, Place, ReconcileProgress, Walk
from ragbase.upkeep.reconcile.repair import write_labels

CHUNKS = 2_000
"""Chunks whose ids are read together."""


@dataclass(frozen=True, slots=True)
class ChunkWalk:
    """The walk over the chunks of an index."""

    ports: Ports
    index: OpenIndex
    repairs: bool
    grace: timedelta
    failures: Failures
    _live: list[frozenset[str]] = field(default_factory=list)
    """The ids of the documents that have an object, once they are known."""

    def tenants(self, place: Place) -> Iterator[ReconcileProgress]:
        """The chunks of each tenant from `place` on. What comes to a new tenant meanwhile has its record."""
        tenants = [tenant for tenant in self.index.tenants() if tenant >= place.tenant]
        for tenant, following in zip_longest(tenants, tenants[1:]):
            end = Place(Walk.CHUNKS, tenant=following) if following is not None else Place(Walk.TEXTS)
            yield from self._chunks(tenant, place.after if tenant == place.tenant else "", end)

    def _chunks(self, tenant: str, after: str, end: Place) -> Iterator[ReconcileProgress]:
        """The chunks of one tenant after the id `after`. `end` is where to go on after them."""
        documents, vectors = self.ports.documents, self.index.vectors(tenant)
        while True:
            chunks = vectors.scan(after=after, limit=CHUNKS)
            records = documents.get_many(list({chunk.document_id for chunk in chunks}))
            lost = Counter(
                (chunk.document_id, chunk.generation) for chunk in chunks if chunk.document_id not in records
            )
            findings = [
                self._without_record(id, generation, count, vectors)
                for (id, generation), count in lost.items()
                if not self._gets_record(id)
            ]
            if vectors.keeps_labels:
                findings += self._unlabelled(chunks, records, vectors)
            is_last = len(chunks) < CHUNKS
            after = chunks[-1].id if chunks else after
            place = end if is_last else Place(Walk.CHUNKS, after, tenant)
            yield ReconcileProgress(place=place, findings=findings, errors=self.failures.of_page())
            if is_last:
                return

    def _unlabelled(
        self, chunks: Sequence[HeldChunk], records: Mapping[str, Document], vectors: VectorStore
    ) -> Iterator[Finding]:
        """Of the chunks of a page, those without the labels that their records give."""
        now = self.ports.clock.now()
        wanted = {
            id: labels
            for id, record in records.items()
            if (record.updated_at <= now - self.grace or is_ahead(record.updated_at, now))
            and (labels := active_labels(record, index=self.index.index.name)) is not None
        }
        lacking = Counter(
            chunk.document_id
            for chunk in chunks
            if chunk.document_id in wanted and wanted[chunk.document_id].are_lacking(chunk)
        )
        for id, count in lacking.items():
            work = partial(self._labelled, records[id], wanted[id], count, vectors)
            yield from self.failures.tried(id, records[id].name, work) or ()

    def _labelled(self, record: Document, wanted: ActiveLabels, count: int, vectors: VectorStore) -> list[Finding]:
        """`count` chunks are on this page. A repair labels those on later pages, too, so it counts them here."""
        if self.repairs:
            if self.ports.documents.get(record.id) != record:
                return []  # in motion by now
            ports = self.ports
            count = write_labels(
                record,
                wanted,
                vectors,
                documents=ports.documents,
                texts=ports.texts,
                boxes=ports.word_boxes,
                clock=ports.clock,
            )
        difference = Difference(
            kind=DifferenceKind.UNLABELLED,
            found=f"{count} chunks lack the labels for filters",
            remedy=Remedy.LABEL,
            generation=wanted.generation,
            count=count,
        )
        return [Finding(document_id=record.id, name=record.name, difference=difference, repaired=self.repairs)]

    def _gets_record(self, id: str) -> bool:
        """Whether the document has a record again, or an object, which gets its record by the first walk. The objects
        are listed once, and only if there are such chunks: an object that is put later has a record before a chunk."""
        if not self._live:
            bucket, program_files = self.ports.bucket, self.ports.program_files
            names = (one.name for one in bucket.list() if no_document(one.name, program_files) is None)
            self._live.append(frozenset(document_id(bucket.name, name) for name in names))
        return id in self._live[0] or self.ports.documents.get(id) is not None

    def _without_record(self, id: str, generation: int, count: int, vectors: VectorStore) -> Finding:
        """`count` chunks are on this page. A repair removes those on later pages, too, so it counts them here."""
        if self.repairs:
            count = max(count, vectors.held([id]).get(id, {}).get(generation, 0))
            vectors.delete(id, generation=generation)
        difference = Difference(
            kind=DifferenceKind.ORPHANED,
            found=f"{count} chunks of generation {generation}, and no record",
            remedy=Remedy.REMOVE_CHUNKS,
            generation=generation,
            count=count,
        )
        return Finding(document_id=id, name=None, difference=difference, repaired=self.repairs)
