"""Stand-ins for servers with an API like Jina's: each takes, refuses and answers as its source or a report says."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any]
"""A status, and what is sent as JSON; a string is sent as it is."""
Answering = Callable[[Mapping[str, Any]], Answer]

BATCH = 32
"""Texts of a call that text-embeddings-inference takes by default (--max-client-batch-size)."""
CONTEXT = 128
"""Words of a question and a text together, of models with a short context."""


@dataclass
class StandIn:
    """A server of its own, the requests that it got, and their keys."""

    answer: Answering
    url: str = ""
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def serving(answer: Answering) -> Iterator[StandIn]:
    stand_in = StandIn(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stand_in.requests.append(request)
            stand_in.keys.append(self.headers["Authorization"])
            stand_in.paths.append(self.path)
            status, body = stand_in.answer(request)
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            """The test shows what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    stand_in.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def logit(question: str, text: str) -> float:
    """How many words of the question the text has, as a model without a sigmoid would say it."""
    asked, said = (set(re.findall(r"\w+", one.lower())) for one in (question, text))
    return 3.0 * len(asked & said) - 8.0


def share(question: str, text: str) -> float:
    return (logit(question, text) + 8.0) / (3.0 * (1 + len(question.split())))


def best_first(
    question: str, texts: Sequence[str], score: Callable[[str, str], float] = share, name: str = "relevance_score"
) -> list[dict[str, Any]]:
    scored = [{"index": index, name: score(question, text)} for index, text in enumerate(texts)]
    return sorted(scored, key=lambda item: -item[name])


def results(request: Mapping[str, Any], score: Callable[[str, str], float] = share) -> list[dict[str, Any]]:
    return best_first(request["query"], request["documents"], score)


def _jina(request: Mapping[str, Any]) -> Answer:
    if not request.get("model") or "documents" not in request:
        return 422, {"detail": [{"loc": ["body", "documents"], "msg": "Field required", "type": "missing"}]}
    found = [{**item, "document": {"text": request["documents"][item["index"]]}} for item in results(request)]
    return 200, {"model": request["model"], "object": "list", "usage": {"total_tokens": 38}, "results": found}


def _tei(request: Mapping[str, Any]) -> Answer:
    if "texts" not in request:
        return (
            422,
            "Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 99",
        )
    if len(request["texts"]) > BATCH:
        told = f"batch size {len(request['texts'])} > maximum allowed batch size {BATCH}"
        return 422, {"error": told, "error_type": "Validation"}
    return 200, best_first(request["query"], request["texts"], name="score")


def _too_long(refused: Answer) -> Answering:
    def answer(request: Mapping[str, Any]) -> Answer:
        longest = max(len(text.split()) for text in request["documents"])
        return refused if longest + len(request["query"].split()) > CONTEXT else _jina(request)

    return answer


_vllm = _too_long(
    (
        400,
        {
            "object": "error",
            "message": f"This model's maximum context length is {CONTEXT} tokens. However, you requested 900 tokens in "
            "the input for score generation. Please reduce the length of the input.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    )
)
_llama_cpp_short = _too_long(
    (
        500,
        {
            "error": {
                "code": 500,
                "message": "input is too large to process. increase the physical batch size",
                "type": "server_error",
            }
        },
    )
)


def _llama_cpp(request: Mapping[str, Any]) -> Answer:
    return 200, {"id": None, "results": results(request, logit), "meta": None}


def _voyage(request: Mapping[str, Any]) -> Answer:
    unknown = request.keys() - {"query", "documents", "model", "top_k", "return_documents", "truncation"}
    if unknown:
        return 400, {"detail": f"Argument '{min(unknown)}' is not supported by our API."}
    found = best_first(request["query"], request["documents"])
    return 200, {"object": "list", "data": found, "model": request["model"], "usage": {"total_tokens": 26}}


def _without_zero(request: Mapping[str, Any]) -> Answer:
    """Go and protobuf leave out what is zero."""
    found = [{name: value for name, value in item.items() if value != 0} for item in results(request)]
    return 200, {"results": [{"relevance_score": 0.0, **item} for item in found]}


def _cohere(request: Mapping[str, Any]) -> Answer:
    billed = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
    return 200, {"id": "id", "results": results(request)[: request.get("top_n")], "meta": billed}


def _openvino(request: Mapping[str, Any]) -> Answer:
    return 200, {"results": sorted(results(request), key=lambda item: item["index"])}


SERVERS: Mapping[str, tuple[str, Answering]] = {
    "Jina": ("https://api.jina.ai/redoc#tag/rerank", _jina),
    "text-embeddings-inference": (
        "https://github.com/huggingface/text-embeddings-inference/blob/main/router/src/http/types.rs",
        _tei,
    ),
    "vLLM": ("https://docs.vllm.ai/en/v0.13.0/api/vllm/entrypoints/pooling/score/protocol/", _vllm),
    "Infinity": ("https://github.com/michaelfeil/infinity", _jina),
    "llama.cpp": ("https://github.com/ggml-org/llama.cpp/issues/8555", _llama_cpp),
    "llama.cpp, a short batch": ("https://github.com/ggml-org/llama.cpp/issues/11105", _llama_cpp_short),
    "a server that says more than it has to": (
        "",
        _too_long((422, {"detail": "These texts are too long, with or without top_n: shorten the texts"})),
    ),
    "LocalAI": ("https://localai.io/features/reranker/", _without_zero),
    "Voyage": ("https://docs.voyageai.com/reference/reranker-api", _voyage),
    "Cohere": ("https://docs.cohere.com/reference/rerank", _cohere),
    "LiteLLM": ("https://docs.litellm.ai/docs/rerank", _cohere),
    "OpenVINO": ("https://docs.openvino.ai/2025/model-server/ovms_docs_rest_api_rerank.html", _openvino),
}
"""Servers that every question is answered with: where this is from, and how they answer."""
