"""An ingest whose files are read and cut beside the process gives the same index, also if that process dies."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Lock

import pytest

from ragbase import RAGEngine, load_config
from ragbase.adapters.text_process import TextProcess
from ragbase.pipeline.cut_text import CutText, FileToCut
from tests.e2e.test_kill import write_documents

DOCUMENTS = 120
cut_in_text_process = TextProcess.cut


class Watched:
    """Lets a process cut files from the first one on, counts them, and kills it after so many."""

    def __init__(self, kill_after: int) -> None:
        self.done = 0
        self._kill_after = kill_after
        self._counting = Lock()

    def cut(self, process: TextProcess, file: FileToCut) -> CutText | None:
        process.start()
        text = cut_in_text_process(process, file)
        while text is None and not self.done and b"# Document" in file.data:  # it is not ready yet
            time.sleep(0.01)
            text = cut_in_text_process(process, file)
        with self._counting:
            self.done += text is not None
            if text is not None and self.done == self._kill_after and process.pid is not None:
                os.kill(process.pid, signal.SIGKILL)
        return text


@pytest.fixture
def documents(tmp_path: Path) -> list[str]:
    return sorted(map(str, write_documents(tmp_path / "documents", DOCUMENTS).iterdir()))


def ingested(documents: list[str], home: Path) -> dict[str, object]:
    """What the data folder holds of each document."""
    with RAGEngine(load_config(home=home, embedder="hashing")) as engine:
        result = engine.ingest(documents)
        assert [Path(name).name for name in result["failed_files"]] == ["broken.json"]
        vectors = engine.profile.open_index().vectors()
        return {
            record.name: (
                record.status,
                record.failure,
                record.metadata,
                [
                    (one.chunk.text, one.chunk.header_path, one.chunk.char_start, one.terms, one.vector.tobytes())
                    for one in vectors.read(record.id, record.active.generation if record.active else 0)
                ],
            )
            for record in engine.profile.documents.page(limit=1000)
        }


@pytest.mark.slow
@pytest.mark.parametrize("kill_after", [25, pytest.param(10_000, marks=pytest.mark.prove)])
def test_the_index_is_the_same(
    documents: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill_after: int
) -> None:
    with monkeypatch.context() as alone:
        alone.setattr("ragbase.bootstrap.embedded.processors", lambda: 1)
        expected = ingested(documents, tmp_path / "alone")
    watched = Watched(kill_after)

    def cut(process: TextProcess, file: FileToCut) -> CutText | None:
        return watched.cut(process, file)

    monkeypatch.setattr("ragbase.bootstrap.embedded.processors", lambda: 2)
    monkeypatch.setattr(TextProcess, "cut", cut)
    assert ingested(documents, tmp_path / "beside") == expected
    assert watched.done >= min(kill_after, DOCUMENTS)
