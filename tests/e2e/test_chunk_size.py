"""Chunks of another size for some documents: as metadata of an object, or with `ingest`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.config import load_config
from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.document import Document, Status
from ragbase.domain.extraction import Extraction
from ragbase.domain.identity import document_id
from ragbase.engine.ingest import ingest
from ragbase.engine.lanes import lanes
from ragbase.engine.plan_reindex import plan_reindex
from ragbase.engine.standstill import Standstill
from ragbase.engine.wait import DocumentWaiter
from ragbase.sources.expand import expand
from ragbase.upkeep.reindex.reindex import reindex

pytestmark = pytest.mark.slow

GUIDE = "# Boats\n\n" + "\n\n".join(f"Rope {n} holds the sail while the wind is from the north." for n in range(90))
SMALL = ChunkSize.read("100/10 tokens")


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    config = load_config(environment={}, home=tmp_path / "home", embedder="hashing")
    with closing(open_profile(config)) as profile:
        yield profile


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text(GUIDE)
    return path


def uploaded(profile: Profile, name: str, size: str) -> Document:
    waiter = DocumentWaiter(profile.documents, Standstill(profile))
    with lanes(profile, waiter.settled):
        profile.bucket.put(name, GUIDE.encode(), metadata={"ragbase-chunk-size": size})
        waiter.expect(document_id(profile.bucket.name, name))
        (record,) = waiter.rest()
    return record


def passages(size: ChunkSize | None) -> list[str]:
    return [passage.text for passage in MarkdownChunker().sized(size).split(Extraction(GUIDE))]


def shown(profile: Profile, record: Document | None) -> list[str]:
    assert record is not None and record.active is not None and record.status is Status.COMPLETED
    return [one.chunk.text for one in profile.open_index().vectors().read(record.id, record.active.generation)]


def ingested(profile: Profile, path: Path, size: ChunkSize | None) -> tuple[Document | None, bool]:
    files = expand([str(path)]).files
    (outcome,) = ingest(files, profile, chunk_size=size)
    return outcome.document, outcome.unchanged


def test_an_object_says_its_size(profile: Profile) -> None:
    assert shown(profile, uploaded(profile, "small.md", str(SMALL))) == passages(SMALL)
    large = ChunkSize(2_000, 0)
    assert shown(profile, uploaded(profile, "large.md", str(large))) == passages(large)


def test_a_size_without_meaning_is_refused_with_the_remedy(profile: Profile) -> None:
    record = uploaded(profile, "guide.md", "small")
    assert record.status is Status.FAILED and record.failure is not None
    assert "'small' is not SIZE/OVERLAP UNIT" in record.failure.reason
    assert "ragbase-chunk-size" in record.failure.reason


def test_files_get_the_size_that_they_are_ingested_with(profile: Profile, guide: Path) -> None:
    assert len(passages(SMALL)) > len(passages(None))
    for size in (SMALL, None, SMALL):
        record, unchanged = ingested(profile, guide, size)
        assert not unchanged
        assert shown(profile, record) == passages(size)
    assert ingested(profile, guide, SMALL)[1]


def test_a_reindex_keeps_the_size_of_each_document(profile: Profile, guide: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text(GUIDE)
    ingested(profile, guide, SMALL)
    ingested(profile, other, None)
    with plan_reindex(profile) as plan:
        assert not plan.is_due(profile.open_index().index)
    config = load_config(environment={}, home=tmp_path / "home", embedder="hashing", language="german")
    with closing(open_profile(config)) as german:
        with lanes(german), plan_reindex(german) as plan:
            assert reindex(plan).documents == 2
        for path, size in {guide: SMALL, other: None}.items():
            record = german.documents.get(document_id(german.bucket.name, str(path)[1:]))
            assert shown(german, record) == passages(size)
