"""Answers with the sentences of the evidence that fit the question best, word for word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Billed, Claim, DraftSentence, Embedder
from ragbase.retrieval.scoring import inverse_frequency
from ragbase.text.terms import terms_of

MOST = 3
"""Sentences of an answer."""
LEAST = 0.7
"""The share of the best sentence's score that another one needs."""
HEADING = 0.5
"""What a term is worth that only the headings above a sentence have."""
COMPARED = 20
"""Sentences whose meaning is compared with the question's: those with the best words. Each takes some milliseconds."""

_MARK = re.compile(r"\A(?:[-*+>]|\d{1,9}[.)])\s+")
_SAYS_NOTHING = re.compile(r"#{1,6}\s|```|~~~")
"""A heading, and code."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the evidence; `place` is the rank of its passage and where it begins there."""

    place: tuple[int, int]
    passage: EvidencePassage
    text: str
    terms: frozenset[str]
    headings: frozenset[str]


class ExtractiveGenerator:
    """Implements the Generator port. A sentence is chosen by the words that it shares with the question, by its meaning
    if there is an embedder, and by how well its passage fits."""

    def __init__(self, language: str, embedder: Embedder | None = None) -> None:
        """`language` is that of the terms. An embedder is asked with each question, so take one of this machine."""
        self._language = language
        self._embedder = embedder

    @property
    def model(self) -> str:
        return "extractive" if self._embedder is None else f"extractive, {self._embedder.model}"

    def generate(self, question: str, evidence: Sequence[EvidencePassage]) -> Iterator[DraftSentence | Billed]:
        for sentence in self._best(question, evidence):
            text = _MARK.sub("", " ".join(sentence.text.split()))
            yield DraftSentence(text, (Claim(sentence.passage.id, sentence.text),))

    def _best(self, question: str, evidence: Sequence[EvidencePassage]) -> list[_Sentence]:
        """In the order of their passages, and in a passage in their own."""
        sentences = list(self._sentences(evidence))
        words = self._words(question, sentences)
        ranked = sorted(range(len(sentences)), key=lambda one: (-words[one], sentences[one].place))[:COMPARED]
        meaning = self._meaning(question, [sentences[one] for one in ranked])
        scores = {
            one: words[one] + near + sentences[one].passage.score for one, near in zip(ranked, meaning, strict=True)
        }
        best = sorted(ranked, key=lambda one: -scores[one])[:MOST]
        good = [sentences[one] for one in best if scores[one] >= LEAST * scores[best[0]]]
        return sorted(good, key=lambda sentence: sentence.place)

    def _sentences(self, evidence: Sequence[EvidencePassage]) -> Iterator[_Sentence]:
        """Those that say something, each once."""
        seen: set[tuple[str, ...]] = set()
        for rank, passage in enumerate(evidence):
            for start, end in sentence_spans(passage.text, passage.gaps):
                text = passage.text[start:end]
                terms = tuple(terms_of(text, self._language))
                if terms and terms not in seen and not _SAYS_NOTHING.match(text):
                    seen.add(terms)
                    path = passage.chunks_between(start, end)[0].header_path
                    headings = frozenset(terms_of(" ".join(path), self._language))
                    yield _Sentence((rank, start), passage, text, frozenset(terms), headings)

    def _words(self, question: str, sentences: Sequence[_Sentence]) -> list[float]:
        """For each sentence the share of the question's worth that its words have, from 0 to 1."""
        wanted = frozenset(terms_of(question, self._language))
        known = Counter(term for sentence in sentences for term in sentence.terms & wanted)
        worth = {term: inverse_frequency(len(sentences), known[term]) for term in wanted}
        total = sum(worth.values()) or 1.0
        return [
            sum(worth[term] * (1 if term in one.terms else HEADING) for term in wanted & (one.terms | one.headings))
            / total
            for one in sentences
        ]

    def _meaning(self, question: str, sentences: Sequence[_Sentence]) -> list[float]:
        """For each sentence its cosine with the question; 0 without an embedder."""
        embedder = self._embedder
        if embedder is None:
            return [0.0] * len(sentences)
        vector = embedder.embed_query(searched_text(question))
        texts = [searched_text(sentence.text) for sentence in sentences]
        vectors = [
            one
            for first in range(0, len(texts), embedder.max_batch)
            for one in embedder.embed_documents(texts[first : first + embedder.max_batch]).vectors
        ]
        return [float(one @ vector) for one in vectors]
