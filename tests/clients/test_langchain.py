"""The retriever for LangChain: LangChain's own tests of it, and what it finds."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clients.asked_server import HERE, AskedServer, places, with_clients

pytestmark = pytest.mark.slow


@pytest.mark.prove
def test_it_passes_the_standard_tests_of_retrievers(server: AskedServer, tmp_path: Path) -> None:
    options = ["-q", "-c", os.devnull, "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "--noconftest"]
    asynchronous = ["-p", "pytest_asyncio.plugin", "-o", "asyncio_mode=auto"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", *options, *asynchronous, HERE / "langchain_standard.py"],
        env={**os.environ, **server.variables, **with_clients(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 passed" in done.stdout and "skipped" not in done.stdout


def test_it_finds_what_the_server_finds(server: AskedServer) -> None:
    ours, theirs = server.found(), server.asked_by("ask_langchain.py")
    assert [[one["id"] for one in found] for found in theirs] == [places(found) for found in ours]
    first, answer = theirs[0][0], ours[0][0]
    assert first["page_content"] == answer.content
    assert first["metadata"] == {
        "document_id": answer.document_id,
        "filename": "backups.md",
        "title": "Backups",
        "tags": ["operations", "storage"],
        "date": "2026-03-01",
        "url": "https://wiki.example.com/backups",
        "heading": "Backups",
        "char_start": answer.metadata.char_start,
        "char_end": answer.metadata.char_end,
        "score": answer.score,
        "confidence": answer.confidence,
    }
    assert not theirs[-1] and not ours[-1]


@pytest.mark.prove
def test_what_goes_wrong_is_raised(server: AskedServer) -> None:
    with pytest.raises(AssertionError, match="ApiError: The header Authorization"):
        replace(server, key="rb_no_key_of_this_server").asked_by("ask_langchain.py")
