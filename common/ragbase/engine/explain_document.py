"""Say at which stage a search loses a document whose name and record are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.domain.left_out import LeftOutFile
    from ragbase.domain.question import Question
    from ragbase.retrieval.explain.explanation import Explanation


def explain_document(
    question: Question,
    name: str,
    record: Document | None,
    profile: Profile,
    *,
    tenant: str | None = None,
    left_out: LeftOutFile | None = None,
) -> Explanation:
    """The stage that loses the document of this name in the bucket, with its record, if there is one. The errors are
    those of `search`. `left_out` says why it is not taken from the folder or the source that has
    it. The audit log gets an entry."""
    from dataclasses import replace
    from functools import partial

    from ragbase.domain.audit import Action
    from ragbase.domain.identity import document_id
    from ragbase.domain.no_document import no_document
    from ragbase.engine.search import standing_alone
    from ragbase.retrieval.explain.explain import Asked
    from ragbase.retrieval.explain.explain import explain as explain_current
    from ragbase.retrieval.explain.explain_parts import explain_parts
    from ragbase.retrieval.explain.explanation import SearchSettings

    config = profile.config
    id = document_id(profile.bucket.name, name)
    is_known = record is not None and not record.tombstone
    is_nothing = name.endswith("/") and profile.bucket.stat(name) is None
    never = None if is_known or is_nothing else no_document(name, profile.program_files)
    with profile.audit.asking(Action.EXPLAIN, question.text, tenant=tenant, document_id=id):
        alone = standing_alone(question, lambda: profile.chat_model)
        asked = Asked(
            query=alone.text,
            top_k=question.top_k_or(config.top_k),
            threshold=question.threshold_or(config.similarity_threshold),
            within=question.within,
            tenant=tenant,
            group_versions=config.versions == "group",
        )
        explain_one = partial(
            explain_current,
            name=name,
            current=profile.current_index.get,
            bucket=profile.bucket,
            documents=profile.documents,
            record=record,
            left_out=never or left_out,
            is_document=never is None,
        )
        explanation = explain_parts(asked, explain_one)
    settings = SearchSettings(
        model=explanation.model,
        language=config.language,
        chunk_size=config.chunk_size,
        chunk_overlap=config.chunk_overlap,
        chunk_unit=config.chunk_unit,
    )
    return replace(explanation, settings=settings)
