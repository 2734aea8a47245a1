"""How good are the answers? Measure ranking and refusal. Prints a line of JSON for Cranfield, and three for each
language of XQuAD in the data folder: its paragraphs alone, with the Markdown files beside, and half of its articles.

nDCG@10 is measured without a threshold, at the default one, and for the two halves of the search on the same index:
only cosine, and only BM25. Recall@5 is the share of the questions whose paragraph is among five results. `answered` is
the share of the collection's own questions that get any result at the default threshold, `refused` the share of others
that get none: 200 on other subjects, or those about the articles that are missing. RAGBASE_EMBEDDER chooses the
embedder. With `--peers`, the line of Cranfield has the nDCG@10 of other libraries beside (fusion_peers.py).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Several
from dataclasses import dataclass
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.chunk import embedding_text
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder
from ragbase.retrieval.calibration import calibration_of
from ragbase.retrieval.scoring import Scorer
from ragbase.retrieval.search_one_index import search_one_index
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
from scripts.bench.durable_peers import packages
from scripts.bench.machine import machine

DEPTH = 10
RECALL_DEPTH = 5
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
        found = search_one_index(
            query,
            chunks=self.searched.active,
            embedder=self.embedder,
            top_k=DEPTH,
            threshold=threshold,
            language=LANGUAGE,
            fitted=self.searched.fitted,
        )
        return [source.document.id for result in found for source in result.sources]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench/retrieval", description="Measure ranking and refusal on Cranfield and XQuAD."
    )
    parser.add_argument("--peers", action="store_true", help="measure the fusion of other libraries, too")
    options = parsed_with_data(parser)
    data: Path = options.data
    config = load_config()
    embedder = open_profile(config).embedder

    def search(collection: Collection) -> Search:
        return Search(index(collection, embedder), embedder, config.similarity_threshold)

    common = {"bench": "retrieval", "embedder": embedder.model, "threshold": config.similarity_threshold}
    for figures in (_on_cranfield(cranfield(data), search, with_peers=options.peers), *_on_xquad(data, search)):
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


def _peers(collection: Collection, asked: Search) -> Mapping[str, Callable[[str], Sequence[str]]]:
    """The fusion of other libraries, for documents of one passage each."""
    sys.path.append(str(packages()))
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
