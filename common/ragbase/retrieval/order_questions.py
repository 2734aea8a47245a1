"""Questions whose right passages are known, with what a search finds for them: an owner's, or an index's own sentences.
The weights of the order are fitted to them (fit_order.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Hit
from ragbase.retrieval.calibrate import sample
from ragbase.retrieval.cloze_questions import ClozeQuestion, cloze_questions
from ragbase.retrieval.fit_order import RankedQuestion
from ragbase.retrieval.read_candidates import named_hit, read_candidates
from ragbase.text.asked_part import asked_part
from ragbase.text.framing_words import without_framing
from ragbase.text.terms import index_terms, terms_of

if TYPE_CHECKING:
    from ragbase.domain.calibration import FittedCalibration
    from ragbase.domain.chunk import Chunk, Vector
    from ragbase.ports import Embedder, VectorStore
    from ragbase.retrieval.active_chunks import ActiveChunks
    from ragbase.retrieval.read_candidates import ReadCandidates
    from ragbase.retrieval.scoring import Scorer

MOST_QUESTIONS = 120
"""Sentences that are asked. Each costs an embedding of itself, and one of its passage without it."""
_FACTS = 4


@dataclass(frozen=True, slots=True)
class Partition:
    """One tenant's part of an index, or the whole of one that is not split: the store, and what search shows of it."""

    vectors: VectorStore
    shown: ActiveChunks


@dataclass(frozen=True, slots=True)
class OrderQuestions:
    """Asks an index of this language. `fitted` is its calibration as far as it is known."""

    partitions: Sequence[Partition]
    embedder: Embedder
    language: str
    fitted: FittedCalibration

    def sentences(self) -> Iterator[RankedQuestion]:
        """Sentences of passages, each put to the partition that it is of. Its answer, the passage without it, stands
        among the candidates in place of the passage itself."""
        some = self.partitions[:MOST_QUESTIONS]
        for partition in some:
            asked = cloze_questions(sample([partition.vectors]), -(-MOST_QUESTIONS // len(some)))
            answers = self._embedded([one.answer_text for one in asked])
            for question, answer in zip(asked, answers, strict=True):
                yield self._sentence(question, answer, partition)

    def labelled(self, text: str, is_answer: Callable[[Chunk], bool]) -> RankedQuestion:
        """An owner's question, put to all partitions."""
        facts, answers = [], []
        for partition in self.partitions:
            _, read, scorer = self._read(text, partition)
            hits = read.found.candidates.hits
            facts += [_facts(scorer, hit) for hit in hits]
            answers += [is_answer(hit.chunk) for hit in hits]
        return RankedQuestion(np.array(facts).reshape(-1, _FACTS), np.array(answers, bool))

    def _sentence(self, question: ClozeQuestion, answer: Vector, partition: Partition) -> RankedQuestion:
        vector, read, scorer = self._read(question.text, partition)
        others = [hit for hit in read.found.candidates.hits if not question.gives_away(hit.chunk)]
        whole = named_hit(Hit(question.source.chunk, 0.0, question.source.terms), self.language)
        terms = index_terms(question.answer_text, self.language)
        left = replace(whole, chunk=question.answer, cosine=float(np.dot(vector, answer)), terms=terms)
        facts = [_facts(scorer, hit) for hit in (read.same.read(left), *others)]
        return RankedQuestion(np.array(facts), np.array([True] + [False] * len(others)))

    def _read(self, text: str, partition: Partition) -> tuple[Vector, ReadCandidates, Scorer]:
        """As search_one_index does it."""
        part = asked_part(text[:MAX_QUERY_LENGTH])
        asked = without_framing(part)
        terms, vector = terms_of(asked, self.language), self.embedder.embed_query(searched_text(part))
        read = read_candidates(asked, vector, terms, chunks=partition.shown, language=self.language, wanted=1)
        return vector, read, read.scorer(vector, terms, model=self.embedder.model, fitted=self.fitted)

    def _embedded(self, texts: Sequence[str]) -> list[Vector]:
        size = self.embedder.max_batch
        batches = [self.embedder.embed_documents(texts[at : at + size]).vectors for at in range(0, len(texts), size)]
        return [vector for batch in batches for vector in batch]


def _facts(scorer: Scorer, hit: Hit) -> tuple[float, float, float, float]:
    facts = scorer.facts(hit)
    return facts.cosine, facts.bm25, facts.coverage, facts.headed
