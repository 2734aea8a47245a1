"""How often Firestore is asked for changes, and what a reader of some folders sees among many of others."""

from __future__ import annotations

import os
from functools import partial
from unittest.mock import patch

import pytest

from ragbase.adapters.google.changes import FirestoreChanges
from ragbase.adapters.google.document_store import FirestoreDocumentStore
from ragbase.domain.document import Document
from ragbase.domain.reach import Reach
from tests.plain_document import plain_document
from tests.shared_servers import fresh_project, shared_firestore

pytestmark = pytest.mark.slow


def _record(record: Document, _: Document | None) -> Document:
    return record


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


@pytest.mark.parametrize("tenant", [None, "hr"])
def test_many_changes_of_others_are_no_changes_of_a_reader(monkeypatch: pytest.MonkeyPatch, tenant: str | None) -> None:
    monkeypatch.setattr("ragbase.adapters.google.changes._MOST_READ", 4)
    reach = Reach.of(["hr/mine", "hr/alone.md"])
    with patch.dict(os.environ, FIRESTORE_EMULATOR_HOST=shared_firestore()):
        project = fresh_project()
        store, changes = FirestoreDocumentStore(project), FirestoreChanges(project)

        def put(*names: str) -> None:
            for name in names:
                record = plain_document(name, id=name.replace("/", "-"))
                store.update(record.id, partial(_record, record))

        put("hr/mine/old.md")
        start = changes.after(0, limit=2).number
        put(*(f"hr/other/{number}.md" for number in range(5)))
        silent = changes.after(start, tenant=tenant, reach=reach, limit=2)
        assert (silent.ids, silent.has_more) == ([], False)
        put("hr/mine/b.md", "hr/alone.md", "hr/mine.md")
        put(*(f"hr/mineral/{number}.md" for number in range(5)))
        seen = changes.after(start, tenant=tenant, reach=reach, limit=2)
        assert (seen.ids, seen.has_more) == (["hr-mine-b.md", "hr-alone.md"], False)
        assert changes.after(start, tenant=tenant, reach=reach, limit=1).has_more
        assert changes.after(seen.number, tenant=tenant, reach=reach, limit=2).ids == []
