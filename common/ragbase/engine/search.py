"""Ask the profile's documents a question."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.conversation import Standalone
    from ragbase.domain.question import Question
    from ragbase.ports import ChatModel, DocumentStore, OpenIndex
    from ragbase.retrieval.search_result import SearchResults


def search(
    question: Question,
    profile: Profile,
    *,
    tenant: str | None = None,
) -> SearchResults:
    """The passages that answer, best first, of this tenant's documents; None for those of all tenants. If there are
    none, the list says what was nearest. Each has its context if the question asks for it. The audit log gets an entry.

    Raises NotSplit if a tenant is named and the index is not split by tenant, and TenantNeeded if all are
    meant and there are too many.
    """
    from ragbase.domain.audit import Action

    with profile.audit.asking(Action.QUERY, question.text, tenant=tenant):
        found = passages(question, standing_alone(question, lambda: profile.chat_model), profile, tenant=tenant)
        index = profile.current_index.get() if question.expand is not None else None
        return found if index is None else _with_contexts(found, question, index, profile.documents)


def _with_contexts(
    found: SearchResults, question: Question, index: OpenIndex, documents: DocumentStore
) -> SearchResults:
    from ragbase.retrieval.active_chunks import ActiveChunks
    from ragbase.retrieval.expand import with_contexts

    if question.expand is not None:
        found[:] = with_contexts(
            found,
            question.expand,
            chunks_of=lambda document: ActiveChunks(index.vectors_of(document.name), documents),
            within=question.within,
        )
    return found


def standing_alone(question: Question, chat_model: Callable[[], ChatModel | None]) -> Standalone:
    """The question, completed from its history: by the rule, if the language model cannot be made. Raises ValueError
    for a history that is too long."""
    from ragbase.domain.conversation import Standalone

    if not question.history:
        return Standalone(question.text)
    from ragbase.retrieval.conversation.standalone import standalone

    return standalone(question.text, question.history, model=_made(chat_model))


def _made(chat_model: Callable[[], ChatModel | None]) -> ChatModel | None:
    """None, with an entry in the log, for one whose settings or packages are wrong: a search needs none."""
    import logging

    from ragbase import telemetry
    from ragbase.domain.errors import RagbaseError

    try:
        return chat_model()
    except RagbaseError as error:
        telemetry.log(
            "question.not_rewritten",
            "A rule completes the question.",
            level=logging.WARNING,
            reason=str(error),
        )
        return None


def passages(
    question: Question,
    alone: Standalone,
    profile: Profile,
    *,
    tenant: str | None = None,
) -> SearchResults:
    """The passages that answer the question as it stands alone, as a part of something that has its own entry in the
    audit log."""
    from ragbase.ports import Billed
    from ragbase.retrieval.search import search as search_current
    from ragbase.retrieval.search_parts import search_parts

    config = profile.config
    top_k = question.top_k_or(config.top_k)
    find = partial(
        search_current,
        current=profile.current_index.get,
        documents=profile.documents,
        top_k=top_k,
        threshold=question.threshold_or(config.similarity_threshold),
        within=question.within,
        tenant=tenant,
        reranker=profile.reranker if question.rerank else None,
        group_versions=config.versions == "group",
    )
    found = search_parts(
        alone.text,
        lambda text, follow_up: find(text, follow_up=follow_up),
        top_k=top_k,
        follow_up=alone.follow_up,
        model=lambda: profile.chat_model,
        current=profile.current_index.get,
    )
    found.searched_for = alone.searched_for
    found.billed += Billed(alone.input_tokens, alone.output_tokens)
    return found
