"""LangChain's standard tests of retrievers, with ours. test_langchain.py runs them against a server."""

from __future__ import annotations

import os
from typing import Any

from langchain_tests.integration_tests import RetrieversIntegrationTests

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
