"""The search that a request of another service's protocol asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.interfaces.api.callers_stores import callers_store
from ragbase.interfaces.api.question import refusing
from ragbase.interfaces.http.errors import Refused

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.interfaces.wire.retrieval import RetrievalRequest
    from ragbase.interfaces.wire.vector_stores import StoreSearchRequest
    from ragbase.messages.api.query import SearchResultBody


def found_passages(
    wanted: StoreSearchRequest | RetrievalRequest, store: str, profile: Profile
) -> Sequence[SearchResultBody]:
    """The passages of this store, best first. Raises Refused: 404 for an unknown store, 400 for a filter that is wrong
    or says what ours can't."""
    from ragbase.interfaces.knowledge.search_each import search_each
    from ragbase.interfaces.wire.foreign_filter import WrongFilter

    knowledge = callers_store(store, profile).knowledge(profile)
    try:
        questions = wanted.questions()
    except WrongFilter as error:
        raise Refused(400, "INVALID_REQUEST", f"{error}.") from None
    with refusing("Ask the store of one tenant, vs_ and its name, or use a key of one tenant."):
        return search_each(questions, knowledge, most=wanted.most)
