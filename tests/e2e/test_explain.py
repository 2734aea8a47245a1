"""`ragbase explain`: a loss of each kind is planted, and its stage is named with figures."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragbase import RAGEngine, load_config
from ragbase.domain.left_out import LeftOut
from ragbase.domain.object_event import EventKind
from ragbase.pipeline.route import route
from tests.e2e.command_line import CommandLine
from tests.unit.formats.pdf.pdf_files import pdf

HARBOUR = "The harbour of Oulu is nine metres deep, and ships with grain and timber call there in summer."
QUESTION = "how deep is the harbour of Oulu"
KEEPERS = {
    "pump": "Anna",
    "valve": "Bertil",
    "boiler": "Carin",
    "mast": "David",
    "rudder": "Erik",
    "anchor": "Fanny",
    "engine": "Gustav",
    "galley": "Hedda",
}
OTHERS = {
    f"{subject}.md": f"The {subject} is looked after by {keeper}, who writes down in a book what was done and when."
    for subject, keeper in KEEPERS.items()
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in {**OTHERS, "harbour.md": HARBOUR}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def engine(ragbase: CommandLine) -> Iterator[RAGEngine]:
    with RAGEngine(load_config(home=ragbase.home, environment={}, embedder="hashing")) as engine:
        yield engine


def explained(ragbase: CommandLine, question: str, document: str | Path, *options: str | Path) -> Any:
    """What it says of a document that is lost."""
    ended = ragbase.call("explain", question, "--document", document, *options, "--json")
    assert ended.code == 1, ended.err
    found = json.loads(ended.out)
    shown = ragbase.call("query", question, *options, "--json").json["results"]
    assert found.get("documentId") not in {source["documentId"] for one in shown for source in one["sources"]}
    return found


def test_a_document_that_is_found(ragbase: CommandLine, folder: Path) -> None:
    assert ragbase.call("ingest", folder).code == 0
    ended = ragbase.call("explain", QUESTION, "--document", folder / "harbour.md", "--json")
    assert ended.code == 0
    found = ended.json
    (result,) = ragbase.call("query", QUESTION, "--json").json["results"]
    assert (found["stage"], found["rank"]) == ("FOUND", 1)
    assert found["best"]["confidence"] == pytest.approx(result["score"])
    assert found["best"]["content"] == result["content"] == HARBOUR
    assert (found["heldChunks"], found["chunkCount"]) == (1, 1)
    assert {word["term"]: word["chunks"] for word in found["words"]} == {"deep": 1, "harbour": 1, "oulu": 1}
    assert sum(word["worth"] for word in found["words"]) == pytest.approx(1)
    assert (found["candidates"]["byMeaning"], found["candidates"]["byWords"], found["candidates"]["passages"]) == (
        1,
        1,
        9,
    )
    text = ragbase.call("explain", QUESTION, "--document", folder / "harbour.md").out
    assert text.startswith("found\nIt is result 1 of at most 5.\n")


@pytest.mark.slow
def test_one_that_was_never_there_and_one_that_was_deleted(ragbase: CommandLine, folder: Path) -> None:
    assert ragbase.call("ingest", folder).code == 0
    assert explained(ragbase, QUESTION, folder / "haven.md")["stage"] == "NOT_IN_BUCKET"
    assert ragbase.call("delete", folder / "harbour.md").code == 0
    gone = explained(ragbase, QUESTION, folder / "harbour.md")
    assert gone["stage"] == "NOT_IN_BUCKET" and "It was deleted." in gone["reason"]


@pytest.mark.slow
def test_a_file_that_nobody_has_seen_yet(ragbase: CommandLine, folder: Path) -> None:
    assert ragbase.call("ingest", folder).code == 0
    (ragbase.home / "bucket" / "new.md").write_text(HARBOUR)
    assert explained(ragbase, QUESTION, "new.md")["stage"] == "NO_RECORD"


@pytest.mark.slow
def test_one_that_waits(ragbase: CommandLine, engine: RAGEngine) -> None:
    stored = engine.profile.bucket.put("new.md", HARBOUR.encode())
    route(stored.event(EventKind.FINALISED), engine.profile)
    found = explained(ragbase, QUESTION, "new.md")
    assert (found["stage"], found["status"]) == ("WAITING", "PENDING")


@pytest.mark.slow
def test_one_whose_new_generation_waits(ragbase: CommandLine, folder: Path, engine: RAGEngine) -> None:
    assert ragbase.call("ingest", folder / "pump.md").code == 0
    name = engine.profile.documents.page(limit=1)[0].name
    stored = engine.profile.bucket.put(name, HARBOUR.encode())
    route(stored.event(EventKind.FINALISED), engine.profile)
    found = explained(ragbase, QUESTION, name)
    assert found["stage"] == "WAITING" and "Search shows an older generation" in found["reason"]
    older = ragbase.call("explain", "who looks after the pump and writes in a book", "--document", name, "--json").json
    assert older["stage"] == "FOUND" and "an older generation" in older["reason"]


@pytest.mark.slow
def test_one_that_failed_and_one_whose_new_generation_failed(ragbase: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "harbour.json"
    file.write_text(f'{{"text": "{HARBOUR}"')
    assert ragbase.call("ingest", file).code == 1
    found = explained(ragbase, QUESTION, file)
    assert (found["stage"], found["errorCode"]) == ("FAILED", "CORRUPT_FILE")
    file.write_text(json.dumps({"text": "The pump is oiled in spring."}))
    assert ragbase.call("ingest", file).code == 0
    file.write_text(f'{{"text": "{HARBOUR}"')
    assert ragbase.call("ingest", file).code == 1
    assert explained(ragbase, "when is the pump oiled in spring", file)["stage"] == "FAILED"


@pytest.mark.slow
def test_one_whose_chunks_are_missing(ragbase: CommandLine, folder: Path) -> None:
    assert ragbase.call("ingest", folder).code == 0
    with closing(sqlite3.connect(ragbase.home / "ragbase.db")) as connection, connection:
        (index,) = connection.execute("SELECT name FROM indexes WHERE live").fetchone()
        connection.execute(f"DELETE FROM chunks_{index} WHERE text = ?", (HARBOUR,))
    found = explained(ragbase, QUESTION, folder / "harbour.md")
    assert (found["stage"], found["heldChunks"], found["chunkCount"]) == ("NOT_IN_INDEX", 0, 1)
    assert "reconcile --repair" in found["remedy"]
    assert ragbase.call("reconcile", "--repair", "--grace", "0").code == 0
    assert ragbase.call("explain", QUESTION, "--document", folder / "harbour.md").code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "value", "part"),
    [
        ("--format", "pdf", "formats"),
        pytest.param("--tag", "ships", "tags", marks=pytest.mark.prove),
        pytest.param("--title", "Ports", "title", marks=pytest.mark.prove),
        pytest.param("--from", "2030-01-01", "date_from", marks=pytest.mark.prove),
        pytest.param("--path", "elsewhere", "path_prefixes", marks=pytest.mark.prove),
        pytest.param("--url", "https://example.com", "url_prefix", marks=pytest.mark.prove),
        ("--where", "depth=9", "where"),
    ],
)
def test_one_that_a_filter_leaves_out(ragbase: CommandLine, folder: Path, option: str, value: str, part: str) -> None:
    assert ragbase.call("ingest", folder).code == 0
    found = explained(ragbase, QUESTION, folder / "harbour.md", option, value)
    assert found["stage"] == "FILTERED"
    assert set(found["refusedBy"]) == {part}
    assert found["best"]["content"] == HARBOUR  # what it would be without the filter


@pytest.mark.slow
def test_one_of_another_tenant(ragbase: CommandLine) -> None:
    ragbase.home.mkdir()
    (ragbase.home / "ragbase.toml").write_text('tenancy = "folder"\n')
    for name in ("red/harbour.md", "blue/pump.md"):
        file = ragbase.home / "bucket" / name
        file.parent.mkdir(parents=True)
        file.write_text(HARBOUR if "harbour" in name else OTHERS["pump.md"])
    assert ragbase.call("reconcile", "--repair", "--grace", "0").code == 0
    assert explained(ragbase, QUESTION, "red/harbour.md", "--tenant", "blue")["stage"] == "OTHER_TENANT"
    assert ragbase.call("explain", QUESTION, "--document", "red/harbour.md", "--tenant", "red").code == 0
    assert ragbase.call("explain", QUESTION, "--document", "red/harbour.md").code == 0


@pytest.mark.slow
def test_one_whose_reader_leaves_the_words_out(ragbase: CommandLine, folder: Path) -> None:
    page = folder / "page.html"
    page.write_text(f"<html><body><p>{OTHERS['pump.md']}</p><script>/* {HARBOUR} */</script></body></html>")
    (folder / "harbour.md").unlink()
    assert ragbase.call("ingest", folder).code == 0
    found = explained(ragbase, QUESTION, page)
    assert found["stage"] == "EXTRACTION"
    assert {word["term"]: word["inFile"] for word in found["words"]} == {"deep": True, "harbour": True, "oulu": True}
    assert "deep, harbour, oulu" in found["reason"].replace("oulu, deep, harbour", "deep, harbour, oulu")


@pytest.mark.slow
def test_words_of_the_markup_are_not_lost(ragbase: CommandLine, folder: Path) -> None:
    page = folder / "page.html"
    paragraphs = "".join(f"<p>{text}</p><!-- {'- ' * 600}-->" for text in OTHERS.values())
    page.write_text(f'<html><body class="color">{paragraphs}<span style="width: 1px">end</span></body></html>')
    assert ragbase.call("ingest", folder).code == 0
    found = explained(ragbase, "which color and width has the harbour span of Oulu in summer", page)
    assert {word["term"] for word in found["words"] if word.get("inFile")} == {"width", "span", "color"}
    assert found["stage"] == "BELOW_THRESHOLD"


@pytest.mark.slow
def test_a_pdf_whose_words_may_be_in_a_picture(ragbase: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "log.pdf"
    file.write_bytes(
        pdf([(12, "The pump of the mill is oiled in spring by the miller,")], [], [(12, "and so is its valve.")])
    )
    assert ragbase.call("ingest", file).code == 0
    found = explained(ragbase, QUESTION, file)
    assert (found["stage"], found["pagesWithoutText"]) == ("EXTRACTION", [2])
    # The words are on the pages that gave a text: then the others do not matter.
    below = explained(ragbase, "is the pump of the mill oiled in spring", file, "--threshold", "1")
    assert below["stage"] == "BELOW_THRESHOLD"


@pytest.mark.slow
def test_one_whose_words_a_border_divides(ragbase: CommandLine, tmp_path: Path) -> None:
    """Of two paragraphs of about a hundred characters, each is a chunk."""
    file = tmp_path / "log.md"
    file.write_text(
        "Pilots say of the harbour of Oulu, after the winter that they have spent there on the ice of the bay:\n\n"
        "The fairway is nine metres deep, and dredged again by the tug Karhu as soon as the ice has gone away.\n"
    )
    assert ragbase.call("ingest", file, "--chunk-size", "110/0 characters").code == 0
    question = "harbour of Oulu: fairway nine metres deep, dredged by the tug Karhu"
    found = explained(ragbase, question, file, "--threshold", "0.999")
    assert found["stage"] == "CHUNK_CUT", found
    joined = found["joined"]
    assert (joined["coverage"], joined["rank"]) == (pytest.approx(1), 1) and joined["chunkCoverage"] < 0.8
    text = ragbase.call("text", file).out[joined["charStart"] : joined["charEnd"]]
    assert "Oulu" in text and "fairway" in text


@pytest.mark.slow
def test_one_that_is_no_candidate(ragbase: CommandLine, folder: Path) -> None:
    """Forty documents have more of the words, and search looks at the best thirty."""
    for number in range(40):
        (folder / f"log-{number}.md").write_text(f"Day {number}: the harbour was deep and calm, the harbour of Oulu.")
    assert ragbase.call("ingest", folder).code == 0
    found = explained(ragbase, QUESTION, folder / "pump.md")
    assert found["stage"] == "NOT_A_CANDIDATE"
    ranks = found["candidates"]
    assert ranks["byMeaning"] > 30 == ranks["limit"] and ranks["chunks"] == 0
    assert "byWords" not in ranks  # it has none of them
    assert f"number {ranks['byMeaning']} by meaning" in found["reason"]


def test_one_below_the_threshold(ragbase: CommandLine, folder: Path) -> None:
    assert ragbase.call("ingest", folder).code == 0
    found = explained(ragbase, QUESTION, folder / "harbour.md", "--threshold", "1")
    assert found["stage"] == "BELOW_THRESHOLD"
    assert found["best"]["confidence"] < 1 and "rank" not in found
    assert "and the threshold is 1. " in found["reason"]
    assert explained(ragbase, QUESTION, folder / "pump.md")["stage"] == "BELOW_THRESHOLD"


def test_one_just_below_the_threshold(ragbase: CommandLine, folder: Path) -> None:
    """Two decimals would give both the same number."""
    assert ragbase.call("ingest", folder).code == 0
    score = explained(ragbase, QUESTION, folder / "harbour.md", "--threshold", "1")["best"]["confidence"]
    threshold = f"{score + 0.00002:.5f}"
    found = explained(ragbase, QUESTION, folder / "harbour.md", "--threshold", threshold)
    assert found["stage"] == "BELOW_THRESHOLD"
    said = re.match(r"Its best chunk scores ([\d.]+), and the threshold is ([\d.]+)\. ", found["reason"])
    assert said is not None
    assert float(said[1]) < float(said[2]) == pytest.approx(float(threshold), abs=1e-6)


@pytest.mark.slow
def test_one_that_is_outranked(ragbase: CommandLine, folder: Path) -> None:
    assert ragbase.call("ingest", folder).code == 0
    question = "what was written down in the book of the pump and the valve"
    first, second = ragbase.call("query", question, "--top-k", "2", "--threshold", "0", "--json").json["results"]
    found = explained(ragbase, question, second["filename"], "--top-k", "1", "--threshold", "0")
    assert (found["stage"], found["rank"]) == ("OUTRANKED", 2)
    assert [better["filename"] for better in found["better"]] == [first["filename"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("scan.psd", "it is a picture"),
        (".notes.md", "it is a hidden file"),
        ("out.md", "it is a link out of the folder"),
    ],
)
def test_a_file_that_is_left_out_of_its_folder(ragbase: CommandLine, folder: Path, name: str, reason: str) -> None:
    if name == "out.md":
        (folder / name).symlink_to("/etc/hostname")
    else:
        (folder / name).write_bytes(b"\x89PNG\r\n\x1a\n")
    ragbase.call("ingest", folder)
    said = explained(ragbase, QUESTION, folder / name)
    assert (said["stage"], reason in said["reason"], bool(said["remedy"])) == ("LEFT_OUT", True, True)


@pytest.mark.slow
def test_words_that_the_reader_left_out(ragbase: CommandLine, folder: Path, engine: RAGEngine) -> None:
    """The record's note says so, of a file whose bytes are no text."""
    path = folder / "harbour.pdf"
    path.write_bytes(pdf([(12, "The pier of Turku was built of granite when the railway came to town.")]))
    engine.ingest([str(path), *(str(folder / name) for name in OTHERS)])
    record = engine.find(str(path))
    assert record is not None and record.active is not None
    note = LeftOut("a watermark", HARBOUR).note
    noted = replace(record, active=replace(record.active, notes=(note,)))
    engine.profile.documents.update(record.id, lambda _: noted)

    said = explained(ragbase, QUESTION, path)
    assert (said["stage"], note in said["reason"]) == ("EXTRACTION", True)


@pytest.mark.slow
def test_what_cannot_be_asked(ragbase: CommandLine, folder: Path) -> None:
    assert ragbase.call("explain", QUESTION).code == 2
    assert ragbase.call("explain", " ", "--document", "a").code == 2
    assert ragbase.call("explain", "x" * 1001, "--document", "a").code == 2
    nothing = ragbase.call("explain", QUESTION, "--document", folder / "harbour.md", "--json")
    assert nothing.code == 1 and nothing.json["stage"] == "NOT_IN_BUCKET"
    assert ragbase.call("ingest", folder).code == 0
    for odd in ("", "/", "..", "a" * 5000, "\x00", "*", "{}"):
        assert ragbase.call("explain", QUESTION, "--document", odd, "--json").json["stage"] == "NOT_IN_BUCKET", odd
    only_stop_words = ragbase.call("explain", "what is the", "--document", folder / "pump.md", "--json")
    assert only_stop_words.json["stage"] in ("BELOW_THRESHOLD", "FOUND", "NOT_A_CANDIDATE", "OUTRANKED")
