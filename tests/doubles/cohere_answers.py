"""The answers of the Cohere-compatible server, in Cohere's v2 format and in OpenAI's format for embeddings.

The vectors are real: similar texts get similar vectors.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.minilm.embedder import minilm
from ragbase.config import load_config

Vectors = Literal["hashing", "minilm"]
"""`hashing` compares words only, and is fast. `minilm` compares the meaning. Its vectors are filled up with zeros to
the size that a request wants."""

Answer = Callable[[Mapping[str, Any]], dict[str, Any]]
Matrix = npt.NDArray[np.float32]

DIMENSIONS = {
    "embed-multilingual-v3.0": 1024,
    "embed-english-v3.0": 1024,
    "embed-multilingual-light-v3.0": 384,
    "embed-english-light-v3.0": 384,
    "embed-multilingual-v2.0": 768,
    "text-embedding-ada-002": 1536,
}
"""The size of a vector, for models that have one size only."""

FLEXIBLE = {"embed-v4.0": 1536, "text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
"""The default size, for models that let the request choose."""

WITHOUT_BASE64 = {"embed-multilingual-v2.0"}
"""Models that cannot send vectors as base64."""

INPUT_TYPES = frozenset({"search_document", "search_query", "classification", "clustering", "image"})
LENGTH = 4.0
"""The length of every vector. It is not 1, because a real service may send such vectors too. It is a power of two:
multiplying by that does not round."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def packed(vector: Sequence[float]) -> str:
    """A vector in the embedding type base64: its numbers as 32-bit little-endian floats."""
    return base64.b64encode(np.array(vector, "<f4").tobytes()).decode()


def unpacked(text: str) -> list[float]:
    values: list[float] = np.frombuffer(base64.b64decode(text), "<f4").tolist()
    return values


EMBEDDING_TYPES: Mapping[str, Callable[[list[float]], object]] = {"float": list, "base64": packed}
"""How to write a vector in an answer, by embedding type."""


class Refused(Exception):
    """The real service would not accept this request."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Answers:
    """Answers requests, by route."""

    def __init__(self, vectors: Vectors) -> None:
        self._minilm = minilm(load_config().model_folder) if vectors == "minilm" else None
        self._hashing: dict[int, HashingEmbedder] = {}
        self._ids = itertools.count(1)
        self.routes: Mapping[str, Answer] = {
            "/v2/embed": self.embed,
            "/v1/embed": self.embed_floats,
            "/v2/rerank": self.rerank,
            "/v2/chat": self.chat,
            "/v1/embeddings": self.openai_embeddings,
        }

    def embed(self, request: Mapping[str, Any]) -> dict[str, Any]:
        texts = _texts(request, "texts")
        if request.get("input_type") not in INPUT_TYPES:
            raise Refused(400, "invalid request: valid input_type must be provided with the provided model")
        kinds = request.get("embedding_types") or ["float"]
        known = {"float"} if request.get("model") in WITHOUT_BASE64 else EMBEDDING_TYPES.keys()
        if not set(kinds) <= known:
            raise Refused(400, f"invalid request: this model knows embedding_types {[*known]}")
        vectors = self.vectors(texts, _dimension(request, "output_dimension")).tolist()
        return {
            "id": self._id(),
            "texts": texts,
            "embeddings": {kind: [EMBEDDING_TYPES[kind](vector) for vector in vectors] for kind in kinds},
            "meta": {"api_version": {"version": "2"}, "billed_units": {"input_tokens": _tokens(texts)}},
            "response_type": "embeddings_by_type",
        }

    def embed_floats(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Without embedding types, version 1 answers with plain vectors (docs.cohere.com/v1/reference/embed)."""
        answer = self.embed({**request, "embedding_types": ["float"]})
        return {**answer, "embeddings": answer["embeddings"]["float"], "response_type": "embeddings_floats"}

    def openai_embeddings(self, request: Mapping[str, Any]) -> dict[str, Any]:
        texts = _texts(request, "input")
        vectors = self.vectors(texts, _dimension(request, "dimensions")).tolist()
        data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
        tokens = _tokens(texts)
        return {
            "object": "list",
            "data": data[::-1],  # the order means nothing: `index` says which text a vector belongs to
            "model": request["model"],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }

    def rerank(self, request: Mapping[str, Any]) -> dict[str, Any]:
        query, documents = request.get("query"), request.get("documents")
        if not isinstance(query, str) or not query.strip() or not documents:
            raise Refused(400, "invalid request: query and documents must not be empty")
        scores = self._relevance(query, documents)
        best = sorted(range(len(documents)), key=lambda index: -scores[index])[: request.get("top_n")]
        return {
            "id": self._id(),
            "results": [{"index": index, "relevance_score": scores[index]} for index in best],
            "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
        }

    def chat(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer with the one sentence of the documents that is closest to the question, and cite its document."""
        messages = request.get("messages") or []
        if not messages or messages[-1].get("role") != "user":
            raise Refused(400, "invalid request: the last message must be the user's")
        question = _plain(messages[-1]["content"])
        documents = [_document(place, item) for place, item in enumerate(request.get("documents") or [])]
        sentences = [
            (sentence, document)
            for document in documents
            for sentence in _SENTENCE.split(_text_of(document["document"]))
            if sentence.strip()
        ]
        text, citations = "The documents do not say.", []
        if sentences:
            scores = self._relevance(question, [sentence for sentence, _ in sentences])
            text, source = sentences[int(np.argmax(scores))]
            citations = [
                {
                    "start": 0,
                    "end": len(text),
                    "text": text,
                    "sources": [{"type": "document", **source}],
                    "content_index": 0,
                    "type": "TEXT_CONTENT",
                }
            ]
        tokens = {
            "input_tokens": _tokens([question, *(sentence for sentence, _ in sentences)]),
            "output_tokens": _tokens([text]),
        }
        content = [{"type": "text", "text": text}]
        return {
            "id": self._id(),
            "finish_reason": "COMPLETE",
            "message": {"role": "assistant", "content": content, **({"citations": citations} if citations else {})},
            "usage": {"billed_units": tokens, "tokens": tokens},
        }

    def vectors(self, texts: Sequence[str], dimension: int) -> Matrix:
        """One row for each text."""
        if self._minilm is None:
            embedder = self._hashing.setdefault(dimension, HashingEmbedder(dimension))
            return np.array(embedder.embed_documents(texts).vectors) * np.float32(LENGTH)
        known = np.array(self._minilm.embed_documents(texts).vectors)[:, :dimension]
        return np.pad(known, ((0, 0), (0, dimension - known.shape[1]))) * np.float32(LENGTH)

    def _relevance(self, query: str, documents: Sequence[str]) -> list[float]:
        """From 0 (opposite vectors) to 1 (equal vectors), by cosine."""
        vectors = self.vectors([query, *documents], 1024) / LENGTH
        return [float(score) for score in np.clip((1 + vectors[1:] @ vectors[0]) / 2, 0, 1)]

    def _id(self) -> str:
        return f"00000000-0000-4000-8000-{next(self._ids):012d}"


def _texts(request: Mapping[str, Any], name: str) -> list[str]:
    texts: list[str] = request.get(name) or []
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise Refused(400, f"invalid request: {name} must hold texts that are not empty")
    if len(texts) > 96:
        raise Refused(400, f"invalid request: total number of texts must be at most 96 - received {len(texts)}")
    return texts


def _dimension(request: Mapping[str, Any], parameter: str) -> int:
    model, wanted = request.get("model"), request.get(parameter)
    if model in FLEXIBLE:
        return int(wanted or FLEXIBLE[model])
    if model not in DIMENSIONS:
        raise Refused(404, f"model '{model}' not found")
    if wanted is not None:
        raise Refused(400, f"invalid request: {parameter} is not supported by {model}")
    return DIMENSIONS[model]


def _document(place: int, item: Any) -> dict[str, Any]:
    """A document of a chat request in the form that citations use. The request gives a text or {id?, data}."""
    if isinstance(item, str):
        return {"id": f"doc:{place}", "document": {"id": f"doc:{place}", "text": item}}
    id = item.get("id") or f"doc:{place}"
    return {"id": id, "document": {"id": id, **item["data"]}}


def _text_of(document: Mapping[str, Any]) -> str:
    return " ".join(str(value) for name, value in document.items() if name not in ("id", "title"))


def chat_events(answer: Mapping[str, Any], *, fails: bool = False) -> Iterator[dict[str, Any]]:
    """A chat's answer as the events of a stream, word by word; each citation comes after its last word. An answer that
    `fails` has no end."""
    message = answer["message"]
    text = message["content"][0]["text"]
    waiting = sorted(enumerate(message.get("citations", [])), key=lambda one: one[1]["end"])
    start = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    yield {"type": "message-start", "id": answer["id"], "delta": {"message": start}}
    yield _content("content-start", {"type": "text", "text": ""})
    for word in re.finditer(r"\S+\s*|\s+", text):
        yield _content("content-delta", {"text": word[0]})
        while waiting and waiting[0][1]["end"] <= word.end():
            number, citation = waiting.pop(0)
            yield {"type": "citation-start", "index": number, "delta": {"message": {"citations": citation}}}
            yield {"type": "citation-end", "index": number}
        if fails:
            break
    yield {"type": "content-end", "index": 0}
    ended = {"finish_reason": "ERROR" if fails else answer["finish_reason"], "usage": answer["usage"]}
    yield {"type": "message-end", "id": answer["id"], "delta": ended}


def _content(type: str, content: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": type, "index": 0, "delta": {"message": {"content": content}}}


def _plain(content: Any) -> str:
    """The text of a message. Its content is a text or a list of parts."""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _tokens(texts: Sequence[str]) -> int:
    """About the number that a tokeniser would count: one token for four characters."""
    return sum(1 + len(text) // 4 for text in texts)
