"""The retriever for LlamaIndex, which has no standard tests of retrievers: what it finds."""

from __future__ import annotations

import pytest

from tests.clients.asked_server import AskedServer, places

pytestmark = pytest.mark.slow


def test_it_finds_what_the_server_finds(server: AskedServer) -> None:
    ours, theirs = server.found(), server.asked_by("ask_llama_index.py")
    assert [[one["id"] for one in found] for found in theirs] == [places(found) for found in ours]
    first, answer = theirs[0][0], ours[0][0]
    assert (first["text"], first["score"], first["source"]) == (answer.content, answer.score, answer.document_id)
    assert first["place"] == [answer.metadata.char_start, answer.metadata.char_end]
    assert first["metadata"]["heading"] == "Backups"
    assert answer.content in first["for_models"] and "filename: backups.md" in first["for_models"]
    assert answer.document_id not in first["for_models"]
    assert not theirs[-1] and not ours[-1]
