"""Dead letters in Firestore.

A Firestore document has these fields:

    record                  the whole dead letter as JSON text; no index has it
    document_id, last_seen  copies of what the queries below compare

The queries need only single-field indexes, which Firestore makes by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase.adapters.google.document_store import RECORD, is_key
from ragbase.adapters.google.temporary_errors import PATIENCE, contention_retry, passing_faults, patient_retry
from ragbase.domain.dead_letter import DeadLetter

if TYPE_CHECKING:
    from google.cloud.firestore import Client, CollectionReference, DocumentReference, DocumentSnapshot, Query

    from ragbase.ports import DeadLetterPlace

COLLECTION = "dead_letters"

_DEAD_LETTER = TypeAdapter(DeadLetter)


class FirestoreDeadLetters:
    """Implements the DeadLetters port. The client is made when it is first used, and talks to FIRESTORE_EMULATOR_HOST
    if that is set."""

    def __init__(self, project: str, *, database: str = "(default)", collection: str = COLLECTION) -> None:
        self._project = project
        self._database = database
        self._name = collection

    def keep(self, dead_letter: DeadLetter) -> None:
        reference = self._collection.document(dead_letter.id)

        def save() -> None:
            known = _dead_letter(reference.get(retry=None, timeout=PATIENCE))
            kept = replace(dead_letter, first_seen=known.first_seen) if known else dead_letter
            fields = {
                RECORD: _DEAD_LETTER.dump_json(kept).decode(),
                "document_id": kept.document_id,
                "last_seen": kept.last_seen,
            }
            reference.set(fields, retry=None, timeout=PATIENCE)

        with passing_faults("Firestore"):
            patient_retry()(save)()

    def get(self, id: str) -> DeadLetter | None:
        if not is_key(id):
            return None
        with passing_faults("Firestore"):
            return _dead_letter(self._collection.document(id).get(retry=patient_retry(), timeout=PATIENCE))

    def about(self, document_id: str) -> Sequence[DeadLetter]:
        from google.cloud.firestore import FieldFilter

        dead_letters = _dead_letters(self._collection.where(filter=FieldFilter("document_id", "==", document_id)))
        return sorted(dead_letters, key=lambda dead_letter: (dead_letter.last_seen, dead_letter.id), reverse=True)

    def page(self, *, before: DeadLetter | DeadLetterPlace | None = None, limit: int) -> Sequence[DeadLetter]:
        newest = self._collection.order_by("last_seen", direction="DESCENDING").order_by(
            "__name__", direction="DESCENDING"
        )
        if before is not None:
            place = {"last_seen": before.last_seen, "__name__": self._collection.document(before.id)}
            newest = newest.start_after(place)
        return _dead_letters(newest.limit(limit)) if limit else []

    def remove(self, dead_letter: DeadLetter) -> bool:
        from google.api_core.exceptions import NotFound

        reference = self._collection.document(dead_letter.id)

        def delete() -> bool:
            snapshot = reference.get(retry=None, timeout=PATIENCE)
            known = _dead_letter(snapshot)
            if known is None or known.last_seen != dead_letter.last_seen:
                return False
            unchanged = self._client.write_option(last_update_time=snapshot.update_time)
            try:
                reference.delete(option=unchanged, retry=None, timeout=PATIENCE)
            except NotFound:
                return False
            return True

        with passing_faults("Firestore"):
            return contention_retry()(delete)()

    @cached_property
    def _client(self) -> Client:
        from google.cloud.firestore import Client

        return Client(self._project, database=self._database)

    @cached_property
    def _collection(self) -> CollectionReference:
        return self._client.collection(self._name)


def _dead_letters(query: Query) -> list[DeadLetter]:
    with passing_faults("Firestore"):
        snapshots = query.get(retry=patient_retry(), timeout=PATIENCE)
    return [_DEAD_LETTER.validate_json(snapshot.get(RECORD)) for snapshot in snapshots]


def _dead_letter(snapshot: DocumentSnapshot[DocumentReference]) -> DeadLetter | None:
    return _DEAD_LETTER.validate_json(snapshot.get(RECORD)) if snapshot.exists else None
