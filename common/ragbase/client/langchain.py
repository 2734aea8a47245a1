"""A retriever for LangChain that asks a server of ragbase (docs/client.md).

https://reference.langchain.com/python/langchain-core/retrievers/BaseRetriever
"""

from __future__ import annotations

import asyncio

from pydantic import ConfigDict

from ragbase.client.client import Client
from ragbase.client.filter import Filter
from ragbase.client.passage import passage_metadata
from ragbase.extras import naming_extras

with naming_extras():
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class LangChainRetriever(BaseRetriever):
    """Gives the passages that `client.query` finds, best first, and none if no document is about the question.

    `k` is how many at most, and `threshold` the least score; the settings of the server hold for what is None. A call
    may have a `k` of its own: `retriever.invoke(question, k=3)`. It raises what `Client.query` raises.
    """

    # LangChain ignores fields that it does not know: a filter under another name would let all documents through.
    model_config = ConfigDict(extra="forbid")

    client: Client
    k: int | None = None
    threshold: float | None = None
    filter: Filter | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return self._found(query, k)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return await asyncio.to_thread(self._found, query, k)

    def _found(self, query: str, k: int | None) -> list[Document]:
        top_k = self.k if k is None else k
        found = self.client.query(query, top_k=top_k, threshold=self.threshold, filter=self.filter)
        return [
            Document(id=one.place_id, page_content=one.shown_text, metadata=dict(passage_metadata(one)))
            for one in found
        ]
