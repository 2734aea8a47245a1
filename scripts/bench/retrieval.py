"""How good are the answers? Measure ranking and refusal. Prints a line of JSON for Cranfield, and three for each
language of XQuAD in the data folder: its paragraphs alone, with the Markdown files beside, and half of its articles.

nDCG@10 is measured without a threshold, at the default one, and for the two halves of the search on the same index:
only cosine, and only BM25. Recall@5 is the share of the questions whose paragraph is among five results. `answered` is
the share of the collection's own questions that get any result at the default threshold, `refused` the share of others
that get none: 200 on other subjects, or those about the articles that are missing. RAGBASE_EMBEDDER chooses the
embedder.

With `--reranker FOLDER`, it measures the cross-encoder in that folder instead: a line for Cranfield and one for each
language of XQuAD, with nDCG@10 and recall@5 of the same results in the order of the search and in that of the model,
and its milliseconds for a question. The time of the model has no limit then; `late` is the share of the questions for
which it takes longer than the setting rerank_timeout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from ragbase.adapters.local_model.reranker import MOST_READ
from ragbase.bootstrap.local_models import local_reranker
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.ports import Embedder, Reranker
from ragbase.retrieval.calibration import calibration_of
from ragbase.retrieval.rerank import reranked
from ragbase.retrieval.scoring import Scorer
from ragbase.text.terms import terms_of
from scripts.bench.corpus import (
    DEPTH,
    LANGUAGE,
    Collection,
    Index,
    JudgedBench,
    Search,
    articles,
    beside,
    cranfield,
    found_in,
    index,
    markdowns,
    ndcg,
    off_topic,
    recall,
    xquads,
)
from scripts.bench.harness import Figures, percentile, rounded, share, timed

_PATIENCE = 600.0
"""Seconds for the passages of one question, where the time is what is measured."""

MakeSearch = Callable[[Collection], Search]


def main() -> None:
    bench = JudgedBench("retrieval", "Measure ranking and refusal on Cranfield and XQuAD.")
    bench.add_argument("--reranker", metavar="FOLDER", help="measure the cross-encoder in a folder instead")
    options = bench.parsed()
    config = load_config()
    embedder = open_profile(config).embedder

    def search(collection: Collection) -> Search:
        return Search(index(collection, embedder), embedder, config.similarity_threshold)

    common: Figures = {"embedder": embedder.model, "threshold": config.similarity_threshold}
    if options.reranker:
        reranker = local_reranker(options.reranker, config.model_folder, timeout=_PATIENCE)
        common |= {"reranker": reranker.model}
        judged = chain([cranfield(options.data)], (one for _, one in xquads(options.data)))
        measured: Iterator[Figures] = (_reranked(one, search(one), reranker, config.rerank_timeout) for one in judged)
    else:
        measured = chain([_on_cranfield(cranfield(options.data), search)], _on_xquad(options.data, search))
    for figures in measured:
        bench.say(common | rounded(figures))


def _on_cranfield(collection: Collection, search: MakeSearch) -> Figures:
    asked = search(collection)
    return {
        "collection": collection.name,
        "ndcg_at_10": ndcg(collection, asked.best),
        "ndcg_at_10_shown": ndcg(collection, asked.shown),
        "ndcg_at_10_dense": ndcg(collection, lambda query: _dense(query, asked.searched, asked.embedder)),
        "ndcg_at_10_sparse": ndcg(collection, lambda query: _sparse(query, asked.searched, asked.embedder)),
        "answered": asked.answered(collection.questions.values()),
        "refused": 1 - asked.answered(off_topic()),
    }


def _dense(query: str, searched: Index, embedder: Embedder) -> list[str]:
    hits = searched.vectors.search(embedder.embed_query(query), [], DEPTH).hits
    return [hit.chunk.document_id for hit in hits]


def _sparse(query: str, searched: Index, embedder: Embedder) -> list[str]:
    terms = terms_of(query, LANGUAGE)
    everything = searched.vectors.search(embedder.embed_query(query), terms, searched.passages)
    scorer = Scorer(terms, everything, calibration_of(embedder.model))
    hits = sorted(everything.hits, key=lambda hit: (-scorer.facts(hit).bm25, hit.chunk.id))
    return [hit.chunk.document_id for hit in hits[:DEPTH]]


def _on_xquad(data: Path, search: MakeSearch) -> Iterator[Figures]:
    for _, collection in xquads(data):
        for mixed in (collection, beside(collection, markdowns(data))):
            asked = search(mixed)
            yield _kept(mixed, asked) | {"refused": 1 - asked.answered(off_topic())}
        half, missing = articles(collection, even=True), articles(collection, even=False)
        asked = search(half)
        yield _kept(half, asked) | {"refused": 1 - asked.answered(missing.questions.values())}


def _kept(collection: Collection, asked: Search) -> Figures:
    return {
        "collection": collection.name,
        "passages": asked.searched.passages,
        "recall_at_5": recall(collection, asked.best),
        "recall_at_5_shown": recall(collection, asked.shown),
        "answered": asked.answered(collection.questions.values()),
    }


def _reranked(collection: Collection, asked: Search, reranker: Reranker, timeout: float) -> Figures:
    """What passes the threshold, as many as the model reads, in the order of the search and in that of the model."""
    seconds: list[float] = []
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for question in map(collection.questions.__getitem__, collection.answers):
        results = asked.results(question, asked.threshold, MOST_READ)
        took, given = timed(reranked, question, results, reranker)
        if len(results) > 1:
            seconds.append(took)
        before[question], after[question] = found_in(results), found_in(given)
    figures: Figures = {"collection": collection.name, "questions": len(before), "reranked": len(seconds)}
    for order, found in (("before", before), ("after", after)):
        figures |= {
            f"ndcg_at_10_{order}": ndcg(collection, found.__getitem__),
            f"recall_at_5_{order}": recall(collection, found.__getitem__),
        }
    times = [1000 * one for one in seconds]
    late = share(one > timeout for one in seconds)
    return figures | {"ms_p50": percentile(times, 50), "ms_p95": percentile(times, 95), "late": late}


if __name__ == "__main__":
    main()
