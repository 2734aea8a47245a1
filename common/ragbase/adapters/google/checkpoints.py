"""Checkpoints in Firestore: a document for each, with the text as its only field."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.adapters.google.temporary_errors import PATIENCE, contention_retry, passing_faults, patient_retry

if TYPE_CHECKING:
    from google.cloud.firestore import Client, CollectionReference


class FirestoreCheckpoints:
    """Implements the Checkpoints port. The client is made when it is first used, and talks to FIRESTORE_EMULATOR_HOST
    if that is set."""

    def __init__(self, project: str, *, database: str = "(default)", collection: str = "checkpoints") -> None:
        self._project = project
        self._database = database
        self._name = collection

    def load(self, name: str) -> str | None:
        with passing_faults("Firestore"):
            snapshot = self._collection.document(name).get(retry=patient_retry(), timeout=PATIENCE)
        return str(snapshot.get("text")) if snapshot.exists else None

    def save(self, name: str, text: str | None) -> None:
        reference = self._collection.document(name)
        with passing_faults("Firestore"):
            if text is None:
                reference.delete(retry=patient_retry(), timeout=PATIENCE)
            else:
                reference.set({"text": text}, retry=patient_retry(), timeout=PATIENCE)

    def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
        reference = self._collection.document(name)

        def attempt() -> str | None:
            snapshot = reference.get(retry=None, timeout=PATIENCE)
            before = str(snapshot.get("text")) if snapshot.exists else None
            after = change(before)
            if after == before:
                return after
            if snapshot.exists:
                unchanged = self._client.write_option(last_update_time=snapshot.update_time)
                reference.update({"text": after}, option=unchanged, retry=None, timeout=PATIENCE)
            else:
                reference.create({"text": after}, retry=None, timeout=PATIENCE)
            return after

        with passing_faults("Firestore"):
            return contention_retry()(attempt)()

    @cached_property
    def _client(self) -> Client:
        from google.cloud.firestore import Client

        return Client(self._project, database=self._database)

    @cached_property
    def _collection(self) -> CollectionReference:
        return self._client.collection(self._name)
