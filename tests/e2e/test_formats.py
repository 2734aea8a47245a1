"""Files of every format of the fast lane: found, with what they say of themselves, and read in the format they have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from ragbase.domain.document import Status
from ragbase.interfaces.wire.documents import document_status

FILES = {
    "sails.md": b"---\ntitle: About sails\ntags: [boats]\ndate: 2024-03-01\n---\nThe mainsail has a halyard.\n",
    "rope.html": b"<!doctype html><title>Ropes</title><nav>menu</nav><main>A bowline is a knot that never slips</main>",
    "crew.csv": b"name,duty\nAnna,Anna reads the compass at every watch\nBert,Bert cooks the porridge in the galley\n",
    "ports.tsv": b"port\tnote\nCalais\tIn Calais the lock gates open two hours before high water\n",
    "log.jsonl": b'{"day": 1, "text": "The barometer fell during the dog watch"}\n{"day": 2, "text": "calm"}\n',
    "chart.json": b'{"chart": {"north": "The reef is marked by a green buoy with a bell"}}',
    "notes.txt": "Der Anker fasst nicht, wenn die Kette zu kurz über dem Grund liegt.".encode("latin-1"),
    "page.txt": b"<!DOCTYPE html><html><body><p>Tides are highest at new moon and at full moon.</p></body></html>",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("formats")
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[RAGEngine]:
    with RAGEngine(load_config(environment={}, home=folder / "home", embedder="hashing")) as engine:
        assert engine.ingest([str(folder / name) for name in FILES])["failed_files"] == []
        yield engine


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "name", "heading"),
    [
        ("halyard of the mainsail", "sails.md", "About sails"),
        ("bowline knot never slips", "rope.html", "Ropes"),
        ("Bert cooks porridge galley", "crew.csv", "row 2: Bert"),
        ("Calais lock gates open high water", "ports.tsv", "row 1"),
        ("barometer fell dog watch", "log.jsonl", "item 1"),
        ("reef green buoy bell", "chart.json", "chart"),
        ("Anker Kette kurz über Grund", "notes.txt", "notes"),
        ("tides highest new moon full moon", "page.txt", "page"),
    ],
)
def test_each_format_is_found_at_its_place(engine: RAGEngine, question: str, name: str, heading: str) -> None:
    found = engine.query(question)[0].chunk.metadata
    assert (Path(str(found["source_file"])).name, found["header_path"]) == (name, heading)


def test_a_row_is_cited_by_its_number(engine: RAGEngine) -> None:
    found = engine.query("Calais lock gates open high water")[0].chunk.metadata
    assert found["row"] == 1
    assert "row" not in engine.query("halyard of the mainsail")[0].chunk.metadata


def test_results_show_what_a_document_says_of_itself(engine: RAGEngine, folder: Path) -> None:
    found = engine.query("halyard of the mainsail")[0].chunk.metadata
    assert (found["title"], found["tags"], found["date"]) == ("About sails", "boats", "2024-03-01")
    page = engine.find(str(folder / "page.txt"))
    assert page is not None and (page.format, page.status) == ("html", Status.COMPLETED)
    assert document_status(page).notes == ("Its name or type says txt, its content says html: read as html.",)
    doubtful = engine.find(str(folder / "notes.txt"))
    assert doubtful is not None and "cp1252" in str(document_status(doubtful).notes)
