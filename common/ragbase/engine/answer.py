"""Answer a question from the profile's documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ragbase.domain.audit import Action
from ragbase.engine.search import passages, standing_alone

if TYPE_CHECKING:
    from ragbase.bootstrap.current_index import CurrentIndex
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.domain.question import Question
    from ragbase.ports import DocumentStore, OpenIndex
    from ragbase.retrieval.active_chunks import ActiveChunks
    from ragbase.retrieval.answer import AnswerPart
    from ragbase.retrieval.search_result import SearchResult

_ROUNDS = 3
"""How often it searches at most, if another index becomes the current one meanwhile."""


def answer(
    question: Question,
    profile: Profile,
    *,
    tenant: str | None = None,
) -> Iterator[AnswerPart]:
    """The evidence, then each sentence, then the whole answer, from what `search` finds for it. The audit
    log gets an entry.

    The search is done when this returns, so its errors are raised here; the generator is asked with the first sentence.
    """
    from ragbase.retrieval.answer import answer as answer_from
    from ragbase.retrieval.context import EvidenceLimits

    with profile.audit.asking(Action.ANSWER, question.text, tenant=tenant):
        alone = standing_alone(question, lambda: profile.chat_model)
        find = partial(passages, question, alone, profile, tenant=tenant)
        index, results = _found(profile.current_index, find)
    return answer_from(
        alone.text,
        results,
        generator=lambda: profile.generator,
        chunks_of=lambda document: _chunks_of(document, index, profile.documents),
        limits=EvidenceLimits(profile.config.evidence_tokens, profile.config.evidence_hits_per_document),
        language=index.index.language if index is not None else profile.config.language,
        within=question.within,
        alone=alone,
        chat_model=lambda: profile.chat_model,
    )


def _found(
    current: CurrentIndex, find: Callable[[], list[SearchResult]]
) -> tuple[OpenIndex | None, list[SearchResult]]:
    """The results, and the index that they are from."""
    for _ in range(_ROUNDS):
        index = current.get()
        results = find()
        if index is current.get():
            break
    return index, results


def _chunks_of(document: Document, index: OpenIndex | None, documents: DocumentStore) -> ActiveChunks:
    from ragbase.retrieval.active_chunks import ActiveChunks

    if index is None:
        raise LookupError("Without an index there is no result, and no evidence.")
    return ActiveChunks(index.vectors_of(document.name), documents)
