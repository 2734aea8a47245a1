"""The models of all operations: what the API takes and answers. They are imported together when it is described."""

from __future__ import annotations

from ragbase.interfaces.wire.audit import AuditRequest
from ragbase.interfaces.wire.callback import ProcessingCallback
from ragbase.interfaces.wire.chunks import ChunksRequest
from ragbase.interfaces.wire.dead_letters import DeadLettersRequest
from ragbase.interfaces.wire.documents import ListRequest, UploadForm, UploadUrlRequest, WaitRequest
from ragbase.interfaces.wire.events import ChangesRequest
from ragbase.interfaces.wire.explanation import ExplainRequest
from ragbase.interfaces.wire.extractions import ExtractionsRequest, ExtractionsResponse
from ragbase.interfaces.wire.golden_questions import GoldenQuestionRequest
from ragbase.interfaces.wire.health import Health
from ragbase.interfaces.wire.keys import CreateKeyRequest, KeysRequest
from ragbase.interfaces.wire.mcp import JsonRpcAnswer, JsonRpcMessage
from ragbase.interfaces.wire.page_marks import PageImageRequest, PageMarksRequest
from ragbase.interfaces.wire.query import QueryRequest
from ragbase.interfaces.wire.retrieval import RetrievalRequest
from ragbase.interfaces.wire.search_request import SearchRequest
from ragbase.interfaces.wire.session import EndSessionRequest, SessionRequest
from ragbase.interfaces.wire.sign_in import LoginRequest
from ragbase.interfaces.wire.tenants import TenantsRequest
from ragbase.interfaces.wire.vector_stores import StoreFilesRequest, StoreSearchRequest, StoresRequest
from ragbase.messages.api.answer import AnswerResponse
from ragbase.messages.api.audit import AuditResponse
from ragbase.messages.api.chunks import ChunksResponse
from ragbase.messages.api.dead_letters import DeadLetterDetail, DeadLettersResponse, ReplayResponse
from ragbase.messages.api.documents import (
    CountsResponse,
    DocumentStatusResponse,
    ListResponse,
    UploadResponse,
    UploadUrlResponse,
)
from ragbase.messages.api.error import ErrorBody
from ragbase.messages.api.evaluations import EvaluationsResponse
from ragbase.messages.api.events import ChangesResponse
from ragbase.messages.api.explanation import ExplainResponse
from ragbase.messages.api.golden_questions import GoldenQuestionBody, GoldenQuestionsResponse
from ragbase.messages.api.health import Checks
from ragbase.messages.api.keys import CreatedKey, KeysResponse
from ragbase.messages.api.page_marks import PageMarksResponse, PagesResponse
from ragbase.messages.api.query import QueryResponse
from ragbase.messages.api.rate import RateResponse
from ragbase.messages.api.reconciliation import ReconciliationResponse
from ragbase.messages.api.retrieval import DifyErrorBody, RetrievalResponse
from ragbase.messages.api.session import SessionResponse
from ragbase.messages.api.sign_in import LoginResponse
from ragbase.messages.api.sources import SourcesResponse
from ragbase.messages.api.tenants import TenantsResponse
from ragbase.messages.api.vector_stores import (
    DeletedFile,
    FileContentResponse,
    OpenAiErrorBody,
    StoreSearchResponse,
    VectorStoreBody,
    VectorStoreFileBody,
    VectorStoreFilesResponse,
    VectorStoresResponse,
)

__all__ = [
    "AnswerResponse",
    "AuditRequest",
    "AuditResponse",
    "ChangesRequest",
    "ChangesResponse",
    "Checks",
    "ChunksRequest",
    "ChunksResponse",
    "CountsResponse",
    "CreateKeyRequest",
    "CreatedKey",
    "DeadLetterDetail",
    "DeadLettersRequest",
    "DeadLettersResponse",
    "DeletedFile",
    "DifyErrorBody",
    "DocumentStatusResponse",
    "EndSessionRequest",
    "ErrorBody",
    "EvaluationsResponse",
    "ExplainRequest",
    "ExplainResponse",
    "ExtractionsRequest",
    "ExtractionsResponse",
    "FileContentResponse",
    "GoldenQuestionBody",
    "GoldenQuestionRequest",
    "GoldenQuestionsResponse",
    "Health",
    "JsonRpcAnswer",
    "JsonRpcMessage",
    "KeysRequest",
    "KeysResponse",
    "ListRequest",
    "ListResponse",
    "LoginRequest",
    "LoginResponse",
    "OpenAiErrorBody",
    "PageImageRequest",
    "PageMarksRequest",
    "PageMarksResponse",
    "PagesResponse",
    "ProcessingCallback",
    "QueryRequest",
    "QueryResponse",
    "RateResponse",
    "ReconciliationResponse",
    "ReplayResponse",
    "RetrievalRequest",
    "RetrievalResponse",
    "SearchRequest",
    "SessionRequest",
    "SessionResponse",
    "SourcesResponse",
    "StoreFilesRequest",
    "StoreSearchRequest",
    "StoreSearchResponse",
    "StoresRequest",
    "TenantsRequest",
    "TenantsResponse",
    "UploadForm",
    "UploadResponse",
    "UploadUrlRequest",
    "UploadUrlResponse",
    "VectorStoreBody",
    "VectorStoreFileBody",
    "VectorStoreFilesResponse",
    "VectorStoresResponse",
    "WaitRequest",
]
