"""The JSON of a record keeps the names that its first version had, whatever the fields are called since."""

from __future__ import annotations

import json
from dataclasses import replace

from ragbase.adapters.record_json import read_record, record_json
from ragbase.domain.metadata import DocumentMetadata
from tests.unit.domain.transitions import after, arrive, claim, flip, shown


def test_a_record_is_stored_under_its_first_names() -> None:
    active = replace(shown(1), index_name="old")
    record = replace(after(arrive(1), claim(1), flip(1)), active=active, rebuilt=replace(active, index_name="new"))
    stored = json.loads(record_json(record))
    assert (stored["active"]["index"], stored["beside"]["index"]) == ("old", "new")
    assert "rebuilt" not in stored and "index_name" not in stored["active"]
    assert read_record(json.dumps(stored)) == record


def test_a_record_from_before_there_were_revisions_is_read() -> None:
    record = after(arrive(1), claim(1), flip(1))
    stored = json.loads(record_json(record))
    assert stored.pop("revision") == 1
    assert read_record(json.dumps(stored)) == replace(record, revision=0)


def test_a_record_from_before_there_were_indexes_is_read() -> None:
    record = after(arrive(1), claim(1), flip(1))
    stored = json.loads(record_json(record))
    del stored["active"]["index"], stored["beside"]
    assert read_record(json.dumps(stored)) == record


def test_a_record_from_before_there_was_metadata_is_read() -> None:
    record = after(arrive(1), claim(1), flip(1))
    stored = json.loads(record_json(record))
    del stored["active"]["metadata"], stored["active"]["notes"]
    assert read_record(json.dumps(stored)) == record


def test_metadata_is_kept() -> None:
    record = after(arrive(1), claim(1), flip(1))
    about = replace(shown(1), metadata=DocumentMetadata(title="Boats", tags=("a", "b")), notes=("damaged",))
    assert read_record(record_json(replace(record, active=about))).active == about
