"""What /api/query answers. `ragbase query --json` prints the same."""

from __future__ import annotations

from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.api.context import ContextBody
from ragbase.messages.api.near_miss import NearMissBody
from ragbase.messages.api.question_parts import QuestionPartBody
from ragbase.messages.json_model import JsonModel


class DocumentMetadataBody(JsonModel):
    """What the document says of itself (docs/formats.md). What it does not say is left out."""

    title: str | None = None
    tags: tuple[str, ...] | None = None
    date: str | None = None
    url: str | None = None


class ResultSourceBody(JsonModel):
    """A place with the text of a result."""

    document_id: str
    filename: str
    document_metadata: DocumentMetadataBody | None = None
    metadata: ChunkMetadata


class SearchResultBody(JsonModel):
    """A passage with its score (0 to 1). `sources` lists every place with the same text, this place first, and versions
    of the document that have it nearly. `lacks` are the identifiers and numbers of the question that the passage does
    not have. `context` is the text around it, if the question asks for it; `contextOf` is the place in the results,
    counted from 1, of one whose context has this passage, too. `confidence` says in a word how sure it is
    (docs/ranking.md). The contract calls it QueryResult."""

    content: str
    score: float
    document_id: str
    filename: str
    document_metadata: DocumentMetadataBody | None = None
    metadata: ChunkMetadata
    sources: tuple[ResultSourceBody, ...]
    lacks: tuple[str, ...] | None = None
    context: ContextBody | None = None
    context_of: int | None = None
    confidence: str | None = None

    @property
    def place_id(self) -> str:
        """Its document and its characters there: two searches that find the same passage give it the same id."""
        return f"{self.document_id}:{self.metadata.char_start}-{self.metadata.char_end}"

    @property
    def shown_text(self) -> str:
        """The passage. If it begins in the rows of a table, the table's header stands in front of it."""
        header = self.metadata.table_header
        return f"{header}\n{self.content}" if header else self.content


class QueryResponse(JsonModel):
    """`reranked` is there if a reranker was asked: false says that it failed, and that the order is the search's.
    `nearMiss` is there if there are no results, and says what was nearest. If there was nothing to search, `warnings`
    say why: they name the parts of the filter that no document matches. `searchedFor` is the question that was searched
    for, if the history completed it. `parts` are those of a question that asks for several things."""

    results: tuple[SearchResultBody, ...]
    reranked: bool | None = None
    warnings: tuple[str, ...] | None = None
    near_miss: NearMissBody | None = None
    searched_for: str | None = None
    parts: tuple[QuestionPartBody, ...] | None = None
