"""What only a name says, of a file, a folder or a document, helps where it belongs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config

STATIONS = [f"K{first}{second}A" for first in "ABCDEFGH" for second in "STUVW"]


def _engine(home: Path, **settings: str) -> RAGEngine:
    return RAGEngine(load_config(environment={}, home=home, embedder="hashing", **settings))


@pytest.fixture(scope="module")
def stations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RAGEngine]:
    """More files with equal rows than a search reads candidates: only their names tell the rows apart."""
    folder = tmp_path_factory.mktemp("weather")
    for station in STATIONS:
        rows = "".join(f"2031-05-{day:02},20,10\n" for day in range(1, 4))
        (folder / f"{station}.csv").write_text(f"date,max_temp,min_temp\n{rows}")
    with _engine(folder / "home") as engine:
        engine.ingest(sorted(folder.glob("*.csv")))
        yield engine


@pytest.mark.parametrize("station", STATIONS[::9])
def test_a_row_is_found_among_many_equal_ones(stations: RAGEngine, station: str) -> None:
    (first, *_) = stations.query(f"max_temp of {station} on 2031-05-02")
    places = [Path(str(place["source_file"])).stem for place in (first.chunk.metadata, *first.sources)]
    assert places[0] == station


def test_a_name_alone_is_no_answer(tmp_path: Path) -> None:
    pages = tmp_path / "quarry"
    pages.mkdir()
    (pages / "keys.md").write_text("# Keys\n\nKeys are changed once a year, and the old ones are destroyed.\n")
    (pages / "index.md").write_text("# Overview\n\nQuarry is a program that cuts stone by a plan of its own.\n")
    for number in range(6):
        (pages / f"page{number}.md").write_text(f"# Page {number}\n\nSaws of kind {number} need water and oil.\n")
    with _engine(tmp_path / "home") as engine:
        engine.ingest(sorted(pages.glob("*.md")))
        assert "cuts stone" in engine.query("What is Quarry?")[0].chunk.content
        assert "once a year" in engine.query("What does Quarry say about keys?")[0].chunk.content
        assert engine.query("Which penguins breed in Quarry?") == []


def test_a_copy_has_the_names_of_its_own_file(tmp_path: Path) -> None:
    files = [tmp_path / name / "leave.md" for name in ("Lisbon", "Oslo")]
    for file in files:
        file.parent.mkdir()
        file.write_text("# Leave\n\nEverybody has thirty days of leave in a year.\n")
    with _engine(tmp_path / "home") as engine:
        engine.ingest(files)
        for file in files:
            found = engine.query(f"How many days of leave are there in {file.parent.name}?")[0]
            assert Path(str(found.chunk.metadata["source_file"])).parent.name == file.parent.name
            assert len(found.sources) == 2


def test_a_front_matter_that_changes_is_a_name_at_once(tmp_path: Path) -> None:
    texts = {"a.md": "Alder", "b.md": "Birch"}
    with _engine(tmp_path / "home") as engine:
        for programme in ("Alder", "Birch"):
            texts = {"a.md": programme, "b.md": "Birch" if programme == "Alder" else "Alder"}
            for name, said in texts.items():
                (tmp_path / name).write_text(
                    f"---\nprogramme: {said}\n---\n# Fees {name[0]}\n\nThe fee of {name[0]} is due in May.\n"
                )
            engine.ingest([tmp_path / name for name in texts])
            first = engine.query("When is the fee of Alder due?")[0].chunk
            (right,) = (name for name, said in texts.items() if said == "Alder")
            assert Path(str(first.metadata["source_file"])).name == right


def test_versions_share_a_result_unless_the_setting_says_all(tmp_path: Path) -> None:
    files = [tmp_path / version / "limits.md" for version in ("v1", "v2", "v3")]
    for number, file in enumerate(files, start=1):
        file.parent.mkdir()
        file.write_text(
            "# Limits\n\nA request may take so many seconds before the server ends it, and a client may send so many "
            f"of them in a minute: {number}0. Who needs more asks those who run the server for a higher limit.\n"
        )
    question = "How many requests may a client send in a minute?"
    for versions, shown in (("group", ["v3"]), ("all", ["v1", "v2", "v3"])):
        with _engine(tmp_path / versions, versions=versions) as engine:
            engine.ingest(files)
            found = engine.query(question)
            folders = [Path(str(one.chunk.metadata["source_file"])).parent.name for one in found]
            assert sorted(folders) == shown
            named = engine.query(f"{question} (v1)")[0].chunk
            assert Path(str(named.metadata["source_file"])).parent.name == "v1"
