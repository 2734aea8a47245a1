"""The use case: search for each part of a question that asks for several things, and show what they find together.

Each part is searched and gated by itself, with the scores that it would have alone. The results are shared out in
turns: the best of each part, then the second of each, and so on. They are shown in the order of their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_SEARCHES
from ragbase.ports.embedder import EmbedsTogether
from ragbase.retrieval.near_miss import nearest_of
from ragbase.retrieval.same_text import same_text
from ragbase.retrieval.search_one_index import embedded_text
from ragbase.retrieval.search_result import SearchResult, SearchResults, near_miss_of
from ragbase.retrieval.split_question import split_question
from ragbase.text.borrowed_subject import StandalonePart
from ragbase.text.telling_words import words_of

if TYPE_CHECKING:
    from ragbase.domain.answer import QuestionPart
    from ragbase.domain.conversation import FollowUp
    from ragbase.domain.near_miss import NearMiss
    from ragbase.ports import ChatModel, OpenIndex
    from ragbase.retrieval.context import EvidenceLimits
    from ragbase.text.question_parts import QuestionParts

_ROUNDS = 3
"""How often it searches at most, if another index becomes the current one meanwhile."""
Find = Callable[[str, "FollowUp | None"], SearchResults]
"""Searches for a question with one part, with what it borrows."""


class PartResults(SearchResults):
    """The results of a question with several parts. `found` has those of each part that was searched for, also if
    another part shows them, and in the end those of the whole question, if it was searched for, too."""

    found: Sequence[Sequence[SearchResult]]


def parts_of(results: Sequence[SearchResult]) -> tuple[QuestionPart, ...]:
    return results.parts if isinstance(results, SearchResults) else ()


def found_for_parts(results: Sequence[SearchResult]) -> Sequence[Sequence[SearchResult]]:
    """What each part of the question has found; of a question with one part, all."""
    return results.found if isinstance(results, PartResults) else [results]


def in_turns(results: Sequence[SearchResult]) -> Sequence[SearchResult]:
    """The same results, the best one of each part first."""
    if not isinstance(results, PartResults):
        return results
    shown = {same_text(one.chunk.text): one for one in results}
    texts = dict.fromkeys(same_text(one.chunk.text) for one in _turns(results.found))
    return [shown[text] for text in texts if text in shown]


def limits_for(results: Sequence[SearchResult], limits: EvidenceLimits) -> EvidenceLimits:
    """Each part has its best hit in the evidence, and as many hits of a document as a question alone."""
    parts = sum(map(bool, found_for_parts(results)))
    return replace(limits, parts=parts, hits_per_document=limits.hits_per_document * parts) if parts > 1 else limits


def search_parts(
    question: str,
    find: Find,
    *,
    top_k: int,
    follow_up: FollowUp | None = None,
    model: Callable[[], ChatModel | None] = lambda: None,
    current: Callable[[], OpenIndex | None] = lambda: None,
) -> SearchResults:
    """What `find` gives for the question, or for each of its parts: at most `top_k` results together, with one of each
    part that finds something if there is room. At most MAX_SEARCHES searches are made.

    A comparison is searched for as a whole, too: one passage may speak of both. So is a question no part of which finds
    anything. If that finds something, the question was not divided well, and is taken as one.

    All results come from one index: if `current` is another one in the end, that one is asked.
    """
    split, billed = split_question(question[:MAX_QUERY_LENGTH], model)
    if not split.parts:
        results = find(question, follow_up)
        results.billed = billed
        return results
    for _ in range(_ROUNDS):
        asked = current()
        if asked is not None and isinstance(asked.embedder, EmbedsTogether):
            asked.embedder.embed_queries([embedded_text(text) for text in split.texts[:MAX_SEARCHES]])
        results = _of_parts(question, split, find, top_k, follow_up)
        if asked is current():
            break
    results.billed = billed
    return results


def _of_parts(question: str, split: QuestionParts, find: Find, top_k: int, follow_up: FollowUp | None) -> SearchResults:
    searched = split.parts[: MAX_SEARCHES - split.compares]
    found = [find(part.text, _own_evidence(part, question, follow_up)) for part in searched]
    parts = [_part(one.text, results) for one, results in zip(searched, found, strict=True)]
    from ragbase.domain.answer import QuestionPart  # most questions have one part

    parts += [QuestionPart(text, covered=False, searched=False) for text in split.texts[len(searched) :]]
    if len(found) < MAX_SEARCHES and (split.compares or not any(found)):
        whole = find(question, follow_up)
        if whole and not any(found):
            return whole
        found.append(whole)
    return _together(found, parts, top_k)


def _own_evidence(part: StandalonePart, question: str, follow_up: FollowUp | None) -> FollowUp | None:
    """What a part says itself needs evidence, beside what it borrows of the history, or of another part."""
    if follow_up is not None:
        own = set(words_of(part.own or part.text))
        return replace(follow_up, words=tuple(word for word in follow_up.words if word in own))
    if part.own is None:
        return None
    from ragbase.domain.conversation import Role, Turn
    from ragbase.retrieval.conversation.borrowing import Borrowing  # words of 31 languages

    return Borrowing.of(part.own, [Turn(Role.USER, question)]).follow_up()


def _part(text: str, results: SearchResults) -> QuestionPart:
    from ragbase.domain.answer import QuestionPart

    return QuestionPart(text, covered=bool(results), near_miss=None if results else near_miss_of(results))


def _together(found: Sequence[SearchResults], parts: Sequence[QuestionPart], top_k: int) -> PartResults:
    texts: dict[str, SearchResult] = {}
    for result in _turns(found):
        text = same_text(result.chunk.text)
        if text in texts:
            texts[text] = max(texts[text], result, key=lambda one: one.score)
        elif len(texts) < top_k:
            texts[text] = result
    # In a part, no score is above the one before it, and equal ones stay in their turns.
    best_first = sorted(texts.values(), key=lambda one: -one.score)
    results = PartResults(
        [replace(one, rank=rank) for rank, one in enumerate(best_first, start=1)],
        None if texts else _nearest([miss for one in found if (miss := one.near_miss) is not None]),
        has_index=any(one.has_index for one in found),
        parts=parts,
    )
    results.found = found
    return results


def _turns(found: Sequence[Sequence[SearchResult]]) -> Iterator[SearchResult]:
    return (one for turn in zip_longest(*found) for one in turn if one is not None)


def _nearest(misses: Sequence[NearMiss]) -> NearMiss | None:
    """Unlike several tenants, several parts ask for different words: what one of them does not know is unknown."""
    nearest = nearest_of(misses)
    if nearest is None:
        return None
    return replace(nearest, unknown=tuple(dict.fromkeys(chain.from_iterable(miss.unknown for miss in misses))))
