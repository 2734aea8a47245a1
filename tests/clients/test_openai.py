"""The official client of OpenAI: what it finds in a vector store."""

from __future__ import annotations

import openai
import pytest

from ragbase.domain.limits import DEFAULT_TOP_K
from tests.clients.asked_server import QUESTIONS, AskedServer, places

pytestmark = pytest.mark.slow


def asked_by_openai(server: AskedServer) -> list[list[str]]:
    """The places that OpenAI's client finds for each question."""
    client = openai.OpenAI(base_url=f"{server.endpoint}/v1", api_key=server.key)
    return [
        [
            f"{one.file_id}:{one.attributes['char_start']:.0f}-{one.attributes['char_end']:.0f}"
            for one in client.vector_stores.search("ragbase", query=question, max_num_results=DEFAULT_TOP_K)
            if one.attributes
        ]
        for question in QUESTIONS
    ]


def test_it_finds_what_the_server_finds(server: AskedServer) -> None:
    assert asked_by_openai(server) == [*map(places, server.found())]
