"""What do short, odd and long questions find? Prints a line of JSON for each kind of question and each collection:
Cranfield's abstracts, its titles alone, and XQuAD in each language of the data folder that has frames
(data/question_frames.tsv).

Each kind (tests/question_kinds.py) writes the collection's own questions in another way. Recall@5 is the share of them
with an answer among five results, and nDCG@10 how good the order is, without a threshold and at the default one.
`refused` is the share of foreign questions, written in the same way, that get no result: for XQuAD those about the
articles that are missing from half of its index, for Cranfield questions on other subjects. A kind that asks for
nothing has only `refused`. The questions are a sample by chance, the same in each run. RAGBASE_EMBEDDER chooses the
embedder.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.chunk import Passage
from ragbase.ports import Embedder
from ragbase.retrieval.remembering_embedder import RememberingEmbedder
from scripts.bench.corpus import (
    Collection,
    JudgedBench,
    Search,
    articles,
    cranfield,
    index,
    ndcg,
    off_topic,
    recall,
    xquads,
)
from scripts.bench.harness import Figures, rounded
from tests.question_kinds import KINDS, LANGUAGES, NOTHING, Asked, Kind

_BESIDE = 5
"""Questions on the same subject that a question knows of."""


@dataclass(frozen=True)
class Odd:
    """A collection whose questions are answered, and an index that lacks what the foreign questions ask for."""

    collection: Collection
    searched: Search
    own: Mapping[str, Asked]
    lacking: Search
    foreign: Mapping[str, Asked]

    def figures(self) -> Iterator[Figures]:
        for name, kind in KINDS.items():
            own, foreign = _written(kind, self.own), _written(kind, self.foreign)
            if own and foreign:
                yield self._named(name) | self._kept(own) | self._refused(foreign)
        for name, kind in NOTHING.items():
            yield self._named(name) | self._refused(_written(kind, self.foreign))

    def _named(self, kind: str) -> Figures:
        return {"collection": self.collection.name, "kind": kind}

    def _kept(self, questions: Mapping[str, str]) -> Figures:
        answers = {question: self.collection.answers[question] for question in questions}
        asked = Collection(self.collection.name, self.collection.documents, questions, answers)
        best, shown = cache(self.searched.best), cache(self.searched.shown)
        return {
            "questions": len(questions),
            "recall_at_5": recall(asked, best),
            "recall_at_5_shown": recall(asked, shown),
            "ndcg_at_10": ndcg(asked, best),
            "ndcg_at_10_shown": ndcg(asked, shown),
        }

    def _refused(self, questions: Mapping[str, str]) -> Figures:
        return {"foreign": len(questions), "refused": 1 - self.lacking.answered(questions.values())}


def main() -> None:
    bench = JudgedBench("odd-questions", "Measure short, odd and long questions on Cranfield and XQuAD.")
    bench.number("--questions", 100, "of each collection")
    options = bench.parsed()
    config = load_config()
    embedder = RememberingEmbedder(open_profile(config).embedder)
    common = {"embedder": embedder.model, "threshold": config.similarity_threshold}
    for one in collections(options.data, embedder, config.similarity_threshold, options.questions):
        for figures in one.figures():
            bench.say(common | rounded(figures))


def collections(data: Path, embedder: Embedder, threshold: float, most: int) -> Iterator[Odd]:
    def search(collection: Collection) -> Search:
        return Search(index(collection, embedder), embedder, threshold)

    abstracts = _with_text(cranfield(data))
    own, foreign = _sampled(abstracts, "en", most), _on_other_subjects(most)
    for collection in (abstracts, _titles(abstracts)):
        searched = search(collection)
        yield Odd(collection, searched, own, searched, foreign)
    for language, collection in xquads(data):
        if language not in LANGUAGES:
            continue
        missing = _sampled(articles(collection, even=False), language, most)
        lacking = search(articles(collection, even=True))
        yield Odd(collection, search(collection), _sampled(collection, language, most), lacking, missing)


def _with_text(collection: Collection) -> Collection:
    """Without the documents that are blank, which a question of signs alone would find. No ingest has any."""
    documents = {name: passages for name, passages in collection.documents.items() if passages[0].text.strip()}
    return Collection(collection.name, documents, collection.questions, collection.answers)


def _titles(collection: Collection) -> Collection:
    """The first line of each document."""
    titles = {name: passages[0].text.partition("\n")[0] for name, passages in collection.documents.items()}
    documents = {name: [Passage(text=title, char_start=0, char_end=len(title))] for name, title in titles.items()}
    return Collection(f"{collection.name}, titles", documents, collection.questions, collection.answers)


def _on_other_subjects(most: int) -> dict[str, Asked]:
    questions = off_topic()
    return {
        text: Asked(text, "en", _sample(questions, _BESIDE), questions[place - 1])
        for place, text in enumerate(questions[:most])
    }


def _sampled(collection: Collection, language: str, most: int) -> dict[str, Asked]:
    """Questions by chance. Those with an answer in common, or in the same article, are on one subject."""
    subjects = {question: {name.partition("/")[0] for name in names} for question, names in collection.answers.items()}
    asked = {}
    for question in sorted(_sample(sorted(subjects), most)):
        others = [other for other in subjects if other != question]
        beside = [other for other in others if not subjects[other].isdisjoint(subjects[question])]
        elsewhere = [other for other in others if subjects[other].isdisjoint(subjects[question])]
        known = (_sample(beside, _BESIDE) + _sample(elsewhere, _BESIDE))[:_BESIDE]
        asked[question] = Asked(
            collection.questions[question],
            language,
            [collection.questions[other] for other in known],
            collection.questions[random.Random(question).choice(elsewhere)],
        )
    return asked


def _sample(texts: Sequence[str], most: int) -> list[str]:
    return random.Random(0).sample(texts, min(most, len(texts)))


def _written(kind: Kind, asked: Mapping[str, Asked]) -> dict[str, str]:
    """The questions that can be asked in this way."""
    written = {question: kind(one, random.Random(one.text)) for question, one in asked.items()}
    return {question: text for question, text in written.items() if text is not None}


if __name__ == "__main__":
    main()
