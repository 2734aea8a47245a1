"""The models of all operations: what the API takes and answers. They are imported together when it is described."""

from __future__ import annotations

from ragbase.interfaces.wire.answer import AnswerResponse
from ragbase.interfaces.wire.callback import ProcessingCallback
from ragbase.interfaces.wire.chunks import ChunkPage, ChunksRequest
from ragbase.interfaces.wire.documents import (
    DocumentStatusResponse,
    ListRequest,
    ListResponse,
    UploadForm,
    UploadResponse,
    UploadUrlRequest,
    UploadUrlResponse,
    WaitRequest,
)
from ragbase.interfaces.wire.explanation import ExplainedDocument, ExplainRequest
from ragbase.interfaces.wire.extractions import ExtractionsRequest, ExtractionsResponse
from ragbase.interfaces.wire.health import Health
from ragbase.interfaces.wire.mcp import JsonRpcAnswer, JsonRpcMessage
from ragbase.interfaces.wire.query import QueryRequest, QueryResponse
from ragbase.interfaces.wire.sign_in import LoginRequest, LoginResponse

__all__ = [
    "AnswerResponse",
    "ChunkPage",
    "ChunksRequest",
    "DocumentStatusResponse",
    "ExplainRequest",
    "ExplainedDocument",
    "ExtractionsRequest",
    "ExtractionsResponse",
    "Health",
    "JsonRpcAnswer",
    "JsonRpcMessage",
    "ListRequest",
    "ListResponse",
    "LoginRequest",
    "LoginResponse",
    "ProcessingCallback",
    "QueryRequest",
    "QueryResponse",
    "UploadForm",
    "UploadResponse",
    "UploadUrlRequest",
    "UploadUrlResponse",
    "WaitRequest",
]
