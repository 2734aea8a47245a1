"""What a query has found, as the client gives it."""

from __future__ import annotations

from ragbase.messages.api.near_miss import NearMissBody
from ragbase.messages.api.query import QueryResponse, SearchResultBody
from ragbase.messages.api.question_parts import QuestionPartBody


class SearchResultBodies(tuple[SearchResultBody, ...]):
    """The passages that a query has found, best first. `reranked`, `warnings`, `near_miss`,
    `searched_for` and `parts` are those of QueryResponse."""

    reranked: bool | None
    warnings: tuple[str, ...] | None
    near_miss: NearMissBody | None
    searched_for: str | None
    parts: tuple[QuestionPartBody, ...] | None

    @classmethod
    def of(cls, response: QueryResponse) -> SearchResultBodies:
        found = cls(response.results)
        found.reranked, found.warnings, found.near_miss = response.reranked, response.warnings, response.near_miss
        found.searched_for, found.parts = response.searched_for, response.parts
        return found

    def response(self) -> QueryResponse:
        """The answer of the server that they are from."""
        return QueryResponse(
            results=self,
            reranked=self.reranked,
            warnings=self.warnings,
            near_miss=self.near_miss,
            searched_for=self.searched_for,
            parts=self.parts,
        )
