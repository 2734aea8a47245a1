"""How often Firestore is asked for changes."""

from __future__ import annotations

import os
from unittest.mock import patch

from ragbase.adapters.google.changes import FirestoreChanges
from ragbase.adapters.google.document_store import FirestoreDocumentStore
from tests.contract.adapters import fresh_project, shared_firestore
from tests.plain_document import plain_document


def test_an_answer_holds_for_a_moment() -> None:
    now = 0.0
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        project = fresh_project()
        changes = FirestoreChanges(project, look_again=0.4, now=lambda: now)
        assert changes.latest() == 0
        record = plain_document("a.md")
        FirestoreDocumentStore(project).update(record.id, lambda _: record)
        assert changes.latest() == 0
        assert changes.after(0, limit=9).ids == [record.id]
        now = 0.4
        assert changes.latest() > 0
