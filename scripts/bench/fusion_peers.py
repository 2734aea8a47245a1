"""How other libraries put two ranked lists together: LangChain, LlamaIndex and Haystack.

Each gets CANDIDATES passages by our embedder's cosine, and as many by a BM25 that is usual with it, with its default
analysis of words. None has a threshold. The packages are in a folder of their own (durable_peers.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

CANDIDATES = 30

Ranked = Sequence[tuple[str, float]]
"""Ids of documents with their scores, best first."""
Rank = Callable[[str], Ranked]
"""The CANDIDATES best for a query."""
Find = Callable[[str], list[str]]
"""The ids of the documents that are found, best first."""


def fusions(texts: Mapping[str, str], by_cosine: Rank, depth: int) -> dict[str, Find]:
    """Search documents of one passage each, `texts` by their ids, for `depth` results."""
    return {
        **_langchain(texts, by_cosine, depth),
        **_llamaindex(texts, by_cosine, depth),
        **_haystack(texts, by_cosine, depth),
    }


def _langchain(texts: Mapping[str, str], by_cosine: Rank, depth: int) -> dict[str, Find]:
    """Its BM25 is rank-bm25's, of the words between blanks."""
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from rank_bm25 import BM25Okapi

    class Retriever(BaseRetriever):
        rank: Any

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(page_content=texts[id], metadata={"id": id}) for id, _ in self.rank(query)]

    bm25 = BM25Okapi([text.split() for text in texts.values()])
    lists = [
        Retriever(rank=by_cosine),
        Retriever(rank=lambda query: _highest(texts, bm25.get_scores(query.split()))),
    ]
    ensemble = EnsembleRetriever(retrievers=lists, weights=[0.5, 0.5], id_key="id")
    return {
        "langchain_ensemble": lambda query: [one.metadata["id"] for one in ensemble.invoke(query)][:depth],
    }


def _llamaindex(texts: Mapping[str, str], by_cosine: Rank, depth: int) -> dict[str, Find]:
    """Its BM25 is that of bm25s, with English stop words and stems, as in llama-index-retrievers-bm25."""
    import bm25s
    import Stemmer  # type: ignore[import-not-found]  # it ships no types
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
    from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
    from llama_index.core.schema import NodeWithScore, TextNode

    class Retriever(BaseRetriever):  # type: ignore[misc]  # the package is not in .venv
        def __init__(self, rank: Rank) -> None:
            super().__init__()
            self._rank = rank

        def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:
            ranked = self._rank(query_bundle.query_str)
            return [NodeWithScore(node=TextNode(id_=id, text=id), score=score) for id, score in ranked]

    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    index.index(
        bm25s.tokenize(list(texts.values()), stopwords="en", stemmer=stemmer, show_progress=False), False, False
    )
    ids = list(texts)

    def by_words(query: str) -> Ranked:
        tokens = bm25s.tokenize(query, stopwords="en", stemmer=stemmer, show_progress=False)
        places, scores = index.retrieve(tokens, k=CANDIDATES, show_progress=False)
        return [(ids[place], float(score)) for place, score in zip(places[0], scores[0], strict=True)]

    found: dict[str, Find] = {}
    for mode in (FUSION_MODES.RECIPROCAL_RANK, FUSION_MODES.RELATIVE_SCORE):
        fusion = QueryFusionRetriever(
            [Retriever(by_cosine), Retriever(by_words)],
            llm=MockLLM(),
            mode=mode,
            similarity_top_k=depth,
            num_queries=1,
            use_async=False,
        )
        found[f"llamaindex_{mode.value}"] = lambda query, fusion=fusion: [  # type: ignore[misc]  # a default has no type
            one.node.node_id for one in fusion.retrieve(query)
        ]
    return found


def _haystack(texts: Mapping[str, str], by_cosine: Rank, depth: int) -> dict[str, Find]:
    """Its BM25 is that of its store in memory."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # it reads this when it is imported
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents([Document(id=id, content=text) for id, text in texts.items()])

    def joined(joiner: DocumentJoiner, query: str) -> list[str]:
        near = [Document(id=id, content=texts[id], score=score) for id, score in by_cosine(query)]
        best = store.bm25_retrieval(query, top_k=CANDIDATES)
        return [document.id for document in joiner.run(documents=[near, best])["documents"]]

    modes = ("reciprocal_rank_fusion", "distribution_based_rank_fusion")
    joiners = {mode: DocumentJoiner(join_mode=mode, top_k=depth) for mode in modes}
    return {
        f"haystack_{mode}": lambda query, joiner=joiner: joined(joiner, query)  # type: ignore[misc]  # as above
        for mode, joiner in joiners.items()
    }


def _highest(texts: Mapping[str, str], scores: Any) -> Ranked:
    ids = list(texts)
    return [(ids[place], float(scores[place])) for place in np.argsort(-scores, kind="stable")[:CANDIDATES]]
