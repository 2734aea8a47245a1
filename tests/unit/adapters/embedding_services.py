"""Stand-ins for services with an API like OpenAI's: each answers as its source or a report of its users says."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from ragbase.adapters.hashing.embedder import HashingEmbedder

DIMENSION = 16
KEY = "sk-0123456789abcdef"
BAD = "Xenolith"
"""A text with this word is the one that a service does not take."""

_TEXTS = {"/v1/embeddings": "input", "/v2/embed": "texts", "/v2/rerank": "documents", "/v2/chat": "documents"}
"""The field of a request that has its texts, by the path of the API."""

Answer = tuple[int, Any]
"""A status, and what is sent as JSON; a string is sent as it is."""
Answering = Callable[[list[str]], Answer]


@dataclass
class StandIn:
    """A server of its own, and the texts of each call that it got."""

    answer: Answering
    host: str = ""
    calls: list[list[str]] = field(default_factory=list)
    billed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        """Where OpenAI's API begins; Cohere's does at `host`."""
        return f"{self.host}/v1"

    def handle(self, path: str, request: Mapping[str, Any]) -> Answer:
        texts = request.get(_TEXTS.get(path, ""))
        if texts is None:
            return 404, "404 page not found"
        status, body = self.answer(list(texts))
        with self.lock:
            self.calls.append(texts)
            if isinstance(body, dict) and "usage" in body:
                self.billed += body["usage"]["prompt_tokens"]
        return status, _of_cohere(body) if path == "/v2/embed" and status == HTTPStatus.OK else body


@contextmanager
def serving(answer: Answering) -> Iterator[StandIn]:
    stand_in = StandIn(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = stand_in.handle(self.path, request)
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
    stand_in.host = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _of_cohere(body: Any) -> Any:
    """A right answer in Cohere's form (https://docs.cohere.com/reference/embed)."""
    if not isinstance(body, dict) or "data" not in body:
        return body
    billed = {"input_tokens": body["usage"]["prompt_tokens"]}
    made = [item["embedding"] for item in body["data"]]
    return {"id": "id", "embeddings": {"float": made}, "texts": [], "meta": {"billed_units": billed}}


def vectors(texts: Sequence[str]) -> list[list[float]]:
    return [vector.tolist() for vector in HashingEmbedder(DIMENSION).embed_documents(texts).vectors]


def items(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors(texts))]


def embedded(texts: Sequence[str], data: Sequence[Any] | None = None) -> Answer:
    """A right answer, with these items if they are given."""
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    data = items(texts) if data is None else data
    return 200, {"object": "list", "data": data, "model": "model", "usage": usage}


def said(message: str, type: str = "invalid_request_error", code: object = None) -> dict[str, Any]:
    """An error in OpenAI's form (https://platform.openai.com/docs/guides/error-codes)."""
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def of_tei(message: str, code: int, type: str = "Validation") -> dict[str, Any]:
    return {"message": message, "code": code, "type": type}


def of_vllm(message: str, type: str, code: int) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": type, "param": None, "code": code}


def with_limit(most: int, refused: Callable[[int], Answer]) -> Answering:
    """Takes so many texts a call."""
    return lambda texts: refused(len(texts)) if len(texts) > most else embedded(texts)


def without(refused: Answer) -> Answering:
    """Does not take a call with a BAD text."""
    return lambda texts: refused if any(BAD in text for text in texts) else embedded(texts)


def with_total(most: int, refused: Callable[[int], Answer]) -> Answering:
    """Takes so many words in all texts of a call."""

    def answer(texts: list[str]) -> Answer:
        words = sum(len(text.split()) for text in texts)
        return refused(words) if words > most else embedded(texts)

    return answer


def always(status: int, body: Any) -> Answering:
    return lambda texts: (status, body)


def _google(texts: list[str]) -> Answer:
    """protobuf leaves out every zero."""
    data = items(texts)
    del data[0]["index"]
    return embedded(texts, data)


def _shuffled(texts: list[str]) -> Answer:
    """The zero left out, and another order."""
    data = items(texts)
    del data[0]["index"]
    return embedded(texts, data[::-1])


def _all_zero(texts: list[str]) -> Answer:
    return embedded(texts, [{**item, "index": 0} for item in items(texts)])


def _base64(texts: list[str]) -> Answer:
    packed = [base64.b64encode(np.array(vector, "<f4").tobytes()).decode() for vector in vectors(texts)]
    return embedded(texts, [{"index": place, "embedding": text} for place, text in enumerate(packed)])


def _empty_for_bad(texts: list[str]) -> Answer:
    return embedded(
        texts, [{**item, "embedding": []} if BAD in texts[item["index"]] else item for item in items(texts)]
    )


def _bigger(texts: list[str]) -> Answer:
    return embedded(texts, [{**item, "embedding": [*item["embedding"], 0.5]} for item in items(texts)])


_REPORT = "https://github.com/"
_LLAMA_CPP = "input (992 tokens) is too large to process. increase the physical batch size (current batch size: 512)"
_HTML = "<!DOCTYPE html><html><head><title>{}</title></head><body>nginx</body></html>"

WORKING: Mapping[str, tuple[str, Answering]] = {
    "OpenAI": ("https://platform.openai.com/docs/api-reference/embeddings", embedded),
    "OpenAI, too many tokens in a call": (
        f"{_REPORT}assafelovic/gpt-researcher/issues/1500",
        with_total(
            400,
            lambda words: (
                400,
                said(f"Requested {words} tokens, max 400 tokens per request", *["max_tokens_per_request"] * 2),
            ),
        ),
    ),
    "OpenAI, more than a minute's tokens in a call": (
        "https://platform.openai.com/docs/guides/rate-limits",
        with_total(
            400,
            lambda words: (
                429,
                said(
                    f"Request too large for model in organization org on tokens per min (TPM): Limit 400, Requested "
                    f"{words}. The input or output tokens must be reduced in order to run successfully.",
                    "tokens",
                    "rate_limit_exceeded",
                ),
            ),
        ),
    ),
    "Azure OpenAI": (
        f"{_REPORT}Mintplex-Labs/anything-llm/issues/184",
        with_limit(
            16,
            lambda _: (
                400,
                said(
                    "Too many inputs. The max number of inputs is 16.  We hope to increase the "
                    "number of inputs per request soon."
                ),
            ),
        ),
    ),
    "Google": (f"{_REPORT}samfoy/pi-session-search/issues/13", _google),
    "Google, too many": (
        f"{_REPORT}geldata/gel/issues/9032",
        with_limit(
            50,
            lambda _: (
                400,
                [
                    {
                        "error": {
                            "code": 400,
                            "message": "* BatchEmbedContentsRequest.requests: at "
                            "most 50 requests can be in one batch\n",
                            "status": "INVALID_ARGUMENT",
                        }
                    }
                ],
            ),
        ),
    ),
    "text-embeddings-inference": (
        f"{_REPORT}huggingface/text-embeddings-inference/blob/main/router/src/http/server.rs",
        with_limit(32, lambda count: (422, of_tei(f"batch size {count} > maximum allowed batch size 32", 422))),
    ),
    "vLLM": ("https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html", embedded),
    "Ollama": (f"{_REPORT}ollama/ollama/blob/main/openai/openai.go", embedded),
    "llama.cpp": (f"{_REPORT}ggml-org/llama.cpp/blob/master/tools/server/README.md", embedded),
    "LM Studio": ("https://lmstudio.ai/docs/developer/openai-compat", embedded),
    "LiteLLM": (
        f"{_REPORT}BerriAI/litellm",
        with_limit(
            10,
            lambda _: (
                400,
                said(
                    "litellm.BadRequestError: OpenAIException - <400> InternalError.Algo.InvalidParameter: Value "
                    "error, batch size is invalid, it should not be larger than 10.: input.contents",
                    "None",
                    "400",
                ),
            ),
        ),
    ),
    "DashScope": (
        f"{_REPORT}memodb-io/memobase/issues/142",
        with_limit(
            10,
            lambda _: (
                400,
                said(
                    "<400> InternalError.Algo.InvalidParameter: Value error, batch size is "
                    "invalid, it should not be larger than 10.: input.contents",
                    "InvalidParameter",
                    "InvalidParameter",
                ),
            ),
        ),
    ),
    "SiliconFlow": (
        f"{_REPORT}n4ze3m/page-assist/issues/371",
        with_limit(
            20,
            lambda count: (
                413,
                {"code": 20042, "message": f"input batch size {count} > maximum allowed batch size 20", "data": None},
            ),
        ),
    ),
    "a proxy in front": (
        "https://nginx.org/en/docs/http/ngx_http_core_module.html#client_max_body_size",
        with_total(500, lambda _: (413, _HTML.format("413 Request Entity Too Large"))),
    ),
    "a service that does not say why": ("", with_limit(7, lambda _: (400, {"detail": "Bad Request"}))),
    "a gateway, in another order": ("", _shuffled),
    "a gateway, each index 0": ("", _all_zero),
    "a gateway, base64": (f"{_REPORT}langchain-ai/langchain/issues/35204", _base64),
    "a gateway, the first text only": (
        f"{_REPORT}QuantumNous/new-api/pull/1500",
        lambda texts: embedded(texts, items(texts)[:1]),
    ),
}
"""Services that embed everything, if they are asked in the right way: where this is from, and how they answer."""

REFUSING: Mapping[str, tuple[str, Answering, str]] = {
    "OpenAI": (
        f"{_REPORT}neo4j-labs/agent-memory/issues/104",
        without((400, said("Invalid 'input': maximum context length is 8192 tokens."))),
        "400: Invalid 'input': maximum context length is 8192 tokens. Make passages shorter (the setting chunk_size)",
    ),
    "Azure OpenAI": (
        "https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter",
        without(
            (
                400,
                said(
                    "The response was filtered due to the prompt triggering the content management policy.",
                    "",
                    "content_filter",
                ),
            )
        ),
        "content management policy. Change the passage, or choose a model that takes it",
    ),
    "text-embeddings-inference": (
        f"{_REPORT}letta-ai/letta/issues/1453",
        without((413, of_tei("Input validation error: `inputs` must have less than 512 tokens. Given: 516", 413))),
        "413: Input validation error: `inputs` must have less than 512 tokens. Given: 516. Make passages shorter",
    ),
    "vLLM": (
        f"{_REPORT}vllm-project/vllm/issues/19798",
        without(
            (
                400,
                of_vllm(
                    "This model's maximum context length is 512 tokens. However, you requested 1451 tokens in "
                    "the input for embedding generation. Please reduce the length of the input.",
                    "BadRequestError",
                    400,
                ),
            )
        ),
        "Please reduce the length of the input. Make passages shorter",
    ),
    "Ollama": (
        f"{_REPORT}nano-step/nano-brain/issues/208",
        without((400, said("the input length exceeds the context length"))),
        "400: the input length exceeds the context length. Make passages shorter",
    ),
    "llama.cpp": (
        f"{_REPORT}lemonade-sdk/lemonade/issues/3591",
        without((500, said(_LLAMA_CPP, "server_error", 500))),
        f"500: {_LLAMA_CPP}. Make passages shorter",
    ),
    "LiteLLM": (
        f"{_REPORT}BerriAI/litellm",
        without((500, said(f"litellm.InternalServerError: OpenAIException - {_LLAMA_CPP}", "None", "500"))),
        f"{_LLAMA_CPP}. Make passages shorter",
    ),
    "a gateway, 200": (
        "https://openrouter.ai/docs/api-reference/errors",
        without((200, said("This input is too long for the model.", code=400))),
        "200: This input is too long for the model. Make passages shorter",
    ),
    "a service that does not say why": (
        "",
        without((422, {"error": "Unprocessable"})),
        "422: Unprocessable. Change the passage, or make passages shorter (the setting chunk_size)",
    ),
    "a gateway, an empty vector": (
        "",
        _empty_for_bad,
        "answered with an embedding that is empty, not finite, or zero. Change the passage",
    ),
}
"""Services that do not take a text: where this is from, how they answer, and how the reason ends."""

WRONG: Mapping[str, tuple[str, Answering, str]] = {
    "OpenAI, the key": ("", always(401, said(f"Incorrect API key provided: {KEY}.", code="invalid_api_key")), "KEY"),
    "Google, the key": (
        "https://ai.google.dev/gemini-api/docs/troubleshooting",
        always(
            400,
            [
                {
                    "error": {
                        "code": 400,
                        "message": "API key not valid. Please pass a valid API key.",
                        "status": "INVALID_ARGUMENT",
                    }
                }
            ],
        ),
        "API key not valid. Please pass a valid API key. Set OPENAI_API_KEY",
    ),
    "Azure OpenAI, the model": (
        "https://learn.microsoft.com/azure/ai-services/openai/reference",
        always(
            404,
            {
                "error": {
                    "code": "DeploymentNotFound",
                    "message": "The API deployment for this resource does not exist.",
                }
            },
        ),
        "404: The API deployment for this resource does not exist. Set RAGBASE_EMBEDDING_MODEL",
    ),
    "vLLM, the model": (
        "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
        always(404, of_vllm("The model `model` does not exist.", "NotFoundError", 404)),
        "Set RAGBASE_EMBEDDING_MODEL to a model that this service has, or load it there",
    ),
    "Ollama, the model": (
        f"{_REPORT}netease-youdao/QAnything/issues/555",
        always(404, said('model "model" not found, try pulling it first', "api_error")),
        "try pulling it first. Set RAGBASE_EMBEDDING_MODEL",
    ),
    "LM Studio, the model": (
        f"{_REPORT}tinyhumansai/openhuman/issues/3687",
        always(
            400, {"error": "No models loaded. Please load a model in the developer page or use the 'lms load' command."}
        ),
        "No models loaded. Please load a model in the developer page or use the 'lms load' command. Set RAGBASE_EMBED",
    ),
    "LM Studio, a model for chats": (
        f"{_REPORT}lmstudio-ai/lms/issues/205",
        always(400, said('Failed to load model "m". Error: Model is not embedding.', code="model_not_found")),
        "Model is not embedding. Set RAGBASE_EMBEDDING_MODEL",
    ),
    "LM Studio, the address": (
        f"{_REPORT}lmstudio-ai/lmstudio-bug-tracker/issues",
        always(200, {"error": "Unexpected endpoint or method. (POST /embeddings)"}),
        "200: Unexpected endpoint or method. (POST /embeddings). Check the service's URL",
    ),
    "LiteLLM, the model": (
        f"{_REPORT}lobehub/lobehub/issues/8868",
        always(
            400,
            said(
                "{'error': '/embeddings: Invalid model name passed in model=model. Call `/v1/models` to view "
                "available models for your key.'}",
                "None",
                "400",
            ),
        ),
        "Set RAGBASE_EMBEDDING_MODEL",
    ),
    "llama.cpp, no embeddings": (
        f"{_REPORT}ggml-org/llama.cpp/blob/master/tools/server/server.cpp",
        always(
            501,
            said("This server does not support embeddings. Start it with `--embeddings`", "not_supported_error", 501),
        ),
        "501: This server does not support embeddings. Start it with `--embeddings`.",
    ),
    "a service that refuses everything": (
        "",
        always(400, said("encoding_format is not supported")),
        "400: encoding_format is not supported. ",
    ),
    "a web server": ("", always(200, _HTML.format("Welcome")), "200 without JSON: a web page, “Welcome”."),
    "another dimension": ("", _bigger, "dimensions where RAGBASE_EMBEDDING_DIMENSION is 16"),
}
"""Services that no text can be embedded with until somebody changes a setting: where this is from, how they answer, and
what the error says."""

AWAY: Mapping[str, tuple[str, Answering, str]] = {
    "OpenAI, overloaded": (
        "https://platform.openai.com/docs/guides/error-codes",
        always(503, said("The engine is currently overloaded, please try again later", "server_error")),
        "503: The engine is currently overloaded, please try again later",
    ),
    "OpenAI, nothing left": (
        "https://platform.openai.com/docs/guides/error-codes",
        always(
            429,
            said(
                "You exceeded your current quota, please check your plan and billing details.",
                *["insufficient_quota"] * 2,
            ),
        ),
        "429: You exceeded your current quota, please check your plan and billing details. Look at the plan",
    ),
    "text-embeddings-inference, a fault": (
        f"{_REPORT}huggingface/text-embeddings-inference/blob/main/router/src/http/types.rs",
        always(424, of_tei("DriverError(CUDA_ERROR_OUT_OF_MEMORY)", 424, "backend")),
        "424: DriverError(CUDA_ERROR_OUT_OF_MEMORY)",
    ),
    "llama.cpp, it loads": (
        f"{_REPORT}ggml-org/llama.cpp/blob/master/tools/server/README.md",
        always(503, said("Loading model", "unavailable_error", 503)),
        "503: Loading model",
    ),
    "a gateway, 200 with an error": (
        "https://openrouter.ai/docs/api-reference/errors",
        always(200, {"error": {"message": "Provider returned error", "code": 502}}),
        "200: Provider returned error",
    ),
    "a gateway, 200 with words": ("", always(200, {"error": "upstream connect error"}), "200: upstream connect error"),
    "a gateway, nothing": (
        f"{_REPORT}assafelovic/gpt-researcher/issues/1526",
        always(200, {"data": []}),
        "0 embeddings",
    ),
    "a gateway, no data": (f"{_REPORT}tinyhumansai/openhuman/issues/5677", always(200, {}), "without embeddings"),
    "a gateway, empty vectors": (
        "",
        lambda texts: embedded(texts, [{"index": at, "embedding": []} for at in range(len(texts))]),
        "an embedding that is empty",
    ),
    "a gateway, half an answer": ("", always(200, '{"data": [{"embedd'), "200 without JSON"),
    "a proxy": ("", always(502, _HTML.format("502 Bad Gateway")), "502: a web page, “502 Bad Gateway”"),
}
"""Services that are away: where this is from, how they answer, and what the error says."""
