"""docs/contracts/website-pipeline.md, sections 4 to 7: vectors, points, and the whole script with its faults."""

from __future__ import annotations

import inspect
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import cohere
import httpx
import pytest
import requests
from cohere.core.api_error import ApiError
from cohere.errors import TooManyRequestsError
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from qdrant_client.models import Distance, VectorParams

from ragbase.website_pipeline import TextChunk, generate_embeddings, main, store_vectors
from tests.contract.web_server import Page, Website, website
from tests.doubles.cohere_server import CohereServer, Fault, cohere_server

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = "robotics_textbook"


@pytest.fixture(scope="module")
def running_server() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


@pytest.fixture
def server(running_server: CohereServer) -> Iterator[CohereServer]:
    yield running_server
    running_server.reset()


@pytest.fixture
def client(server: CohereServer) -> Iterator[cohere.Client]:
    with cohere.Client("key", base_url=server.url) as client:  # with the retries of its own that it always has
        yield client


@pytest.fixture
def qdrant() -> Iterator[QdrantClient]:
    client = QdrantClient(":memory:")
    yield client
    client.close()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits: nobody sleeps."""
    waits: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", waits.append)
    return waits


def chunks(*texts: str) -> list[TextChunk]:
    return [
        TextChunk(
            chunk_id=number,
            source_url="https://s/p",
            page_title="Title",
            heading_context="A > B",
            text_content=text,
            token_count=3,
            position_in_page=number,
        )
        for number, text in enumerate(texts)
    ]


# generate_embeddings


def test_the_signatures_are_those_of_the_contract() -> None:
    assert [*inspect.signature(generate_embeddings).parameters] == ["chunks", "cohere_client"]
    parameters = inspect.signature(store_vectors).parameters
    assert [*parameters] == ["embeddings", "chunks", "qdrant_client", "collection_name"]
    assert parameters["collection_name"].default == COLLECTION
    assert not inspect.signature(main).parameters


def test_each_chunk_gets_its_vector_in_order(client: cohere.Client, server: CohereServer) -> None:
    together = generate_embeddings(chunks("one", "two", "three"), client)
    assert [len(vector) for vector in together] == [1024] * 3
    assert [generate_embeddings(chunks(text), client)[0] for text in ("one", "two", "three")] == together
    request = server.last_request()
    assert (request["model"], request["input_type"]) == ("embed-multilingual-v3.0", "search_document")


def test_a_client_is_asked_as_the_contract_says() -> None:
    class Answer:
        embeddings = ((0.5,) * 1024,)

    class Client:
        def embed(self, texts: list[str], model: str, input_type: str) -> Answer:
            assert (texts, model, input_type) == (["one"], "embed-multilingual-v3.0", "search_document")
            return Answer()

    assert len(generate_embeddings(chunks("one"), Client())) == 1  # type: ignore[arg-type]  # all that is needed of it


def test_no_chunks_need_no_call(client: cohere.Client, server: CohereServer) -> None:
    assert generate_embeddings([], client) == []
    assert server.stats()["calls"] == 0


def test_more_chunks_than_a_call_takes_are_refused(client: cohere.Client, server: CohereServer) -> None:
    assert len(generate_embeddings(chunks(*["x"] * 96), client)) == 96
    with pytest.raises(ValueError, match="at most 96"):
        generate_embeddings(chunks(*["x"] * 97), client)
    assert server.stats()["calls"] == 1


@pytest.mark.parametrize(
    ("fault", "waits"), [("rate_limit", [1, 2, 4, 8, 16]), ("reset", [2, 2])], ids=["rate limit", "network error"]
)
def test_what_passes_is_waited_for(
    fault: Fault, waits: list[float], client: cohere.Client, server: CohereServer, slept: list[float]
) -> None:
    server.plan(fault, len(waits))
    assert len(generate_embeddings(chunks("one"), client)) == 1
    assert slept == waits
    assert server.stats()["calls"] == len(waits) + 1


@pytest.mark.parametrize(
    ("fault", "error", "calls"),
    [("rate_limit", TooManyRequestsError, 6), ("reset", httpx.RequestError, 3), ("error", ApiError, 1)],
)
def test_what_does_not_pass_is_raised(  # noqa: PLR0917 - parameters and fixtures
    fault: Fault,
    error: type[Exception],
    calls: int,
    client: cohere.Client,
    server: CohereServer,
    slept: list[float],
) -> None:
    server.plan(fault, 20)
    with pytest.raises(error):
        generate_embeddings(chunks("one"), client)
    assert server.stats()["calls"] == calls
    assert len(slept) == calls - 1


def test_another_error_is_logged_and_raised_again(
    client: cohere.Client, server: CohereServer, slept: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    server.plan("bad_request")
    with pytest.raises(ApiError):
        generate_embeddings(chunks("one"), client)
    assert slept == []
    assert [record.levelname for record in caplog.records if "this fault was planned" in record.message] == ["ERROR"]


@pytest.mark.parametrize(("fault", "message"), [("dimension", "1025 dimensions, not 1024"), ("count", "0 vectors")])
def test_vectors_that_do_not_fit_are_refused(
    fault: Fault, message: str, client: cohere.Client, server: CohereServer
) -> None:
    server.plan(fault)
    with pytest.raises(ValueError, match=message):
        generate_embeddings(chunks("one"), client)


# store_vectors


def collection(client: QdrantClient, name: str = COLLECTION, size: int = 2) -> None:
    client.create_collection(name, vectors_config=VectorParams(size=size, distance=Distance.COSINE))


def points(client: QdrantClient, name: str = COLLECTION) -> list[Any]:
    return client.scroll(name, limit=10_000, with_vectors=True)[0]


def test_chunks_become_points(qdrant: QdrantClient) -> None:
    collection(qdrant)
    assert store_vectors([[1.0, 0.0], [0.0, 1.0]], chunks("one", "two"), qdrant) == 2
    first, second = points(qdrant)
    assert (first.id, first.vector, second.id) == (0, [1.0, 0.0], 1)
    assert second.payload == {
        "url": "https://s/p",
        "title": "Title",
        "heading": "A > B",
        "text": "two",
        "token_count": 3,
        "position": 1,
    }


def test_a_point_replaces_the_one_with_its_id(qdrant: QdrantClient) -> None:
    collection(qdrant, "other")
    for text in ("old", "new", "new"):
        assert store_vectors([[1.0, 0.0]], chunks(text), qdrant, "other") == 1
    assert [point.payload["text"] for point in points(qdrant, "other")] == ["new"]


def test_no_vectors_need_no_call(qdrant: QdrantClient) -> None:
    assert store_vectors([], [], qdrant, "there is no such collection") == 0


def test_a_chunk_without_a_vector_is_refused(qdrant: QdrantClient) -> None:
    with pytest.raises(ValueError, match="argument"):
        store_vectors([[1.0, 0.0]], chunks("one", "two"), qdrant)


class FailingQdrant(QdrantClient):
    """The client's local mode, whose next calls fail."""

    def __init__(self, *faults: Exception) -> None:
        super().__init__(":memory:")
        self.faults = list(faults)
        self.calls = 0

    def upsert(self, *arguments: Any, **named: Any) -> Any:
        self.calls += 1
        if self.faults:
            raise self.faults.pop(0)
        return super().upsert(*arguments, **named)


AWAY = ResponseHandlingException(httpx.ConnectError("refused"))
QUOTA = UnexpectedResponse(HTTPStatus.FORBIDDEN, "Forbidden", b"quota exceeded", httpx.Headers())


def test_after_a_network_error_one_more_call_follows(slept: list[float]) -> None:
    qdrant = FailingQdrant(AWAY)
    collection(qdrant)
    assert store_vectors([[1.0, 0.0]], chunks("one"), qdrant) == 1
    assert (slept, qdrant.calls) == ([5], 2)


@pytest.mark.parametrize(
    ("faults", "calls"),
    [([AWAY] * 3, 2), ([QUOTA], 1), ([ResourceExhaustedResponse("quota", 60)], 1)],
    ids=["away", "quota", "too many requests"],
)
def test_another_error_is_raised(faults: Sequence[Exception], calls: int, slept: list[float]) -> None:
    qdrant = FailingQdrant(*faults)
    collection(qdrant)
    with pytest.raises(type(faults[0])):
        store_vectors([[1.0, 0.0]], chunks("one"), qdrant)
    assert (qdrant.calls, len(slept)) == (calls, calls - 1)


# main


def pages(count: int) -> dict[str, Any]:
    paths = [f"/docs/{number}" for number in range(count)]
    locations = "".join(f"<url><loc>{{site}}{path}</loc></url>" for path in paths)
    body = "<html><title>P</title><article><h1>Head {}</h1><p>intro</p><h2>Sub</h2><p>words {}</p></article></html>"
    return {
        "/sitemap.xml": Page(f"<urlset>{locations}</urlset>", content_type="application/xml"),
        **{path: Page(body.format(path, path)) for path in paths},
    }


@pytest.fixture
def site() -> Iterator[Website]:
    with website(pages(3)) as site:
        yield site


@pytest.fixture
def world(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: cohere.Client, qdrant: QdrantClient, site: Website
) -> QdrantClient:
    """The environment that main() wants, with Qdrant's local mode behind its client's name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COHERE_API_KEY", "key")
    monkeypatch.setenv("QDRANT_URL", "https://xyz.qdrant.io")
    monkeypatch.setenv("QDRANT_API_KEY", "secret")
    monkeypatch.setenv("DOCUSAURUS_URL", site.url)
    for optional in ("QDRANT_COLLECTION_NAME", "MAX_TOKENS_PER_CHUNK", "CHUNK_OVERLAP_TOKENS"):
        monkeypatch.delenv(optional, raising=False)
    monkeypatch.setattr("cohere.Client", lambda api_key: client if api_key == "key" else None)

    def connect(*, url: str, api_key: str) -> QdrantClient:
        assert (url, api_key) == ("https://xyz.qdrant.io", "secret")
        return qdrant

    monkeypatch.setattr("qdrant_client.QdrantClient", connect)
    return qdrant


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [f"[{one.levelname}] {one.getMessage()}" for one in caplog.records if one.name.startswith("ragbase")]


def failed() -> None:
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1


def test_a_whole_run(world: QdrantClient, site: Website, caplog: pytest.LogCaptureFixture) -> None:
    main()
    logged = lines(caplog)
    assert re.fullmatch(r"\[INFO\] Execution time: \d+m \d+s", logged.pop())
    assert logged == [
        "[INFO] Starting RAG pipeline",
        "[INFO] Created collection robotics_textbook",
        "[INFO] Discovered 3 URLs from sitemap",
        *[
            line
            for number in range(3)
            for line in (
                f"[INFO] Processed page {number + 1}/3: {site.url}/docs/{number}",
                "[INFO] Created 2 chunks from page",
            )
        ],
        "[INFO] Pipeline complete",
        "[INFO] ========== Summary ==========",
        "[INFO] Pages discovered: 3",
        "[INFO] Pages processed: 3",
        "[INFO] Pages failed: 0",
        "[INFO] Chunks created: 6",
        "[INFO] Vectors stored: 6",
    ]
    stored = points(world)
    assert [point.id for point in stored] == [*range(6)]
    assert {len(point.vector) for point in stored} == {1024}
    assert stored[3].payload == {
        "url": f"{site.url}/docs/1",
        "title": "P",
        "heading": "Head /docs/1 > Sub",
        "text": "words /docs/1",
        "token_count": 5,
        "position": 1,
    }


def test_a_second_run_changes_nothing(world: QdrantClient) -> None:
    main()
    first = [(point.id, point.payload) for point in points(world)]
    main()
    assert [(point.id, point.payload) for point in points(world)] == first


def test_chunks_of_several_pages_share_calls(
    world: QdrantClient, site: Website, server: CohereServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages.update(pages(60))
    monkeypatch.setenv("QDRANT_COLLECTION_NAME", "mine")
    main()
    assert server.stats()["largest"] == 96
    assert server.stats()["calls"] == 2
    assert [point.id for point in points(world, "mine")] == [*range(120)]


def test_the_sizes_of_chunks_are_settings(world: QdrantClient, site: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    site.pages["/docs/0"] = Page("<article>" + "word " * 100 + "</article>")
    monkeypatch.setenv("MAX_TOKENS_PER_CHUNK", "20")
    monkeypatch.setenv("CHUNK_OVERLAP_TOKENS", "5")
    main()
    sizes = [point.payload["token_count"] for point in points(world) if point.payload["url"].endswith("/docs/0")]
    assert max(sizes) == 20
    assert len(sizes) == 7  # each after the first brings 15 new tokens of 100


def test_pages_that_fail_are_left_out(
    world: QdrantClient, site: Website, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages |= pages(5)
    site.pages["/docs/0"] = Page("gone", 404)
    site.pages["/docs/2"] = Page("<article></article>")
    get = requests.get

    def slow(url: str, **options: Any) -> Any:
        if url.endswith("/docs/3"):
            raise requests.ReadTimeout("30 s")
        return get(url, **options)

    monkeypatch.setattr("requests.get", slow)
    main()
    logged = lines(caplog)
    warned = [line for line in logged if line.startswith("[WARNING]")]
    assert [re.sub(r"http://[^/]+", "", line)[:37] for line in warned] == [
        "[WARNING] Failed page 1/5: /docs/0: 4",
        "[WARNING] Failed page 3/5: /docs/2: /",
        "[WARNING] Failed page 4/5: /docs/3: 3",
    ]
    for line in ("Pages discovered: 5", "Pages processed: 2", "Pages failed: 3", "Vectors stored: 4"):
        assert f"[INFO] {line}" in logged
    assert [point.id for point in points(world)] == [0, 1, 2, 3]


def test_a_rate_limit_costs_only_time(
    world: QdrantClient, server: CohereServer, slept: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    server.plan("rate_limit", 5)
    main()
    assert slept == [1, 2, 4, 8, 16]
    assert "[INFO] Vectors stored: 6" in lines(caplog)


@pytest.mark.parametrize("fault", ["dimension", "bad_request", "rate_limit", "reset"])
def test_a_fault_of_cohere_ends_the_run_with_its_traceback(
    fault: Fault, world: QdrantClient, server: CohereServer, slept: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    server.plan(fault, 20)
    failed()
    assert "[ERROR] Pipeline failed" in lines(caplog)
    assert [record for record in caplog.records if record.exc_info]
    assert points(world) == []


def test_a_site_without_a_page_is_a_failure(
    world: QdrantClient, site: Website, caplog: pytest.LogCaptureFixture
) -> None:
    site.pages["/sitemap.xml"] = Page("<urlset><url><loc>https://elsewhere.example/</loc></url></urlset>")
    failed()
    assert f"[ERROR] No page of {site.url} was processed." in lines(caplog)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        *[
            (name, value, f"Missing required environment variables: {name}")
            for name in ("COHERE_API_KEY", "QDRANT_URL", "QDRANT_API_KEY", "DOCUSAURUS_URL")
            for value in (None, "", " ")
        ],
        ("QDRANT_URL", "localhost:6333", "QDRANT_URL: 'localhost:6333' is not the URL"),
        ("DOCUSAURUS_URL", "ftp://site", "DOCUSAURUS_URL: 'ftp://site' is not the URL"),
        ("MAX_TOKENS_PER_CHUNK", "many", "MAX_TOKENS_PER_CHUNK has to be a positive integer, not 'many'"),
        ("CHUNK_OVERLAP_TOKENS", "0", "CHUNK_OVERLAP_TOKENS has to be a positive integer, not '0'"),
        ("CHUNK_OVERLAP_TOKENS", "512", "CHUNK_OVERLAP_TOKENS has to be less than MAX_TOKENS_PER_CHUNK"),
    ],
)
def test_a_wrong_variable_is_named(  # noqa: PLR0917 - parameters and fixtures
    name: str,
    value: str | None,
    message: str,
    world: QdrantClient,
    site: Website,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.delenv(name, raising=False)
    if value is not None:
        monkeypatch.setenv(name, value)
    failed()
    assert [line for line in lines(caplog) if line.startswith(f"[ERROR] {message}")]
    assert site.asked == []


def test_a_file_may_hold_the_variables(
    world: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("COHERE_API_KEY")
    (tmp_path / ".env").write_text("COHERE_API_KEY=key\nQDRANT_API_KEY=not-this\n")
    main()
    assert "[INFO] Vectors stored: 6" in lines(caplog)


def script(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return subprocess.run(
        [sys.executable, "-m", "ragbase.website_pipeline"],
        cwd=folder,
        env={**known, "PYTHONPATH": str(ROOT / "common"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


LINE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[(INFO|ERROR)\] "


def test_the_script_ends_with_1_and_says_why(tmp_path: Path) -> None:
    ended = script(tmp_path, QDRANT_URL="http://127.0.0.1:9")
    assert ended.returncode == 1
    first, second = ended.stderr.splitlines()
    assert re.fullmatch(f"{LINE}Starting RAG pipeline", first)
    assert re.fullmatch(
        f"{LINE}Missing required environment variables: COHERE_API_KEY, QDRANT_API_KEY, DOCUSAURUS_URL", second
    )


@pytest.mark.slow
def test_the_script_ends_with_1_if_qdrant_is_away(tmp_path: Path, site: Website) -> None:
    away = "http://127.0.0.1:9"  # nobody listens there (the port "discard")
    ended = script(tmp_path, COHERE_API_KEY="key", QDRANT_URL=away, QDRANT_API_KEY="secret", DOCUSAURUS_URL=site.url)
    assert ended.returncode == 1
    assert re.search(f"{LINE}Pipeline failed\nTraceback", ended.stderr)
    assert "ResponseHandlingException" in ended.stderr
    assert "secret" not in ended.stderr


def test_qdrant_that_goes_away_ends_the_run(
    world: QdrantClient, slept: list[float], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = FailingQdrant(*[AWAY] * 20)
    monkeypatch.setattr("qdrant_client.QdrantClient", lambda **_: failing)
    failed()
    assert slept == [5]
    assert "[ERROR] Pipeline failed" in lines(caplog)


@pytest.fixture(autouse=True)
def _log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """main() sets the level of its logger."""
    logger = logging.getLogger("ragbase.website_pipeline")
    level = logger.level
    with caplog.at_level(logging.INFO, "ragbase"):
        yield
    logger.setLevel(level)
