"""What the routes below /v1/vector_stores answer, as OpenAI publishes it (https://platform.openai.com/docs/api-reference/
vector-stores, and the schemas of https://github.com/openai/openai-openapi). Times are seconds since 1970."""

from __future__ import annotations

from typing import Literal

from ragbase.messages.foreign_model import ForeignModel

Attributes = dict[str, str | int | float | bool]


class FileCounts(ForeignModel):
    in_progress: int
    completed: int
    failed: int
    cancelled: int = 0
    total: int


class VectorStoreBody(ForeignModel):
    """`created_at` and `usage_bytes` are always 0: ragbase keeps neither for a store."""

    id: str
    object: Literal["vector_store"] = "vector_store"
    created_at: int = 0
    name: str
    usage_bytes: int = 0
    file_counts: FileCounts
    status: Literal["in_progress", "completed"]
    last_active_at: int | None = None
    metadata: dict[str, str] | None = None


class VectorStoresResponse(ForeignModel):
    object: Literal["list"] = "list"
    data: tuple[VectorStoreBody, ...]
    first_id: str | None
    last_id: str | None
    has_more: bool


class FileError(ForeignModel):
    code: Literal["server_error", "unsupported_file", "invalid_file"]
    message: str


class ChunkingStrategy(ForeignModel):
    """`other` says that it is none which OpenAI's fields describe: ragbase counts characters, not tokens."""

    type: Literal["other"] = "other"


class VectorStoreFileBody(ForeignModel):
    """A document. `attributes` has its `filename`, and `usage_bytes` is the size of the file."""

    id: str
    object: Literal["vector_store.file"] = "vector_store.file"
    created_at: int
    vector_store_id: str
    usage_bytes: int
    status: Literal["in_progress", "completed", "failed"]
    last_error: FileError | None
    attributes: Attributes | None
    chunking_strategy: ChunkingStrategy = ChunkingStrategy()


class VectorStoreFilesResponse(ForeignModel):
    object: Literal["list"] = "list"
    data: tuple[VectorStoreFileBody, ...]
    first_id: str | None
    last_id: str | None
    has_more: bool


class DeletedFile(ForeignModel):
    id: str
    object: Literal["vector_store.file.deleted"] = "vector_store.file.deleted"
    deleted: bool = True


class TextContent(ForeignModel):
    type: Literal["text"] = "text"
    text: str


class FileContentResponse(ForeignModel):
    """The whole text is one item of one page."""

    object: Literal["vector_store.file_content.page"] = "vector_store.file_content.page"
    data: tuple[TextContent, ...]
    has_more: bool = False
    next_page: str | None = None


class FoundPassage(ForeignModel):
    """`attributes` say what the document says of itself, and where the passage is (docs/openai-and-dify.md)."""

    file_id: str
    filename: str
    score: float
    attributes: Attributes | None
    content: tuple[TextContent, ...]


class StoreSearchResponse(ForeignModel):
    """All results are on one page."""

    object: Literal["vector_store.search_results.page"] = "vector_store.search_results.page"
    search_query: tuple[str, ...]
    data: tuple[FoundPassage, ...]
    has_more: bool = False
    next_page: str | None = None


class OpenAiError(ForeignModel):
    """`code` is that of our own errors in lower case, and `param` is always null: the message names the field."""

    message: str
    type: Literal["invalid_request_error", "rate_limit_error", "server_error"]
    param: str | None = None
    code: str | None


class OpenAiErrorBody(ForeignModel):
    error: OpenAiError
