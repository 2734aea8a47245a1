"""LangChain's standard tests of retrievers, with ours. test_langchain.py runs them against a server."""

from __future__ import annotations

import os
from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

from ragbase import Client
from ragbase.client.langchain import LangChainRetriever


class TestLangChainRetriever(RetrieversIntegrationTests):  # type: ignore[misc]  # .venv has no langchain-tests
    @property
    def retriever_constructor(self) -> type[LangChainRetriever]:
        return LangChainRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"client": Client(os.environ["ENDPOINT"], os.environ["KEY"]), "k": 2, "threshold": 0.0}

    @property
    def retriever_query_example(self) -> str:
        return "When does the nightly backup start?"

    @pytest.mark.parametrize("field", ["top_k", "filters", "search_kwargs", "score_threshold"])
    def test_a_field_of_other_retrievers_is_refused(self, field: str) -> None:
        with pytest.raises(ValidationError, match=field):
            self.retriever_constructor(**(self.retriever_constructor_params | {field: 1}))
