"""Say at which stage a search loses a document whose name and record are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.domain.left_out import LeftOutFile
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.retrieval.explain.explanation import Explanation


def explain_document(
    query: str,
    name: str,
    record: Document | None,
    profile: Profile,
    *,
    top_k: int | None = None,
    threshold: float | None = None,
    within: SearchFilter | None = None,
    tenant: str | None = None,
    left_out: LeftOutFile | None = None,
) -> Explanation:
    """The stage that loses the document of this name in the bucket, with its record, if there is one. The options are
    those of `search`, and so are the errors. `left_out` says why it is not taken from the folder or the source that has
    it. The audit log gets an entry."""
    from ragbase.domain.audit import Action
    from ragbase.domain.identity import document_id
    from ragbase.retrieval.explain.explain import Asked
    from ragbase.retrieval.explain.explain import explain as explain_current

    config = profile.config
    id = document_id(profile.bucket.name, name)
    with profile.audit.asking(Action.EXPLAIN, query, tenant=tenant, document_id=id):
        return explain_current(
            Asked(
                query=query,
                top_k=config.top_k if top_k is None else top_k,
                threshold=config.similarity_threshold if threshold is None else threshold,
                within=within,
                tenant=tenant,
                group_versions=config.versions == "group",
            ),
            name,
            current=profile.current_index.get,
            bucket=profile.bucket,
            documents=profile.documents,
            record=record,
            left_out=left_out,
        )
