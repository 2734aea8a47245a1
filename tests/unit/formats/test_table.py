"""The table of formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from ragbase.formats.readers import READERS
from ragbase.formats.table import FORMATS, JSON, format_of


def test_every_format_has_names_and_types_of_its_own() -> None:
    extensions = [extension for format in FORMATS.values() for extension in format.extensions]
    content_types = [content_type for format in FORMATS.values() for content_type in format.content_types]
    assert len(extensions) == len(set(extensions))
    assert len(content_types) == len(set(content_types))
    assert READERS.keys() == FORMATS.keys()
    for name, format in FORMATS.items():
        assert format.name == name
        assert format_of(f"folder/FILE{format.extensions[0].upper()}") is format
        assert format_of("no-extension", f"{format.content_types[0]}; charset=utf-8") is format


def test_a_new_version_of_a_format_makes_only_its_documents_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.md").write_text("# Ferries\n\nThe ferry leaves the harbour at noon.\n")
    (tmp_path / "parts.json").write_text('{"part": "rain gauge", "price": "41 euros"}')
    files = [str(tmp_path / "notes.md"), str(tmp_path / "parts.json")]
    with RAGEngine(load_config(environment={}, home=tmp_path / "home", embedder="hashing")) as engine:
        assert engine.ingest(files)["unchanged_count"] == 0
        assert engine.ingest(files)["unchanged_count"] == 2
        monkeypatch.setitem(READERS, JSON.name, replace(READERS[JSON.name], version="json-next"))
        assert engine.ingest(files)["unchanged_count"] == 1
        made_by = [found.active.fingerprint for file in files if (found := engine.find(file)) and found.active]
        assert ["json-next" in fingerprint for fingerprint in made_by] == [False, True]
        assert engine.ingest(files)["unchanged_count"] == 2
