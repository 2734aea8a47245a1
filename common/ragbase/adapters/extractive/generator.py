"""Answers with the sentences of the evidence that fit the question best, word for word."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from itertools import groupby

from ragbase.adapters.extractive.asked_words import AskedWords
from ragbase.adapters.extractive.quotable import Quotable, quotables
from ragbase.adapters.extractive.said_terms import said_terms
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Billed, DraftCitation, DraftSentence, Embedder
from ragbase.ports.embedder import in_calls
from ragbase.retrieval.calibration import calibration_of
from ragbase.text.asked_part import asked_part
from ragbase.text.framing_words import without_framing
from ragbase.text.terms import analysed_together, function_terms, parts_of

MOST = 3
"""Sentences of an answer."""
LEAST = 0.65
"""The share of the best sentence's score that another one of its passage needs."""
LONGEST_TOGETHER = 500
"""Characters of the best sentence and the next one of its paragraph together. The next one often says what the best one
only names: "There is a way to ask for it. Call `check()`."."""
LEAST_ELSEWHERE = 0.9
"""The share that a sentence of another passage needs, or one about another term or in another row: it was not written
to go on with the best one."""
SAME_SUBJECT = 0.8
"""The share of the worth of the best sentence's passage that another one's passage needs. One without the name that was
asked for is about something else."""
MEANING = 0.4
"""What the cosine counts beside the words, which count 1 together."""
NAMED = 0.4
"""What it counts if the question has all words of the term that a statement describes, or of its heading: what is said
of `--amend` is said of nothing else."""
PLACE = 0.05
"""What each passage counts that is better than the sentence's own."""
COMPARED = 12
"""Sentences whose meaning is compared with the question's: those with the best words. Each takes some milliseconds."""

ALL_WORDS = 0.9
"""The share of the question's worth that an entry beside the best one needs. Rows that only look like the best one
answer other questions."""


class ExtractiveGenerator:
    """Implements the QuotingGenerator port. A sentence is chosen by the words that it shares with the question, by its
    meaning if there is an embedder, and by how well its passage fits."""

    def __init__(self, language: str, embedder: Embedder | None = None) -> None:
        """`language` is the index's. An embedder is asked with each question, so take one of this machine."""
        self._language = language
        self._embedder = embedder

    @property
    def model(self) -> str:
        return "extractive" if self._embedder is None else f"extractive, {self._embedder.model}"

    @property
    def quotes(self) -> bool:
        return True

    def generate(self, question: str, evidence: Sequence[EvidencePassage]) -> Iterator[DraftSentence | Billed]:
        for one in self._best(question, evidence):
            yield DraftSentence(one.text, tuple(DraftCitation(one.passage.id, text) for text in one.places))

    def _best(self, question: str, evidence: Sequence[EvidencePassage]) -> list[Quotable]:
        """In the order of their passages, and in a passage in their own."""
        question = asked_part(question)
        spoken = analysed_together((question, *(passage.text for passage in evidence)), self._language)
        wanted = frozenset(said_terms(without_framing(question), spoken))
        found = list(quotables(wanted, evidence, spoken))
        if self._is_unnamed(question, evidence, found):
            return []
        words = AskedWords(wanted, found, function_terms(question, self._language))
        near = [words.near(one) + NAMED * words.named(one) for one in found]
        by_words = sorted(
            range(len(found)), key=lambda one: (PLACE * found[one].place[0] - near[one], found[one].place)
        )
        best_entry = next((one for one in by_words if found[one].is_entry), None)
        ranked = [one for one in by_words if not found[one].is_entry or one == best_entry or near[one] >= ALL_WORDS][
            :COMPARED
        ]
        meaning = self._meaning(question, [found[one] for one in ranked])
        scores = {
            one: near[one] + MEANING * cosine - PLACE * found[one].place[0]
            for one, cosine in zip(ranked, meaning, strict=True)
        }
        best = sorted(ranked, key=lambda one: -scores[one])
        about = {one: words.of_passage(found[one]) for one in ranked}
        good: dict[tuple[str, ...], Quotable] = {}
        for one in best:
            is_beside = found[one].place[0] == found[best[0]].place[0] and found[best[0]].term in (
                None,
                found[one].term,
            )
            enough = (LEAST if is_beside else LEAST_ELSEWHERE) * scores[best[0]]
            is_good = scores[one] >= enough and about[one] >= SAME_SUBJECT * about[best[0]]
            if one == best[0] or (is_good and len(good) < MOST):
                good.setdefault(found[one].said, found[one])
        if 0 < len(good) < MOST and (after := _going_on(found, best[0])) is not None:
            good.setdefault(after.said, after)
        return list(_merged(sorted(_without_parts(good.values()), key=lambda one: one.place)))

    def _is_unnamed(self, question: str, evidence: Sequence[EvidencePassage], found: Sequence[Quotable]) -> bool:
        """Whether the question names something as code or a product does, such as `retry_limit` or MongoDB, that no
        passage has. What they say of `retry_delay` answers another question."""
        parts = {whole: parts for whole, parts in parts_of(question, self._language).items() if parts}
        files = [passage.document.name.casefold() for passage in evidence]
        known = frozenset().union(*(one.around | one.headings for one in found))
        unknown = {name for name in parts.keys() - known if not any(name in file for file in files)}
        written_apart = {name for name in unknown if known.issuperset(parts[name])}
        has_digit = {name for name in unknown if any(map(str.isdigit, name))}  # search knows numbers better
        code = {name for name in parts if "_" in name}
        return bool(unknown - written_apart - has_digit - code) or (bool(code) and code <= unknown)

    def _meaning(self, question: str, found: Sequence[Quotable]) -> list[float]:
        """For each its cosine with the question, on MiniLM's scale; 0 without an embedder."""
        embedder = self._embedder
        if embedder is None:
            return [0.0] * len(found)
        vector = embedder.embed_query(searched_text(question))
        texts = [searched_text(one.text) for one in found]
        vectors = [one for part in in_calls(texts, embedder) for one in embedder.embed_documents(part).vectors]
        scale = calibration_of(embedder.model).scale
        return [scale(float(one @ vector)) for one in vectors]


def _going_on(found: Sequence[Quotable], best: int) -> Quotable | None:
    """The sentence after the best one, if that goes on in its paragraph."""
    one, after = found[best], found[best + 1] if best + 1 < len(found) else None
    is_short = after is not None and len(one.text) + len(after.text) <= LONGEST_TOGETHER
    return after if after is not None and is_short and after.goes_on(one) else None


def _without_parts(statements: Collection[Quotable]) -> Iterator[Quotable]:
    """Those that no other one of them has as a part, such as an item of its list."""
    for one in statements:
        if not any(other is not one and other.has(one) for other in statements):
            yield one


def _merged(statements: Sequence[Quotable]) -> Iterator[Quotable]:
    """Those about the same term as one."""
    for _, group in groupby(statements, lambda one: (one.place[0], one.term or one.place)):
        first, *others = group
        yield reduce(Quotable.and_also, others, first)
