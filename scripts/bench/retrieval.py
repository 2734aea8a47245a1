"""How good are the answers? Measure ranking and refusal. Prints a line of JSON for Cranfield, and three for each
language of XQuAD in the data folder: its paragraphs alone, with the Markdown files beside, and half of its articles.

nDCG@10 is measured without a threshold, at the default one, and for the two halves of the search on the same index:
only cosine, and only BM25. Recall@5 is the share of the questions whose paragraph is among five results. `answered` is
the share of the collection's own questions that get any result at the default threshold, `refused` the share of others
that get none: 200 on other subjects, or those about the articles that are missing. RAGBASE_EMBEDDER chooses the
embedder. With `--peers`, the line of Cranfield has the nDCG@10 of other libraries beside (fusion_peers.py).

With `--reranker FOLDER`, it measures the cross-encoder in that folder instead: a line for Cranfield and one for each
language of XQuAD, with nDCG@10 and recall@5 of the same results in the order of the search and in that of the model,
and its milliseconds for a question. The time of the model has no limit then; `late` is the share of the questions for
which it takes longer than the setting rerank_timeout.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Several
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ragbase.adapters.local_model.reranker import MOST_READ
from ragbase.bootstrap.local_models import local_reranker
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.chunk import embedding_text
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder, Reranker
from ragbase.retrieval.calibration import calibration_of
from ragbase.retrieval.rerank import reranked
from ragbase.retrieval.scoring import Scorer
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResult, SearchResults
from ragbase.text.terms import terms_of
from scripts.bench.corpus import (
    LANGUAGE,
    Collection,
    Index,
    articles,
    beside,
    cranfield,
    index,
    markdown,
    off_topic,
    parsed_with_data,
    xquad,
)
from scripts.bench.machine import machine
from scripts.locked import locked_packages

DEPTH = 10
RECALL_DEPTH = 5
_PATIENCE = 600.0
"""Seconds for the passages of one question, where the time is what is measured."""
_MARKDOWN = (("prometheus", "prometheus"), ("book", "rust"))


@dataclass(frozen=True)
class Search:
    """Asks an index as a user does, at the default threshold or without one."""

    searched: Index
    embedder: Embedder
    threshold: float

    def best(self, query: str) -> list[str]:
        return self._found(query, 0.0)

    def shown(self, query: str) -> list[str]:
        return self._found(query, self.threshold)

    def answered(self, questions: Several[str]) -> float:
        return sum(bool(self.shown(question)) for question in questions) / len(questions)

    def _found(self, query: str, threshold: float) -> list[str]:
        return _documents(self.results(query, threshold, DEPTH))

    def results(self, query: str, threshold: float, most: int) -> SearchResults:
        return search_one_index(
            query,
            chunks=self.searched.active,
            embedder=self.embedder,
            top_k=most,
            threshold=threshold,
            language=LANGUAGE,
            fitted=self.searched.fitted,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench/retrieval", description="Measure ranking and refusal on Cranfield and XQuAD."
    )
    parser.add_argument("--peers", action="store_true", help="measure the fusion of other libraries, too")
    parser.add_argument("--reranker", metavar="FOLDER", help="measure the cross-encoder in a folder instead")
    options = parsed_with_data(parser)
    data: Path = options.data
    config = load_config()
    embedder = open_profile(config).embedder

    def search(collection: Collection) -> Search:
        return Search(index(collection, embedder), embedder, config.similarity_threshold)

    common = {"bench": "retrieval", "embedder": embedder.model, "threshold": config.similarity_threshold}
    if options.reranker:
        reranker = local_reranker(options.reranker, config.model_folder, timeout=_PATIENCE)
        common |= {"reranker": reranker.model}
        measured: Iterator[Figures] = (
            _reranked(one, search(one), reranker, config.rerank_timeout) for one in _judged(data)
        )
    else:
        measured = chain([_on_cranfield(cranfield(data), search, with_peers=options.peers)], _on_xquad(data, search))
    for figures in measured:
        rounded = {name: _rounded(figure) for name, figure in figures.items()}
        print(json.dumps(common | rounded | {"machine": machine()}), flush=True)


Figures = dict[str, str | float]


def _on_cranfield(collection: Collection, search: Callable[[Collection], Search], *, with_peers: bool) -> Figures:
    asked = search(collection)
    figures: Figures = {
        "collection": collection.name,
        "ndcg_at_10": ndcg(collection, asked.best),
        "ndcg_at_10_shown": ndcg(collection, asked.shown),
        "ndcg_at_10_dense": ndcg(collection, lambda query: dense(query, asked.searched, asked.embedder)),
        "ndcg_at_10_sparse": ndcg(collection, lambda query: sparse(query, asked.searched, asked.embedder)),
        "answered": asked.answered(collection.questions.values()),
        "refused": 1 - asked.answered(off_topic()),
    }
    if with_peers:
        figures |= {f"ndcg_at_10_{name}": ndcg(collection, find) for name, find in _peers(collection, asked).items()}
    return figures


def _judged(data: Path) -> list[Collection]:
    languages = sorted(file.suffixes[0][1:] for file in (data / "xquad").glob("xquad.*.json"))
    return [cranfield(data), *(xquad(data, language) for language in languages)]


def _reranked(collection: Collection, asked: Search, reranker: Reranker, timeout: float) -> Figures:
    """What passes the threshold, as many as the model reads, in the order of the search and in that of the model."""
    seconds: list[float] = []
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for question in map(collection.questions.__getitem__, collection.answers):
        results = asked.results(question, asked.threshold, MOST_READ)
        began = time.perf_counter()
        given = reranked(question, results, reranker)
        if len(results) > 1:
            seconds.append(time.perf_counter() - began)
        before[question], after[question] = _documents(results), _documents(given)
    figures: Figures = {"collection": collection.name, "questions": len(before), "reranked": len(seconds)}
    for order, found in (("before", before), ("after", after)):
        figures |= {
            f"ndcg_at_10_{order}": ndcg(collection, found.__getitem__),
            f"recall_at_5_{order}": recall(collection, found.__getitem__),
        }
    return figures | {
        "ms_p50": _percentile(seconds, 0.5),
        "ms_p95": _percentile(seconds, 0.95),
        "late": sum(one > timeout for one in seconds) / max(1, len(seconds)),
    }


def _documents(results: Sequence[SearchResult]) -> list[str]:
    return [source.document.id for result in results for source in result.sources]


def _percentile(seconds: Sequence[float], share: float) -> float:
    """In milliseconds."""
    return 1000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))] if seconds else 0.0


def _peers(collection: Collection, asked: Search) -> Mapping[str, Callable[[str], Sequence[str]]]:
    """The fusion of other libraries, for documents of one passage each."""
    sys.path.append(str(locked_packages("peers")))
    from scripts.bench.fusion_peers import CANDIDATES, fusions

    def by_cosine(query: str) -> Sequence[tuple[str, float]]:
        vector = asked.embedder.embed_query(query)
        hits = asked.searched.vectors.search(vector, [], CANDIDATES).hits
        return [(hit.chunk.document_id, hit.cosine) for hit in hits]

    texts = {document_id("bench", name): embedding_text(one) for name, (one,) in collection.documents.items()}
    return fusions(texts, by_cosine, DEPTH)


def _on_xquad(data: Path, search: Callable[[Collection], Search]) -> Iterator[Figures]:
    for file in sorted((data / "xquad").glob("xquad.*.json")):
        collection = xquad(data, file.suffixes[0][1:])
        others = [markdown(data, *one) for one in _MARKDOWN if (data / "markdown" / one[0]).is_dir()]
        for mixed in (collection, beside(collection, others)):
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


def recall(collection: Collection, find: Callable[[str], Sequence[str]]) -> float:
    """The share of the questions with one of their answers among the first five."""
    found = [
        not {document_id("bench", name) for name in answers}.isdisjoint(
            find(collection.questions[question])[:RECALL_DEPTH]
        )
        for question, answers in collection.answers.items()
    ]
    return sum(found) / len(found)


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
