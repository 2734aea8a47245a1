"""How good are the answers? Measure ranking and refusal on the Cranfield collection. Prints one line of JSON.

nDCG@10 is measured for the search that users get, and for its two halves on the same index: only cosine, and only BM25.
A question counts as answered if it gets any result at the default threshold. `answered` is about Cranfield's own
questions, `refused` is about 200 questions on other subjects. RAGBASE_EMBEDDER chooses the embedder.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder
from ragbase.retrieval.calibration import calibration_of
from ragbase.retrieval.scoring import Scorer
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.text.terms import terms_of
from scripts.bench.corpus import LANGUAGE, Collection, Index, cranfield, data_folder, index, off_topic
from scripts.bench.machine import machine

DEPTH = 10


def main() -> None:
    data = data_folder("scripts/bench/retrieval", "Measure ranking and refusal on the Cranfield collection.")
    config = load_config()
    embedder = open_profile(config).embedder
    collection = cranfield(data)
    searched = index(collection, embedder)

    def hybrid(query: str, threshold: float = 0.0) -> list[str]:
        found = search_one_index(
            query, chunks=searched.active, embedder=embedder, top_k=DEPTH, threshold=threshold, language=LANGUAGE
        )
        return [source.document.id for result in found for source in result.sources]

    def answered(questions: Sequence[str]) -> float:
        return sum(bool(hybrid(question, config.similarity_threshold)) for question in questions) / len(questions)

    start = time.perf_counter()
    figures: dict[str, str | float] = {
        "bench": "retrieval",
        "collection": collection.name,
        "embedder": embedder.model,
        "threshold": config.similarity_threshold,
        "ndcg_at_10": ndcg(collection, hybrid),
        "ndcg_at_10_dense": ndcg(collection, lambda query: dense(query, searched, embedder)),
        "ndcg_at_10_sparse": ndcg(collection, lambda query: sparse(query, searched, embedder)),
        "answered": answered(list(collection.questions.values())),
        "refused": 1 - answered(off_topic()),
    }
    figures["seconds"] = time.perf_counter() - start
    print(json.dumps({name: _rounded(figure) for name, figure in figures.items()} | {"machine": machine()}))


def dense(query: str, searched: Index, embedder: Embedder) -> list[str]:
    hits = searched.vectors.search(embedder.embed_query(query), [], DEPTH).hits
    return [hit.chunk.document_id for hit in hits]


def sparse(query: str, searched: Index, embedder: Embedder) -> list[str]:
    terms = terms_of(query, LANGUAGE)
    everything = searched.vectors.search(embedder.embed_query(query), terms, searched.passages)
    scorer = Scorer(terms, everything, calibration_of(embedder.model))
    hits = sorted(everything.hits, key=lambda hit: (-scorer.facts(hit).bm25, hit.chunk.id))
    return [hit.chunk.document_id for hit in hits[:DEPTH]]


def ndcg(collection: Collection, find: Callable[[str], Sequence[str]]) -> float:
    """The mean over all questions that have an answer. All answers are equally good."""
    values = []
    for question, answers in collection.answers.items():
        wanted = {document_id("bench", name) for name in answers}
        found = find(collection.questions[question])[:DEPTH]
        gain = sum(1 / math.log2(place + 2) for place, id in enumerate(found) if id in wanted)
        values.append(gain / sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(wanted)))))
    return sum(values) / len(values)


def _rounded(figure: str | float) -> str | float:
    return round(figure, 4) if isinstance(figure, float) else figure


if __name__ == "__main__":
    main()
