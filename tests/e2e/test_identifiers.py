"""A question that names a host, a ticket or a part finds the passage that has it, and not one with its neighbour."""

from __future__ import annotations

import re
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


KINDS = {
    "invoice": ["INV/2024/0031", "INV/2024/0032", "INV/2023/0031"],
    "address": ["10.20.7.10", "10.20.7.11", "10.20.7.0/24"],
    "mail": ["ana.lind@example.org", "ana.lindt@example.org", "ben.lind@example.org"],
    "path": ["/etc/ssh/sshd_config", "/etc/ssh/ssh_config", "/etc/sshd/config"],
    "version": ["3.0.0", "3.0.1", "13.0.0"],
    "date": ["2027-03-01", "2027-03-02", "2027-01-03"],
    "clause": ["§ 12", "§ 12a", "§ 4.2"],
    "part": ["AB-1234/5", "AB-1234/6", "X200-1.5"],
    "error": ["E0382", "E0383", "0x80070005"],
    "file": ["report.final.pdf", "final.report.pdf", "src/main.rs"],
}
MISSING = ["INV/2024/0777", "10.20.77.1", "/etc/ssh/moduli", "7.1.4", "2029-11-28", "§ 77", "AB-9876/5", "E0499"]
QUESTIONS = ["{}", "Who looked after {}?", "Wer war für {} zuständig?", "Кто отвечал за {}?", "{}的负责人是谁？"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RAGEngine]:
    """Each kind in prose, in a table or in a CSV file."""
    folder = tmp_path_factory.mktemp("archive")
    for number, (kind, ones) in enumerate(KINDS.items()):
        owned = list(zip(ones, OWNERS, strict=False))
        match number % 3:
            case 0:
                for n, (one, owner) in enumerate(owned):
                    text = f"# Entry {n}\n\n{owner} looked after {one}, and it was done in {n + 2} days.\n"
                    (folder / f"{kind}-{n}.md").write_text(text)
            case 1:
                for n, (one, owner) in enumerate(owned):
                    table = f"# List {n}\n\n| {kind} | looked after by |\n|---|---|\n| {one} | {owner} |\n"
                    (folder / f"{kind}-{n}.md").write_text(table)
            case _:
                rows = "".join(f"{one},{owner}\n" for one, owner in owned)
                (folder / f"{kind}.csv").write_text(f"{kind},Owner\n{rows}")
    with RAGEngine(load_config(environment={}, home=folder / "home", embedder="hashing")) as engine:
        assert engine.ingest([str(file) for file in sorted(folder.iterdir()) if file.is_file()])["failed_files"] == []
        yield engine


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_of_any_kind_the_passage_that_has_it_comes_first_in_any_language(archive: RAGEngine, question: str) -> None:
    asked = [one for ones in KINDS.values() for one in ones]
    first = {one: [found.chunk.content for found in archive.query(question.format(one))[:1]] for one in asked}
    ends = r"(?![\w/@-]|\.\w)"
    assert {
        one: content
        for one, content in first.items()
        if not any(re.search(rf"(?<![\w./@-]){re.escape(one)}{ends}", text) for text in content)
    } == {}


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_nobody_has_finds_nothing_in_any_language(archive: RAGEngine, question: str) -> None:
    assert [one for one in MISSING if archive.query(question.format(one))] == []


@pytest.mark.parametrize(("asked", "written"), [("3.0", "3.0.0"), ("v3.0.0", "3.0.0"), ("3.0.1", "3.0.1")])
def test_a_version_is_found_with_and_without_its_last_zero(archive: RAGEngine, asked: str, written: str) -> None:
    assert f"| {written} |" in archive.query(f"Who looked after version {asked}?")[0].chunk.content


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


@pytest.mark.slow
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
