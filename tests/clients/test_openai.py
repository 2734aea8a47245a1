"""The official client of OpenAI: what it finds in a vector store."""

from __future__ import annotations

import openai
import pytest

from ragbase.domain.limits import DEFAULT_TOP_K
from tests.clients.asked_server import QUESTIONS, AskedServer, places

pytestmark = pytest.mark.slow


def test_it_finds_what_the_server_finds(server: AskedServer) -> None:
    client = openai.OpenAI(base_url=f"{server.endpoint}/v1", api_key=server.key)
    found = [
        [
            f"{one.file_id}:{one.attributes['char_start']:.0f}-{one.attributes['char_end']:.0f}"
            for one in client.vector_stores.search("ragbase", query=question, max_num_results=DEFAULT_TOP_K)
            if one.attributes
        ]
        for question in QUESTIONS
    ]
    assert found == [*map(places, server.found())]
