"""`ragbase reindex`: another model or other chunks, killed in the middle, while another process answers queries."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from ragbase import RAGEngine, load_config
from tests.e2e.command_line import TIMEOUT, CommandLine

pytestmark = pytest.mark.slow

WORDS = ("harbour", "lantern", "meadow", "copper", "violin", "thunder", "orchard", "compass", "ribbon", "glacier")
QUESTION = "How deep is the harbour of Oulu?"
ANSWER = "The harbour of Oulu is nine metres deep."


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred and fifty files of several chunks each, and one file with the answer."""
    folder = tmp_path_factory.mktemp("documents")
    source = random.Random(5)
    for number in range(150):
        paragraphs = (" ".join(source.choices(WORDS, k=60)) + "." for _ in range(12))
        (folder / f"{number}.md").write_text(f"# Document {number}\n\n" + "\n\n".join(paragraphs), encoding="utf-8")
    (folder / "oulu.md").write_text(f"# Oulu\n\n{ANSWER}\n", encoding="utf-8")
    return folder


def settings(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "ragbase.toml").write_text(text)


def shown(home: Path) -> dict[str, object]:
    """Each document's chunks as search may show them, and how many the index holds in all."""
    with RAGEngine(load_config(home=home, environment={}, embedder="hashing")) as engine:
        records = engine.profile.documents.page(limit=1000)
        contents: dict[str, object] = {
            record.name: [
                (one.chunk.text, one.chunk.char_start, one.chunk.char_end)
                for one in engine.profile.open_index().vectors().read(record.id, record.generation)
            ]
            for record in records
        }
        return {**contents, "chunks": len(engine.profile.open_index().vectors().scan(limit=100_000))}


def indexes(home: Path) -> dict[str, int]:
    """The chunks of every index but the current one."""
    with closing(sqlite3.connect(home / "ragbase.db")) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM indexes WHERE NOT live")]
        return {name: connection.execute(f"SELECT count(*) FROM chunks_{name}").fetchone()[0] for name in names}


def kill_in_the_middle(ragbase: CommandLine, *, at: int) -> None:
    """Start a reindex, and kill it once the index that it builds has this many chunks."""
    process = ragbase.start("reindex", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + TIMEOUT
        while sum(indexes(ragbase.home).values()) < at:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.prove
def test_a_reindex_that_is_killed_goes_on_while_another_process_answers(documents: Path, tmp_path: Path) -> None:
    settings(tmp_path / "clean", "chunk_size = 300\nchunk_overlap = 50\n")
    assert CommandLine(tmp_path / "clean").run("ingest", documents).code == 0
    ragbase = CommandLine(tmp_path / "home", is_fresh=True)  # a process that is killed is gone
    assert ragbase.run("ingest", documents).code == 0
    before = shown(ragbase.home)
    with serving(ragbase) as url, asking(url) as answers:
        settings(ragbase.home, "chunk_size = 300\nchunk_overlap = 50\n")
        cost = ragbase.call("reindex", "--dry-run", "--json").json
        assert cost["documents"] == 151 and cost["texts"] > 1000
        for at in (1, 400):
            kill_in_the_middle(ragbase, at=at)
            assert ragbase.call("query", QUESTION, "--json").json["results"]
            assert shown(ragbase.home) == before  # nothing of what is half built
        settings(ragbase.home, "chunk_size = 500\n")
        refused = ragbase.call("reindex")
        assert refused.code == 1 and "half built" in refused.err and "--discard" in refused.err
        settings(ragbase.home, "chunk_size = 300\nchunk_overlap = 50\n")

        done = ragbase.run("reindex")

        assert done.code == 0, done.err
        assert 0 < int(done.out.splitlines()[-2].split()[0]) < 151  # the others were made before
        assert "dropped: the index" in done.out
        assert shown(ragbase.home) == shown(tmp_path / "clean") != before
        assert indexes(ragbase.home) == {}
        switched = len(answers)
        deadline = time.monotonic() + TIMEOUT
        while len(answers) < switched + 5:  # the other process has followed
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert all(answers)
    again = ragbase.call("reindex")
    assert again.code == 0 and "nothing to do" in again.out


def test_another_model_takes_over_at_once(tmp_path: Path) -> None:
    (tmp_path / "oulu.md").write_text(f"# Oulu\n\n{ANSWER}\n", encoding="utf-8")
    (tmp_path / "twin.md").write_text(f"# Oulu\n\n{ANSWER}\n", encoding="utf-8")
    hashing, minilm = (CommandLine(tmp_path / "home", embedder=name) for name in ("hashing", "minilm"))
    for name in ("oulu.md", "twin.md"):
        assert hashing.call("ingest", tmp_path / name).code == 0
    # The settings name another model: until it has an index of its own, the old one answers, and takes documents.
    asked = minilm.call("query", QUESTION)
    assert ANSWER in asked.out and "ragbase reindex" in asked.err
    (tmp_path / "late.md").write_text("A document that came late.", encoding="utf-8")
    assert minilm.call("ingest", tmp_path / "late.md").code == 0
    assert hashing.call("reindex").out.endswith(" already has the current settings: nothing to do.\n")

    ended = minilm.call("reindex", "--json")

    assert ended.err == ""
    done = ended.json
    assert done.pop("dropped")[0].startswith("hashing_384_")
    assert done.pop("index").startswith("all_minilm_l6_v2_")
    assert done.pop("model").startswith("all-MiniLM-L6-v2")
    assert done == {
        "made": True,
        "documents": 3,
        "chunks": 3,
        "embeddedTexts": 2,
        "billedTokens": 0,
        "refused": 0,
    }
    # Those who still have the old settings ask the new index, with its model.
    for one in (minilm, hashing):
        assert ANSWER in one.call("query", QUESTION).out
        assert "Nothing found" in one.call("query", "the rules of chess for beginners").out


MUSEUMS = {
    "th": "พิพิธภัณฑ์ของเมืองโอวลุปิดในวันจันทร์",
    "ru": "Музей города Оулу закрыт по понедельникам.",
    "hu": "Az oului múzeum hétfőn zárva tart.",
}
MUSEUM_QUESTION = "On which day is the museum of Oulu closed?"


@pytest.mark.prove
def test_the_multilingual_model_takes_over_while_another_process_answers(documents: Path, tmp_path: Path) -> None:
    """It finds what the old one did not: what the question asks for in other languages."""
    for language, text in MUSEUMS.items():
        (tmp_path / f"{language}.md").write_text(f"{text}\n", encoding="utf-8")
    minilm, e5 = (CommandLine(tmp_path / "home", embedder=name) for name in ("minilm", "e5"))
    some = [documents / "oulu.md", *(documents / f"{number}.md" for number in range(8))]
    ingested = minilm.run("ingest", *some, *(tmp_path / f"{language}.md" for language in MUSEUMS))
    assert ingested.code == 0, ingested.out + ingested.err
    with serving(minilm) as url, asking(url) as answers:
        done = e5.run("reindex", "--json")
        assert done.code == 0, done.err
        assert done.json["model"].startswith("multilingual-e5-small-int8-")
        assert (done.json["documents"], done.json["refused"]) == (len(some) + len(MUSEUMS), 0)
        switched = len(answers)
        deadline = time.monotonic() + TIMEOUT
        while len(answers) < switched + 5:  # the other process has followed
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert len(answers) > switched > 0 and all(answers)
    found = e5.call("query", MUSEUM_QUESTION, "--threshold", "0", "--json").json["results"][:4]
    assert {text for text in MUSEUMS.values() if any(text in result["content"] for result in found)} == {
        *MUSEUMS.values()
    }


def test_nothing_to_rebuild(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    assert ragbase.call("reindex", "--dry-run").out == "There is nothing to rebuild.\n"
    assert ragbase.call("reindex").out.endswith(": nothing to do.\n")


@contextmanager
def serving(ragbase: CommandLine) -> Iterator[str]:
    """Another process, with the settings as they are now, that answers at this URL."""
    process = ragbase.start("serve", "--port", "0", "--json", stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["url"]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(TIMEOUT)
        process.stdout.close()


@contextmanager
def asking(url: str) -> Iterator[list[bool]]:
    """Ask again and again; gives for each answer whether it had what it should."""
    answers: list[bool] = []
    finished = Event()

    def ask() -> None:
        body = json.dumps({"query": QUESTION}).encode()
        while not finished.is_set():
            request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                results = json.load(response)["results"]
            answers.append(any(ANSWER in result["content"] for result in results))

    asker = Thread(target=ask)
    asker.start()
    try:
        yield answers
    finally:
        finished.set()
        asker.join()
