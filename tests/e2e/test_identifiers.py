"""A question that names a host, a ticket or a part finds the passage that has it, and not one with its neighbour."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config

OWNERS = ("Ana", "Ben", "Chi", "Dora")
HOSTS = "Host,Owner,Rack,Warranty until\n" + "".join(
    f"web-{n:02},{OWNERS[n % 4]},R{n % 7},2027-{1 + n % 12:02}-01\n" for n in range(30)
)
TICKETS = "# Tickets\n\n" + "\n\n".join(
    f"## Week {n}\n\nTicket OPS-14{n:02} was about a leaking pump in hall {n % 5}. It was closed after {n % 9} days."
    for n in range(20)
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RAGEngine]:
    folder = tmp_path_factory.mktemp("identifiers")
    (folder / "hosts.csv").write_text(HOSTS)
    (folder / "tickets.md").write_text(TICKETS)
    with RAGEngine(load_config(environment={}, home=folder / "home", embedder="hashing")) as engine:
        assert engine.ingest([str(folder / "hosts.csv"), str(folder / "tickets.md")])["failed_files"] == []
        yield engine


@pytest.mark.parametrize("phrasing", ["Host: {}", "Owner of host {}", "Who is the owner of {}?"])
def test_the_row_of_a_host_comes_first(engine: RAGEngine, phrasing: str) -> None:
    hosts = [f"web-{n:02}" for n in range(30)]
    first = {host: engine.query(phrasing.format(host))[0].chunk.content for host in hosts}
    assert [host for host, content in first.items() if f"- Host: {host}" not in content] == []


def test_a_ticket_is_found_in_prose(engine: RAGEngine) -> None:
    tickets = [f"OPS-14{n:02}" for n in range(20)]
    first = {ticket: engine.query(f"What was {ticket} about?") for ticket in tickets}
    assert [ticket for ticket, found in first.items() if ticket not in found[0].chunk.content] == []


@pytest.mark.parametrize("question", ["web-31", "Who is the owner of web-31?", "OPS-1477"])
def test_what_nobody_has_finds_nothing(engine: RAGEngine, question: str) -> None:
    assert engine.query(question) == []


@pytest.mark.parametrize("station", ["NORTH", "SOUTH", "west_pier"])
def test_a_row_is_found_by_the_name_of_its_file(tmp_path: Path, station: str) -> None:
    """Files with the same columns, as weather stations and accounts write them."""
    for warm, name in enumerate(("NORTH", "SOUTH", "west_pier")):
        rows = "".join(f"2031-05-{day:02},{20 + warm + day},{10 + day}\n" for day in range(1, 29))
        (tmp_path / f"{name}.csv").write_text(f"date,max_temp,min_temp\n{rows}")
    with RAGEngine(load_config(environment={}, home=tmp_path / "home", embedder="hashing")) as engine:
        engine.ingest([str(tmp_path / f"{name}.csv") for name in ("NORTH", "SOUTH", "west_pier")])
        found = engine.query(f"max_temp of {station.replace('_', ' ')} on 2031-05-11")[0].chunk
    assert Path(str(found.metadata["source_file"])).stem == station
    assert "- date: 2031-05-11" in found.content


def test_a_page_is_found_beside_others_that_have_all_other_words(tmp_path: Path) -> None:
    """Pages do not name their product. News do, and they say much."""
    files = []
    for number in range(1, 11):
        page = tmp_path / f"PS-{number}.md"
        page.write_text(
            f"# PS-{number} Key storage\n\n## PS-{number} Control requirement\n\nWho keeps the keys, and where."
        )
        news = tmp_path / f"news-{2020 + number}.md"
        news.write_text(
            f"# StationRAMP news {2020 + number}\n\nStationRAMP says thank you to all who asked "
            "about a control requirement."
        )
        files += [str(page), str(news)]
    with RAGEngine(load_config(environment={}, home=tmp_path / "home", embedder="hashing")) as engine:
        engine.ingest(files)
        asked = {
            n: engine.query(f"What does StationRAMP say about the PS-{n} control requirement?") for n in range(1, 11)
        }
    first = {n: Path(str(found[0].chunk.metadata["source_file"])).name for n, found in asked.items() if found}
    assert first == {n: f"PS-{n}.md" for n in range(1, 11)}
