"""What every reranker does: a score for each text, in the order of the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ragbase.adapters.cohere.reranker import CohereReranker
from ragbase.adapters.jina.reranker import JinaReranker
from ragbase.bootstrap.local_models import local_reranker
from ragbase.ports import Reranker
from ragbase.testing.contracts.reranker import QUESTION, TEXTS, RerankerContract
from ragbase.testing.reranker import MemoryReranker
from tests.doubles.cohere_server import cohere_server
from tests.small_cross_encoder import small_cross_encoder
from tests.unit.adapters.jina.rerank_services import SERVERS, serving


@contextmanager
def cohere() -> Iterator[Reranker]:
    with (
        cohere_server() as server,
        closing(CohereReranker("key", model="rerank-v3.5", timeout=10, url=server.url)) as made,
    ):
        yield made


@contextmanager
def local() -> Iterator[Reranker]:
    with TemporaryDirectory() as folder:
        made = small_cross_encoder(Path(folder) / "small", [QUESTION, *TEXTS], ends_in="states")
        yield local_reranker(str(made), Path(folder) / "models", timeout=60)


def like_jina(name: str) -> Callable[[], AbstractContextManager[Reranker]]:
    @contextmanager
    def opened() -> Iterator[Reranker]:
        with (
            serving(SERVERS[name][1]) as server,
            closing(JinaReranker("", model=name, timeout=30, url=server.url)) as made,
        ):
            yield made

    return opened


@contextmanager
def memory() -> Iterator[Reranker]:
    yield MemoryReranker()


RERANKERS: Mapping[str, Callable[[], AbstractContextManager[Reranker]]] = {
    "cohere": cohere,
    **{name.replace(" ", "_"): like_jina(name) for name in SERVERS},
    "local": local,
    "memory": memory,
}


@pytest.fixture(params=RERANKERS)
def reranker(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    with RERANKERS[request.param]() as reranker:
        yield reranker


class TestRerankers(RerankerContract):
    """Each of ours."""

    def test_a_call_of_a_service_bills_a_search_unit(self, reranker: Reranker) -> None:
        billed = 0 if reranker.model == "small" or reranker.model in SERVERS.keys() - {"Cohere", "LiteLLM"} else 1
        assert reranker.rerank(QUESTION, TEXTS).billed_units == billed
