"""A retriever for LlamaIndex that asks a server of ragbase (docs/client.md).

https://developers.llamaindex.ai/python/framework-api-reference/retrievers
"""

from __future__ import annotations

import asyncio

from ragbase.client.client import Client
from ragbase.client.filter import Filter
from ragbase.client.passage import passage_metadata
from ragbase.extras import naming_extras
from ragbase.messages.api.query import SearchResultBody

with naming_extras():
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

_FOR_MODELS = frozenset({"filename", "title", "date", "page", "heading", "lacks"})
"""What a model reads of the metadata. LlamaIndex would show it all."""


class LlamaIndexRetriever(BaseRetriever):  # type: ignore[misc]  # .venv has no LlamaIndex
    """Gives the passages that `client.query` finds, best first, and none if no document is about the question.

    `k` is how many at most, and `threshold` the least score; the settings of the server hold for what is None. It
    raises what `Client.query` raises.
    """

    def __init__(
        self,
        client: Client,
        *,
        k: int | None = None,
        threshold: float | None = None,
        filter: Filter | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._client = client
        self._k, self._threshold, self._filter = k, threshold, filter

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._client.query(
            query_bundle.query_str, top_k=self._k, threshold=self._threshold, filter=self._filter
        )
        return [NodeWithScore(node=_node(one), score=one.score) for one in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(found: SearchResultBody) -> TextNode:
    metadata = passage_metadata(found)
    return TextNode(
        id_=found.place_id,
        text=found.shown_text,
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=found.document_id)},
        start_char_idx=found.metadata.char_start,
        end_char_idx=found.metadata.char_end,
        excluded_embed_metadata_keys=list(metadata),
        excluded_llm_metadata_keys=[name for name in metadata if name not in _FOR_MODELS],
    )
