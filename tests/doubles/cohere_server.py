"""A server for Cohere's API (embed, rerank, chat) and for OpenAI's embeddings, over real HTTP.

It checks requests as strictly as the real services do. It counts calls, it can limit the inputs of embedding calls a
minute, and it fails on request:

    GET  /healthz
    GET  /_stats    {"calls": 3, "texts": 200, "largest": 96, "faults": 1, "input_types": {"search_document": 200}}
    GET  /_rate     {"limit": 2000, "minutes": [1988, 1700], "refused": {"search_document": 1}} (see input_limit.py)
    POST /_faults   {"fault": "rate_limit", "count": 2, "retry_after": 3}: how the next calls fail (see Fault)
    POST /_reset    reset the counts, drop the planned faults

`python -m tests.doubles.cohere_server --port 8084 --vectors minilm --rate 2000` runs it until you stop it.
"""

from __future__ import annotations

import argparse
import json
import math
import socket
import struct
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.doubles.cohere_answers import Answers, Refused, Vectors, chat_events, packed, unpacked
from tests.doubles.input_limit import InputLimit

Fault = Literal[
    "rate_limit",
    "error",
    "slow",
    "reset",
    "count",
    "dimension",
    "nan",
    "garbage",
    "bad_request",
    "floats",
    "breaks",
    "fails",
]
"""How a call fails, in this order: status 429 (with `retry_after`, if given) · status 500 · the answer comes after
`seconds` · the connection is reset · one embedding or score is missing · each vector has one number too many · each
vector, or the last score, has a NaN · an HTML page instead of JSON, with status 200 · status 400 · plain numbers
although base64 was requested · the connection of a stream is closed after its first words · a stream ends with an error
after its first word"""

BROKEN_AFTER = 4
"""Events."""

INVALID_KEY = "invalid"
"""The server answers 401 to this API key. It accepts all others."""


@dataclass(frozen=True)
class Planned:
    """The fault of one call. Only `slow` uses `seconds`. Only `rate_limit` uses `retry_after`, a header's value."""

    fault: Fault
    retry_after: str | None = None
    seconds: float = 0.0


@dataclass
class State:
    """Counts of the calls so far, their limit, and the faults of the next ones."""

    limit: InputLimit
    counts: Counter[str] = field(default_factory=Counter)
    input_types: Counter[str] = field(default_factory=Counter)
    planned: deque[Planned] = field(default_factory=deque)
    lock: threading.Lock = field(default_factory=threading.Lock)
    last: Mapping[str, Any] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def asked(self, request: Mapping[str, Any]) -> Planned | None:
        """Count a call and return the fault that is planned for it, if there is one."""
        texts = request.get("texts") or request.get("input") or []
        with self.lock:
            self.last = request
            self.counts["calls"] += 1
            self.counts["texts"] += len(texts)
            self.counts["largest"] = max(self.counts["largest"], len(texts))
            if "input_type" in request:
                self.input_types[request["input_type"]] += len(texts)
            planned = self.planned.popleft() if self.planned else None
            self.counts["faults"] += planned is not None
            return planned

    def stats(self) -> dict[str, Any]:
        with self.lock:
            counts = {name: self.counts[name] for name in ("calls", "texts", "largest", "faults")}
            return {**counts, "input_types": dict(self.input_types)}

    def reset(self) -> None:
        with self.lock:
            self.counts.clear()
            self.input_types.clear()
            self.planned.clear()
        self.limit.reset()


class CohereServer:
    """A server in threads of this process. It listens from its creation until `close`. Tests use `cohere_server()`."""

    def __init__(self, vectors: Vectors = "hashing", *, host: str = "127.0.0.1", port: int = 0, rate: int = 0) -> None:
        """It listens on the address `host`; with port 0 it takes any free port. `rate` limits the inputs of embedding
        calls a minute; 0 is no limit."""
        self.state = State(InputLimit(rate))
        state, answers = self.state, Answers(vectors)

        class Handler(_Handler):
            def __init__(self, *connection: Any) -> None:
                self.state, self.answers = state, answers
                super().__init__(*connection)

        self._http = _Http((host, port), Handler)
        self.url = f"http://{host}:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def stats(self) -> dict[str, Any]:
        return self.state.stats()

    def last_request(self) -> Mapping[str, Any]:
        return self.state.last

    def rate(self) -> Mapping[str, Any]:
        """What the limit has taken and refused."""
        return self.state.limit.stats()

    def plan(self, fault: Fault, count: int = 1, *, retry_after: str | None = None, seconds: float = 0.0) -> None:
        """Let `count` more calls fail. Faults that are planned already come first."""
        with self.state.lock:
            self.state.planned.extend([Planned(fault, retry_after, seconds)] * count)

    def reset(self) -> None:
        self.state.reset()

    def wait(self) -> None:
        """Return when the server is closed."""
        self._thread.join()

    def close(self) -> None:
        self.state.ended.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@contextmanager
def cohere_server(vectors: Vectors = "hashing", *, rate: int = 0) -> Iterator[CohereServer]:
    server = CohereServer(vectors, rate=rate)
    try:
        yield server
    finally:
        server.close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # connections stay open until their clients close them
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # send each answer in one write
    state: State
    answers: Answers

    def do_GET(self) -> None:
        if self.path == "/healthz":
            self._send(200, {"status": "ok"})
        elif self.path == "/_stats":
            self._send(200, self.state.stats())
        elif self.path == "/_rate":
            self._send(200, self.state.limit.stats())
        else:
            self._send(404, {"message": f"there is no {self.path}"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            request = json.loads(body or b"{}")
        except ValueError as error:
            self._send(400, {"message": f"invalid request: {error}"})
            return
        if self.path == "/_reset":
            self.state.reset()
            self._send(200, {})
        elif self.path == "/_faults":
            self._plan(request)
        elif (answer := self.answers.routes.get(self.path)) is None:
            self._send(404, {"message": f"there is no {self.path}"})
        elif self.headers.get("Authorization", "") in ("", "Bearer", f"Bearer {INVALID_KEY}"):
            self._send(401, {"message": "invalid api token"})
        else:
            planned = self.state.asked(request)
            if planned and self._fails(planned):
                return
            if not self._is_within_limit(request):
                # The words of Cohere's documentation of errors, which names no Retry-After.
                message = "You are past the per minute request limit, please wait and try again later."
                self._send(429, {"message": message})
                return
            if planned and planned.fault == "floats":
                request = {**request, "embedding_types": ["float"]}
            try:
                answered = answer(request)
            except Refused as refused:
                self._send(refused.status, {"message": str(refused)})
                return
            if request.get("stream"):
                self._stream(answered, planned.fault if planned else None)
            else:
                self._send(200, _damaged(answered, planned.fault) if planned else answered)

    def _is_within_limit(self, request: Mapping[str, Any]) -> bool:
        texts = request.get("texts") or request.get("input")
        return not texts or self.state.limit.takes(len(texts), request.get("input_type", ""))

    def _plan(self, request: Mapping[str, Any]) -> None:
        planned = Planned(request["fault"], request.get("retry_after"), float(request.get("seconds", 0)))
        with self.state.lock:
            self.state.planned.extend([planned] * int(request.get("count", 1)))
        self._send(200, {})

    def _fails(self, planned: Planned) -> bool:
        """Carry out the fault. True if the call needs no other answer."""
        match planned.fault:
            case "rate_limit":
                headers = {} if planned.retry_after is None else {"Retry-After": str(planned.retry_after)}
                self._send(429, {"message": "you are limited to 5 calls a minute"}, headers)
            case "error":
                self._send(500, {"message": "internal server error"})
            case "bad_request":
                self._send(400, {"message": "invalid request: this fault was planned"})
            case "garbage":
                self._write(200, b"<html>Welcome to the hotel's network</html>", "text/html", {})
            case "reset":
                # With SO_LINGER at 0 seconds, close() sends RST instead of FIN.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
            case "slow":
                self.state.ended.wait(planned.seconds)
                return False
            case _:
                return False
        return True

    def _send(self, status: int, answer: Any, headers: Mapping[str, str] | None = None) -> None:
        self._write(status, json.dumps(answer).encode(), "application/json", headers or {})

    def _stream(self, answer: Mapping[str, Any], fault: Fault | None) -> None:
        """A chat's answer as server-sent events, in chunks of HTTP."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for number, event in enumerate(chat_events(answer, fails=fault == "fails")):
                if fault == "breaks" and number == BROKEN_AFTER:
                    self.close_connection = True
                    return
                data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except ConnectionError:  # the client did not wait
            self.close_connection = True

    def _write(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": content_type, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
            self.wfile.flush()
        except ConnectionError:  # the client did not wait
            self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing: /_stats has the counts."""


def _damaged(answer: dict[str, Any], fault: Fault) -> dict[str, Any]:
    """The answer with broken embeddings or scores, in Cohere's format or in OpenAI's."""
    if "data" in answer:
        if fault == "count":
            answer["data"].pop()
        for item in answer["data"]:
            _break(item["embedding"], fault)
        return answer
    if "results" in answer:
        if fault == "count":
            answer["results"].pop()
        elif fault == "nan":
            answer["results"][-1]["relevance_score"] = math.nan
        return answer
    named = answer.get("embeddings", {})
    for kind, embeddings in ({"float": named} if isinstance(named, list) else named).items():
        if fault == "count":
            embeddings.pop()
        for place, embedding in enumerate(embeddings):
            vector = unpacked(embedding) if kind == "base64" else embedding
            _break(vector, fault)
            embeddings[place] = packed(vector) if kind == "base64" else vector
    return answer


def _break(vector: list[float], fault: Fault) -> None:
    if fault == "dimension":
        vector.append(0.5)
    elif fault == "nan":
        vector[-1] = math.nan


def main() -> None:
    parser = argparse.ArgumentParser(description="Run a server for Cohere's API, for tests and development.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=0, help="the port to listen on; 0 takes any free one")
    parser.add_argument("--vectors", choices=("hashing", "minilm"), default="hashing")
    parser.add_argument("--rate", type=int, default=0, help="inputs of embedding calls a minute; 0 is no limit")
    arguments = parser.parse_args()
    server = CohereServer(arguments.vectors, host=arguments.host, port=arguments.port, rate=arguments.rate)
    print(f"Cohere-compatible server on {server.url}", flush=True)
    try:
        server.wait()
    except KeyboardInterrupt:
        server.close()


if __name__ == "__main__":
    main()
