"""A file over a limit fails with a code, and a reason that names the limit and the remedy. The files beside it are
found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from ragbase.domain.document import Status
from ragbase.domain.errors import ErrorCode

WORDS = "The wind fills the sail of a boat. "


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RAGEngine]:
    with RAGEngine(load_config(home=tmp_path / "home", embedder="hashing")) as engine:
        yield engine


@dataclass(frozen=True, slots=True)
class Refused:
    """A file, and what is said of it."""

    name: str
    text: str
    code: ErrorCode
    rule: str
    remedy: str


REFUSED = (
    Refused(
        "long.html",
        f"<!doctype html><main>{'<p>' + WORDS * 10_000}",
        ErrorCode.TIMEOUT,
        "could not be read within 0.001 seconds (the setting extract_timeout",
        "Split it into smaller files.",
    ),
    Refused(
        "grown.adoc",
        f"= Sail\n:a: {WORDS * 28}\n\n{'{a}' * 30_000}",
        ErrorCode.FILE_TOO_LARGE,
        "64 for each byte of the file",
        "Shorten what is repeated",
    ),
    Refused(
        "rows.csv",
        "name,text\n" + "boat,sail\n" * 2_000,
        ErrorCode.FILE_TOO_LARGE,
        "more than 1000 chunks",
        "Split the file into smaller ones",
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: refused.name)
def test_a_file_over_a_limit_fails_and_says_why(
    engine: RAGEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.setattr("ragbase.formats.extraction_limits.SHORT_TIME", 0.001)
    monkeypatch.setattr("ragbase.chunking.chunker.MAX_CHUNKS", 1_000)
    file, beside = tmp_path / refused.name, tmp_path / "beside.md"
    file.write_text(refused.text, encoding="utf-8")
    beside.write_text(WORDS * 2, encoding="utf-8")
    engine.ingest([str(file), str(beside)])
    document = engine.find(str(file))
    assert document is not None
    assert document.status is Status.FAILED
    assert document.failure is not None
    assert document.failure.code is refused.code
    assert refused.rule in document.failure.reason
    assert refused.remedy in document.failure.reason
    assert [result.chunk.content.strip() for result in engine.query("wind")] == [(WORDS * 2).strip()]
