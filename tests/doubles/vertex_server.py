"""A server for the text embeddings of Vertex AI, and the metadata server of a function that asks it, over real HTTP.

It checks requests as strictly as the documentation of the real one says, and refuses as reports show that it does.
Who asks has a token of the metadata server, which expires or is revoked on request.

    GET  /computeMetadata/v1/instance/service-accounts/default/token
    POST /v1/projects/PROJECT/locations/LOCATION/publishers/google/models/MODEL:predict

`python -m tests.doubles.vertex_server --port 8084 --vectors minilm` runs it until you stop it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.doubles.cohere_answers import Answers, Vectors

PROJECT = "project"
LOCATION = "europe-west4"
ACCOUNT = "api@project.iam.gserviceaccount.com"
MODELS = {"gemini-embedding-001": 3072, "text-embedding-005": 768, "text-multilingual-embedding-002": 768}
"""The dimensions of each (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api)."""
MOST_TEXTS, MOST_TOKENS, LONGEST = 250, 20_000, 2_048
"""Texts and tokens of a call, and tokens of a text (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/quotas)."""
TASKS = frozenset({"RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"})

Answer = tuple[int, Any]
_PREDICT = re.compile(r"/v1/projects/([^/]+)/locations/([^/]+)/publishers/google/models/([^/:]+):predict")


def said(code: int, status: str, message: str, reason: str = "") -> Answer:
    """An error as Google's APIs give it (https://cloud.google.com/apis/design/errors#http_mapping)."""
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}
    details = {"details": [info]} if reason else {}
    return code, {"error": {"code": code, "message": message, "status": status, **details}}


def _too_many_tokens(count: int, most: int) -> Answer:
    """https://github.com/googleapis/python-genai/issues/2050 has another form of it."""
    told = f"Unable to submit request because the input token count is {count} but the model supports up to {most}."
    return said(400, "INVALID_ARGUMENT", f"{told} Reduce the input token count and try again.")


def tokens(text: str) -> int:
    """About the number that a tokeniser would count: one token for four characters."""
    return 1 + len(text) // 4


@dataclass
class VertexServer:
    """What a call may have, how the next ones fail, and what was asked. `lifetime` is that of a token in seconds."""

    vectors: Vectors = "hashing"
    url: str = ""
    most_texts: int = MOST_TEXTS
    longest: int = LONGEST
    lifetime: int = 3_600
    refusals: list[Answer] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    tokens_given: int = 0
    has_metadata: bool = True
    billed: int = 0
    _valid: str = ""
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def _answers(self) -> Answers:
        """Vectors of texts, whose length is not 1: that of a shortened one is not, either."""
        return Answers(self.vectors)

    @property
    def host(self) -> str:
        """That of the metadata server, as GCE_METADATA_HOST names it."""
        return urlsplit(self.url).netloc

    def revoke(self) -> None:
        """Accept no token that was given so far."""
        self._valid = ""

    def metadata(self, path: str) -> Answer:
        """https://cloud.google.com/run/docs/container-contract#metadata-server"""
        if not self.has_metadata:
            return 503, "the metadata server is away"
        if path.endswith("/token"):
            with self._lock:
                self.tokens_given += 1
                self._valid = f"ya29.{next(self._numbers)}"
                return 200, {"access_token": self._valid, "expires_in": self.lifetime, "token_type": "Bearer"}
        if "/service-accounts/" in path:
            return 200, {"email": ACCOUNT, "aliases": ["default"], "scopes": []}
        return (200, PROJECT) if path.endswith("/project-id") else (200, "computeMetadata/")

    def predict(self, path: str, authorization: str, request: Mapping[str, Any]) -> Answer:
        with self._lock:
            self.calls.append(request)
            if authorization != f"Bearer {self._valid}" or not self._valid:
                return said(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
            if self.refusals:
                return self.refusals.pop(0)
        found = _PREDICT.fullmatch(path)
        if found is None:
            return 404, "<!DOCTYPE html><html><title>Error 404 (Not Found)!!1</title></html>"
        project, location, model = found.groups()
        if location != LOCATION or model not in MODELS:
            name = f"projects/{project}/locations/{location}/publishers/google/models/{model}"
            return said(
                404, "NOT_FOUND", f"Publisher Model `{name}` was not found or your project does not have access."
            )
        return self._embedded(MODELS[model], request)

    def _embedded(self, size: int, request: Mapping[str, Any]) -> Answer:
        instances, parameters = request["instances"], request.get("parameters", {})
        texts = [instance["content"] for instance in instances]
        if len(texts) > self.most_texts:
            # https://github.com/onyx-dot-app/onyx/issues/2343
            told = f"{self.most_texts} instance(s) is allowed per prediction. Actual: {len(texts)}"
            return said(400, "INVALID_ARGUMENT", told)
        if not all(text.strip() for text in texts) or {instance["task_type"] for instance in instances} - TASKS:
            return said(400, "INVALID_ARGUMENT", "The text content is empty, or there is no such task_type.")
        counts = [tokens(text) for text in texts]
        if not parameters.get("autoTruncate", True) and max(counts) > self.longest:
            return _too_many_tokens(max(counts), self.longest)
        if sum(counts) > MOST_TOKENS:
            return _too_many_tokens(sum(counts), MOST_TOKENS)
        dimension = parameters.get("outputDimensionality", size)
        if dimension > size:
            return said(400, "INVALID_ARGUMENT", f"outputDimensionality must be at most {size}.")
        vectors = self._answers.vectors(texts, dimension)
        with self._lock:
            self.billed += sum(counts)
        predictions = [
            {"embeddings": {"values": vector, "statistics": {"truncated": False, "token_count": float(count)}}}
            for vector, count in zip(vectors.tolist(), counts, strict=True)
        ]
        return 200, {"predictions": predictions, "metadata": {"billableCharacterCount": sum(map(len, texts))}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    served: VertexServer

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self._send(*((200, {"status": "ok"}) if path == "/healthz" else self.served.metadata(path)))

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(*self.served.predict(self.path, self.headers.get("Authorization", ""), request))

    def _send(self, status: int, body: Any) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Metadata-Flavor", "Google")
        self.send_header("Content-Type", "text/plain" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        """The test shows what matters."""


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128


@contextmanager
def vertex_server(vectors: Vectors = "hashing", *, port: int = 0) -> Iterator[VertexServer]:
    """A server in threads of this process. With port 0 it takes any free port."""
    server = VertexServer(vectors)
    http = _Http(("127.0.0.1", port), type("Handler", (_Handler,), {"served": server}))
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Run a server for embeddings of Vertex AI, for tests and development.")
    parser.add_argument("--port", type=int, default=0, help="the port to listen on; 0 takes any free one")
    parser.add_argument("--vectors", choices=("hashing", "minilm"), default="hashing")
    arguments = parser.parse_args()
    with vertex_server(arguments.vectors, port=arguments.port) as server, suppress(KeyboardInterrupt):
        print(f"Vertex AI and its metadata server on {server.url}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
