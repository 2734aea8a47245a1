"""The operations that other services' protocols have: OpenAI's vector stores, and Dify's external knowledge."""

from __future__ import annotations

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.interfaces.api.operation import Answer, Model, Operation

_NO_STORE = "NOT_FOUND: there is no store with this id."
_NO_FILE = "NOT_FOUND: there is no store, or no document, with this id."
_QUESTION_REFUSALS = (
    "INVALID_REQUEST: a field is wrong, or asks for what ragbase can't do. TENANT_NEEDED: there are too many tenants "
    "to search all. QUESTION_REFUSED: the service of a model does not take this question."
)

FOREIGN_OPERATIONS = (
    Operation(
        id="listVectorStores",
        method="GET",
        path="/v1/vector_stores",
        summary="List the stores, as OpenAI's API: all documents, and each tenant.",
        scope=Scope.READ,
        parameters=Model("StoresRequest"),
        answers={200: Answer(meaning="A page of the stores.", body=Model("VectorStoresResponse"))},
    ),
    Operation(
        id="getVectorStore",
        method="GET",
        path="/v1/vector_stores/{store}",
        summary="Show a store, as OpenAI's API.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The store.", body=Model("VectorStoreBody"))},
        refusals={404: _NO_STORE},
    ),
    Operation(
        id="searchVectorStore",
        method="POST",
        path="/v1/vector_stores/{store}/search",
        summary="Find the passages that answer a question, as OpenAI's API.",
        action=Action.QUERY,
        scope=Scope.READ,
        body=Model("StoreSearchRequest"),
        example={"query": "When does the nightly backup start?", "max_num_results": 3},
        answers={200: Answer(meaning="The passages, best first.", body=Model("StoreSearchResponse"))},
        refusals={400: _QUESTION_REFUSALS, 404: _NO_STORE},
    ),
    Operation(
        id="listVectorStoreFiles",
        method="GET",
        path="/v1/vector_stores/{store}/files",
        summary="List the documents of a store, newest first, as OpenAI's API.",
        scope=Scope.READ,
        parameters=Model("StoreFilesRequest"),
        answers={200: Answer(meaning="A page of the documents.", body=Model("VectorStoreFilesResponse"))},
        refusals={404: _NO_STORE},
    ),
    Operation(
        id="getVectorStoreFile",
        method="GET",
        path="/v1/vector_stores/{store}/files/{id}",
        summary="Show the state of a document, as OpenAI's API.",
        scope=Scope.READ,
        answers={200: Answer(meaning="Its state.", body=Model("VectorStoreFileBody"))},
        refusals={404: _NO_FILE},
    ),
    Operation(
        id="getVectorStoreFileContent",
        method="GET",
        path="/v1/vector_stores/{store}/files/{id}/content",
        summary="Get the extracted text of a document, as OpenAI's API.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The text.", body=Model("FileContentResponse"))},
        refusals={404: _NO_FILE, 409: "TEXT_GONE: search shows nothing of it, or it has just changed."},
    ),
    Operation(
        id="deleteVectorStoreFile",
        method="DELETE",
        path="/v1/vector_stores/{store}/files/{id}",
        summary="Delete a document and its file, as OpenAI's API. No search shows it any more.",
        action=Action.DELETE,
        scope=Scope.WRITE,
        answers={200: Answer(meaning="It is deleted.", body=Model("DeletedFile"))},
        refusals={404: _NO_FILE},
    ),
    Operation(
        id="retrieve",
        method="POST",
        path="/retrieval",
        summary="Find the passages that answer a question, as Dify asks an external knowledge.",
        action=Action.QUERY,
        scope=Scope.READ,
        body=Model("RetrievalRequest"),
        example={
            "knowledge_id": "ragbase",
            "query": "When does the nightly backup start?",
            "retrieval_setting": {"top_k": 3, "score_threshold": 0.5},
        },
        answers={200: Answer(meaning="The passages, best first.", body=Model("RetrievalResponse"))},
        refusals={400: _QUESTION_REFUSALS, 404: _NO_STORE},
    ),
)
