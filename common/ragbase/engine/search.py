"""Ask the profile's documents a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.retrieval.search_one_index import SearchResults


def search(
    query: str,
    profile: Profile,
    *,
    top_k: int | None = None,
    threshold: float | None = None,
    within: SearchFilter | None = None,
    tenant: str | None = None,
) -> SearchResults:
    """The passages that answer, best first, of this tenant's documents; None for those of all tenants. With `within`,
    only those of documents that match it. If there are none, the list says what was nearest. `top_k` and `threshold`
    come from the settings if they are None. The audit log gets an entry.

    Raises NotSplit if a tenant is named and the index is not split by tenant, and TenantNeeded if all are
    meant and there are too many.
    """
    from ragbase.domain.audit import Action

    with profile.audit.asking(Action.QUERY, query, tenant=tenant):
        return passages(query, profile, top_k=top_k, threshold=threshold, within=within, tenant=tenant)


def passages(
    query: str,
    profile: Profile,
    *,
    top_k: int | None = None,
    threshold: float | None = None,
    within: SearchFilter | None = None,
    tenant: str | None = None,
) -> SearchResults:
    """The same, as a part of something that has its own entry in the audit log."""
    from ragbase.retrieval.search import search as search_current

    config = profile.config
    return search_current(
        query,
        current=profile.current_index.get,
        documents=profile.documents,
        top_k=config.top_k if top_k is None else top_k,
        threshold=config.similarity_threshold if threshold is None else threshold,
        within=within,
        tenant=tenant,
        reranker=profile.reranker,
        group_versions=config.versions == "group",
    )
