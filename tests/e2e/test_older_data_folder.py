"""A data folder that an older version made still works: nothing is lost, and only what changes is embedded again."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragbase import RAGEngine
from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.identity import document_id
from ragbase.domain.question import Question
from ragbase.engine.indexed_text import indexed_passages, indexed_text
from ragbase.engine.lanes import lanes
from ragbase.engine.plan_reindex import plan_reindex
from ragbase.engine.search import search
from ragbase.engine.standstill import Standstill
from ragbase.engine.wait import DocumentWaiter
from ragbase.pipeline import make_chunks
from ragbase.text import terms
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report
from ragbase.upkeep.reindex.reindex import reindex
from tests.e2e.command_line import CommandLine

OLD = Path(__file__).parents[1] / "data" / "data_folder"
SMALL_CHUNKS = {"chunk_size": 200, "chunk_overlap": 20}
"""The settings of the interrupted reindex."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.copytree(OLD / "bucket", tmp_path / "bucket")
    with closing(sqlite3.connect(tmp_path / "ragbase.db")) as database:
        database.executescript((OLD / "ragbase.sql").read_text(encoding="utf-8"))
    return tmp_path


@contextmanager
def opened(home: Path, **settings: int) -> Iterator[Profile]:
    with closing(open_profile(load_config(environment={}, home=home, embedder="hashing", **settings))) as profile:
        yield profile


def record(profile: Profile, name: str) -> Document:
    found = profile.documents.get(document_id(profile.bucket.name, name))
    assert found is not None
    return found


def test_its_documents_are_listed_and_found(home: Path) -> None:
    with opened(home) as profile:
        listed = {one.name: one.status for one in profile.documents.page()}
        assert listed == {
            "guide.md": Status.COMPLETED,
            "copy.md": Status.COMPLETED,
            "parts.json": Status.COMPLETED,
            "support.txt": Status.COMPLETED,
            "broken.json": Status.FAILED,
        }
        assert record(profile, "gone.txt").tombstone
        duplicate = record(profile, "copy.md").active
        assert duplicate is not None and duplicate.duplicate_of == record(profile, "guide.md").id
        best = search(Question("How long does the battery of the station last?"), profile)[0]
        assert {source.document.name for source in best.sources} == {"guide.md", "copy.md"}
        assert "eleven months" in best.chunk.text
        assert search(Question("the page that was deleted, of which a tombstone is left"), profile) == []


@pytest.mark.slow
def test_it_is_in_step_and_a_reindex_reads_it_as_this_version_does(home: Path) -> None:
    with opened(home) as profile:
        report = Report()
        for progress in reconcile(profile, profile.open_index()):
            report.add(progress)
        assert (report.found.total(), report.in_step) == (0, 5)
        with lanes(profile), plan_reindex(profile) as plan:
            done = reindex(plan, discard=True)
        # The guide's passage goes over two sections: it no longer has the heading of the first one in front.
        assert (done.documents, done.usage.embedded_texts) == (4, 1)
        for name in ("guide.md", "copy.md", "parts.json", "support.txt"):
            document = record(profile, name)
            assert document.active is not None and document.format is not None
            assert document.active.fingerprint == profile.maker().fingerprint(document.format, document.config)


@pytest.mark.slow
def test_its_words_are_analysed_as_this_version_does_without_embedding_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older version had other terms."""
    files = [tmp_path / f"{number}.md" for number in range(4)]
    for number, file in enumerate(files):
        file.write_text(f"Host web-1{number + 5} belongs to the night shift.", encoding="utf-8")
    with monkeypatch.context() as older:
        older.setattr(terms, "VERSION", "terms-v0")
        older.setattr(make_chunks, "index_terms", lambda *_: "nothing")
        with RAGEngine(load_config(environment={}, home=tmp_path / "home", embedder="hashing")) as engine:
            assert engine.ingest(list(map(str, files)))["failed_files"] == []
            assert engine.query("web-17") == []
    with opened(tmp_path / "home") as profile, lanes(profile), plan_reindex(profile) as plan:
        done = reindex(plan)
        assert (done.documents, done.usage.embedded_texts) == (4, 0)
        assert [one.chunk.text for one in search(Question("web-17"), profile)] == [
            "Host web-17 belongs to the night shift."
        ]


@pytest.mark.slow
def test_with_the_copy_in_its_place_nothing_is_lost_that_came_meanwhile(home: Path, tmp_path: Path) -> None:
    """The way back that docs/stability.md tells. This version stands in for the older one, which opens the copy."""
    ragbase = CommandLine(home)
    news = tmp_path / "news.md"
    news.write_text("# News\n\nThe mast of the station was painted in orange.\n", encoding="utf-8")
    assert ragbase.call("ingest", news).code == 0
    (copy,) = (home / "copies").iterdir()
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (2,)
        assert database.execute("SELECT count(*) FROM documents WHERE id LIKE '%'").fetchone() == (6,)

    copy.replace(home / "ragbase.db")
    for suffix in ("-wal", "-shm"):
        (home / f"ragbase.db{suffix}").unlink(missing_ok=True)
    assert "had format 2, of an older ragbase" in (listed := ragbase.call("list")).err
    assert "news.md" not in listed.out
    assert ragbase.call("reconcile", "--repair", "--grace", "0").code in (0, 1)
    assert ragbase.call("reconcile").code == 0
    assert "painted in orange" in ragbase.call("query", "What was painted in orange?", "--threshold", "0").out


def test_its_objects_have_the_times_that_their_numbers_said(home: Path) -> None:
    with opened(home) as profile:
        for stored in profile.bucket.list():
            assert stored.written_at == datetime.fromtimestamp(stored.generation // 1_000_000, UTC).replace(
                microsecond=stored.generation % 1_000_000
            )


def test_an_edit_embeds_only_what_has_changed(home: Path) -> None:
    with opened(home) as profile:
        before = record(profile, "guide.md").usage.embedded_texts
        edited = (home / "bucket" / "guide.md").read_text(encoding="utf-8") + "\n## Sky\n\nThe sky above it is dark.\n"
        waiter = DocumentWaiter(profile.documents, Standstill(profile))
        with lanes(profile, waiter.settled):
            stored = profile.bucket.put("guide.md", edited.encode())
            id = document_id(stored.bucket, stored.name)
            waiter.expect(id, lambda one: one.generation == stored.generation and not one.needs_work)
            list(waiter.rest())
        assert record(profile, "guide.md").usage.embedded_texts == before + 1
        assert "dark" in search(Question("How is the sky above the station?"), profile)[0].chunk.text


@pytest.mark.slow
def test_the_text_is_the_one_that_search_shows_though_this_version_would_read_another(home: Path) -> None:
    with opened(home) as profile:
        parts = record(profile, "parts.json")
        text = "".join(indexed_text(parts, profile.open_index()))
        assert parts.active is not None and len(text) == parts.active.text_length
        for chunk in indexed_passages(parts, profile.open_index(), first=0, limit=100):
            assert text[chunk.char_start : chunk.char_end] == chunk.text
        with lanes(profile), plan_reindex(profile) as plan:
            reindex(plan, discard=True)
        guide = "".join(indexed_text(record(profile, "guide.md"), profile.open_index()))
        assert guide == (home / "bucket" / "guide.md").read_text("utf-8")


@pytest.mark.slow
def test_its_interrupted_reindex_was_for_an_older_version(home: Path) -> None:
    """Formats are read in another way since: what it has built is dropped."""
    with opened(home, **SMALL_CHUNKS) as profile:
        rebuilt = record(profile, "guide.md").rebuilt
        assert rebuilt is not None
        with lanes(profile), plan_reindex(profile) as plan:
            with pytest.raises(ConfigurationError, match=f"half built: {rebuilt.index_name}"):
                reindex(plan)
            done = reindex(plan, discard=True)
        assert done.made and done.index is not None and done.index.name != rebuilt.index_name
        guide = record(profile, "guide.md")
        assert guide.active is not None and guide.rebuilt is None
        assert guide.active.index_name == done.index.name
