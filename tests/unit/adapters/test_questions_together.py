"""The parts of a question are embedded in one call of a service."""

from __future__ import annotations

import numpy as np
import pytest

from ragbase.adapters.hosted_embedder import HostedEmbedder
from ragbase.domain.errors import Unavailable
from ragbase.ports import Embeddings
from ragbase.ports.embedder import EmbedsTogether


class Service(HostedEmbedder):
    """Notes its calls. The first so many `failures` get no answer."""

    def __init__(self, failures: int = 0, batch_size: int = 96) -> None:
        super().__init__(model="m", dimension=2, batch_size=batch_size, rate_limiter=None, sleep=lambda _: None)
        self.calls: list[list[str]] = []
        self._failures = failures

    def _embedded(self, sent: list[str], timeout: float, *, is_query: bool) -> Embeddings:
        assert is_query
        self.calls.append(sent)
        if len(self.calls) <= self._failures:
            raise Unavailable("It does not answer.")
        return Embeddings([np.array([len(text), 1], np.float32) for text in sent], len(sent))

    def close(self) -> None: ...


def test_several_questions_are_one_call() -> None:
    service = Service()
    assert isinstance(service, EmbedsTogether)
    service.embed_queries(["a", "bb", "a"])
    assert [float(service.embed_query(text)[0]) for text in ("a", "bb")] == [1, 2]
    service.embed_queries(["bb", "a"])
    service.embed_queries(["bb", "ccc"])  # one alone is asked for when it is needed
    assert service.calls == [["a", "bb"]]


@pytest.mark.parametrize("service", [Service(failures=1), Service(batch_size=1)])
def test_without_such_a_call_each_is_asked_for(service: Service) -> None:
    service.embed_queries(["a", "bb"])
    assert [float(service.embed_query(text)[0]) for text in ("a", "bb")] == [1, 2]
    assert service.calls[-2:] == [["a"], ["bb"]]
