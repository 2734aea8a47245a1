"""The models of all operations: what the API takes and answers. They are imported together when it is described."""

from __future__ import annotations

from ragbase.interfaces.wire.answer import AnswerResponse
from ragbase.interfaces.wire.callback import ProcessingCallback
from ragbase.interfaces.wire.chunks import ChunkPage
from ragbase.interfaces.wire.chunks import ChunksRequest
from ragbase.interfaces.wire.documents import DocumentStatusResponse, ListResponse, UploadResponse, UploadUrlResponse
from ragbase.interfaces.wire.documents import ListRequest, UploadForm, UploadUrlRequest, WaitRequest
from ragbase.interfaces.wire.explanation import ExplainedDocument
from ragbase.interfaces.wire.explanation import ExplainRequest
from ragbase.interfaces.wire.extractions import ExtractionsRequest, ExtractionsResponse
from ragbase.interfaces.wire.health import Health
from ragbase.interfaces.wire.mcp import JsonRpcAnswer, JsonRpcMessage
from ragbase.interfaces.wire.query import QueryResponse
from ragbase.interfaces.wire.query import QueryRequest
from ragbase.interfaces.wire.sign_in import LoginResponse
from ragbase.interfaces.wire.sign_in import LoginRequest

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
