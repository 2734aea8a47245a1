"""The walks over given texts, texts of parts and word boxes: those that no record needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ragbase.domain.document import Document
from ragbase.domain.passed import is_ahead
from ragbase.ports import Clock, DocumentStore, StoredText
from ragbase.upkeep.reconcile.leftover_texts import LeftoverTexts
from ragbase.upkeep.reconcile.progress import Finding, Place, ReconcileProgress

TEXTS = 500
"""Texts, or boxes, that are listed together."""


@dataclass(frozen=True, slots=True)
class TextWalk:
    """The walk over the texts of one store."""

    documents: DocumentStore
    clock: Clock
    repairs: bool
    grace: timedelta

    def leftovers(self, place: Place, leftovers: LeftoverTexts, end: Place | None) -> Iterator[ReconcileProgress]:
        """The texts of one store from `place` on. `end` is where to go on after them."""
        after = place.after
        while True:
            texts = leftovers.store.scan(after=after, limit=TEXTS)
            records = self.documents.get_many(list({text.document_id for text in texts}))
            now = self.clock.now()
            findings = [
                self._leftover_text(text, record, leftovers)
                for text, record in ((text, records.get(text.document_id)) for text in texts)
                if self._is_settled(text, now) and not (record and leftovers.is_needed(record, text.generation))
            ]
            after = texts[-1].document_id if texts else after
            is_last = len(texts) < TEXTS
            yield ReconcileProgress(place=end if is_last else Place(place.walk, after), findings=findings)
            if is_last:
                return

    def _is_settled(self, text: StoredText, now: datetime) -> bool:
        """Whether nobody is about to write the record that needs it. If it was written in a time that is still to come,
        the clock was put back since, and nobody knows how long ago: it stays until then, unless there is no grace."""
        return text.written_at <= now - self.grace or (not self.grace and is_ahead(text.written_at, now))

    def _leftover_text(self, text: StoredText, record: Document | None, leftovers: LeftoverTexts) -> Finding:
        if self.repairs:
            leftovers.store.delete(text.document_id, text.generation)
        return Finding(
            document_id=text.document_id,
            name=record.name if record is not None else None,
            difference=leftovers.difference(text),
            repaired=self.repairs,
        )
