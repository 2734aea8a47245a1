"""The Cohere-compatible server, asked by Cohere's own client and from outside its process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cohere import ClientV2, Document, UserChatMessageV2
from cohere.errors import TooManyRequestsError

from ragbase.adapters.cohere.embedder import CohereEmbedder
from tests.doubles.cohere_server import CohereServer, cohere_server
from tests.doubles.input_limit import InputLimit

pytestmark = pytest.mark.slow

pytestmark = pytest.mark.slow  # it loads Cohere's client

REPOSITORY = Path(__file__).parents[4]
DOCUMENTS = ["Bread is baked at four.", "The lighthouse keeper counts ships.", "Trains leave at noon."]


@pytest.fixture(scope="module")
def server() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


@pytest.fixture
def client(server: CohereServer) -> Iterator[ClientV2]:
    server.reset()
    with ClientV2("key", base_url=server.url, max_retries=0) as client:
        yield client


def test_embed_answers_in_the_form_that_the_client_reads(client: ClientV2) -> None:
    answer = client.embed(
        model="embed-multilingual-v3.0", input_type="search_document", texts=DOCUMENTS, embedding_types=["float"]
    )

    assert answer.embeddings.float_ is not None
    assert [len(vector) for vector in answer.embeddings.float_] == [1024] * 3
    assert answer.texts == DOCUMENTS
    assert answer.meta is not None
    assert answer.meta.billed_units is not None
    assert answer.meta.billed_units.input_tokens


def test_rerank_puts_what_shares_words_first(client: ClientV2) -> None:
    answer = client.rerank(model="rerank-v3.5", query="who counts the ships", documents=DOCUMENTS, top_n=2)

    scores = [result.relevance_score for result in answer.results]
    assert answer.results[0].index == 1
    assert len(scores) == 2
    assert 1 >= scores[0] > scores[1] >= 0
    assert answer.meta is not None
    assert answer.meta.billed_units is not None
    assert answer.meta.billed_units.search_units == 1


def test_chat_answers_from_a_document_and_cites_it(client: ClientV2) -> None:
    answer = client.chat(
        model="command-a-03-2025",
        messages=[UserChatMessageV2(content="Who counts the ships?")],
        documents=[Document(id="tower", data={"text": "It is old. The keeper counts the ships."}), DOCUMENTS[0]],
    )

    assert answer.finish_reason == "COMPLETE"
    assert answer.message.content is not None
    assert answer.message.citations is not None
    (content,), (citation,) = answer.message.content, answer.message.citations
    assert content.type == "text"
    assert content.text == "The keeper counts the ships."
    assert content.text[citation.start : citation.end] == citation.text
    assert citation.sources is not None
    assert citation.sources[0].id == "tower"
    assert answer.usage is not None
    assert answer.usage.billed_units is not None
    assert answer.usage.billed_units.output_tokens


def test_chat_without_documents_cites_nothing(client: ClientV2) -> None:
    answer = client.chat(model="command-a-03-2025", messages=[UserChatMessageV2(content="Who counts the ships?")])

    assert answer.message.citations is None


def test_faults_meet_every_route(server: CohereServer, client: ClientV2) -> None:
    server.plan("rate_limit", retry_after="2")

    with pytest.raises(TooManyRequestsError) as caught:
        client.rerank(model="rerank-v3.5", query="ships", documents=DOCUMENTS)

    assert (caught.value.headers or {})["retry-after"] == "2"


def test_a_limit_of_inputs_refuses_calls_and_counts_what_it_took() -> None:
    with cohere_server(rate=5) as server, ClientV2("key", base_url=server.url, max_retries=0) as client:

        def embed(*texts: str) -> None:
            client.embed(
                model="embed-multilingual-v3.0", input_type="search_document", texts=texts, embedding_types=["float"]
            )

        embed("one", "two", "three")
        with pytest.raises(TooManyRequestsError, match="past the per minute request limit"):
            embed("four", "five", "six")
        embed("four", "five")

        assert ask(f"{server.url}/_rate") == {"limit": 5, "minutes": [5], "refused": {"search_document": 1}}


def test_no_sixty_seconds_hold_more_than_the_limit() -> None:
    passed = 0.0
    limit = InputLimit(10, lambda: passed)
    assert limit.takes(6, "a")
    passed = 50.0
    assert limit.takes(4, "a")
    passed = 59.9
    assert not limit.takes(1, "b")
    passed = 60.0
    assert limit.takes(6, "a")
    assert not limit.takes(1, "a")
    passed = 110.0
    assert limit.takes(4, "a")
    assert limit.stats() == {"limit": 10, "minutes": [10, 10], "refused": {"a": 1, "b": 1}}


def test_it_runs_as_a_process_and_takes_faults_over_http() -> None:
    command = [sys.executable, "-m", "tests.doubles.cohere_server", "--vectors", "minilm"]
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    with subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            waits: list[float] = []
            embedder = CohereEmbedder("key", url=url, sleep=waits.append)
            ask(f"{url}/_faults", {"fault": "rate_limit", "count": 2, "retry_after": 3})

            sentence, paraphrase, foreign = embedder.embed_documents(
                ["The cat sits on the mat.", "A feline is resting on a rug.", "Quarterly revenue rose by four percent."]
            ).vectors
            embedder.close()

            assert sentence.shape == (1024,)
            assert sentence @ paraphrase > 0.5
            assert sentence @ foreign < 0.2
            assert waits == [3, 3]
            assert ask(f"{url}/_stats") == {
                "calls": 3,
                "texts": 9,
                "largest": 3,
                "faults": 2,
                "input_types": {"search_document": 9},
            }
            assert ask(f"{url}/healthz") == {"status": "ok"}
        finally:
            process.terminate()


def ask(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=10) as response:
        return json.load(response)
