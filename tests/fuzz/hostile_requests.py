"""Requests to every route of the API that no well-meant client sends, drawn from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbase.interfaces.api.operation import FORM, JSON, Operation
from ragbase.interfaces.api.operations import OPERATIONS

BOUNDARY = "----ragbase"
TEXTS = (
    "",
    " ",
    "a",
    "null",
    "-1",
    "1e999",
    "9" * 400,
    "٣",
    "\x00",
    "\u2028",
    "\ud800",
    "../../etc/passwd",
    "..\\..\\x",
    "%2e%2e%2f",
    "%00",
    "/",
    "a/" * 500,
    "a" * 5_000,
    "é" * 300,
    "'; DROP TABLE chunks; --",
    '" OR "1"="1',
    "NEAR(a b, 5) AND *",
    "${jndi:ldap://127.0.0.1/a}",
    "<script>alert(1)</script>",
    "Content-Length: 5\r\n\r\n",
    "{}",
    "[" * 3_000,
    "true",
    "\ufeffa",
    "\u202ea",
)
VALUES: Sequence[Any] = (None, True, False, 0, -1, 1, 2**63, 10**400, 1.5, float("nan"), float("inf"), [], {}, [[]])
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "X" * 300, "\x01")
HEADERS = (
    ("Accept", ("text/event-stream", "*/*;q=" + "9" * 50, ",", "text/plain", "application/json")),
    ("Accept-Encoding", ("gzip", "gzip;q=nan", "br, gzip", "*;q=0")),
    ("Content-Encoding", ("gzip", "br", "x")),
    ("Content-Type", (JSON, FORM, f"{FORM}; boundary=", f"{FORM}; boundary=" + "b" * 300, "a" * 300, "text/csv", ";;")),
    ("Expect", ("100-continue", "200-maybe")),
    ("Forwarded", ("for=127.0.0.1", "for=")),
    ("Host", ("evil.example", "127.0.0.1", "", "[::1", "a" * 3_000, "localhost:99999")),
    ("If-Match", ('"a"', "*", "W/", '"' + "a" * 3_000)),
    ("If-None-Match", ('"a"', "*", "W/", ",,,")),
    ("If-Modified-Since", ("x", "Thu, 01 Jan 1970 00:00:00 GMT", "9" * 99)),
    ("Mcp-Session-Id", ("a", "\x7f")),
    ("MCP-Protocol-Version", ("1", "2025-06-18", "9" * 99)),
    ("Origin", ("null", "http://evil.example", "http://127.0.0.1", "ftp://x", "x")),
    ("Range", ("bytes=0-", "bytes=-1", "bytes=9-1", "bytes=" + "0-0," * 500, "x=1")),
    ("Sec-Fetch-Site", ("cross-site", "same-origin", "x")),
    ("Traceparent", ("00-0-0-0", "00-" + "f" * 32 + "-" + "f" * 16 + "-01", "x")),
    ("X-Forwarded-For", ("127.0.0.1", "a, b", "," * 3_000, "[::ffff:1.2.3.4]:9")),
    ("X-Forwarded-Proto", ("https", "x")),
    ("X-Request-Id", ("a" * 3_000, "\t", "é")),
)
PAGES = ("1", "2", "1", "2", "0", "3", "9" * 9)
"""Of a document that has two."""
NUMBERS = ("0", "1", "99", "100", "1200", "2400", "2401", str(2**31 - 1), str(2**31), str(2**63))
"""On both sides of the bounds of numbers in addresses."""
LENGTHS = ("-1", "+5", "0x5", "5, 5", "1_0", "9" * 5_000, "", "٥", "5 5")
CHUNKS = (b"z\r\n", b"-1\r\n", b"5\r\nab", b"ffffffffffffffffff\r\n", b"5;" + b"x" * 20_000 + b"\r\nabcde\r\n0\r\n\r\n")


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as bytes, and what it was drawn for. `key` is the key in its header, if that is valid."""

    operation: str
    data: bytes
    key: str | None


class HostileRequests:
    """Draws requests. `keys` are valid API keys, and `ids` of documents. Requests use both, and made-up ones."""

    def __init__(self, draw: random.Random, keys: Sequence[str], ids: Sequence[str]) -> None:
        self._draw = draw
        self._keys = keys
        self._ids = ids

    def next(self) -> Sent:
        draw = self._draw
        asked = draw.choice(OPERATIONS)
        method = asked.method if draw.random() < 0.9 else draw.choice(METHODS)
        key = draw.choice(self._keys) if draw.random() < 0.7 else None
        headers = [("Host", "127.0.0.1")] if draw.random() < 0.98 else []
        if key is not None:
            headers.append(("Authorization", f"Bearer {key}"))
        elif draw.random() < 0.3:  # as the console does
            headers += [("Cookie", f"ragbase={draw.choice((*self._keys, 'x'))}"), ("Sec-Fetch-Site", "same-origin")]
        elif draw.random() < 0.5:
            headers.append(
                ("Authorization", draw.choice(("Bearer", "Bearer x", "Basic eDp4", "Bearer " + "a" * 3_000)))
            )
        for name, values in draw.sample(HEADERS, draw.choice((0, 0, 1, 2, 4))):
            headers.append((name, draw.choice(values)))
        body, content_type = self._body(asked)
        if body and all(name != "Content-Type" for name, _ in headers):
            headers.append(("Content-Type", content_type))
        headers.append(("Connection", "close"))
        framing, body = self._framing(body)
        head = f"{method} {self._path(asked)} HTTP/1.{draw.choice('1110')}\r\n"
        lines = "".join(f"{name}: {value}\r\n" for name, value in [*headers, *framing])
        data = (head + lines + "\r\n").encode("utf-8", "surrogatepass") + body
        if draw.random() < 0.03:
            at = draw.randrange(len(data))
            data = data[:at] + draw.randbytes(draw.choice((1, 2, 40))) + data[at + 1 :]
        return Sent(asked.id, data, key)

    def _path(self, asked: Operation) -> str:
        draw, path = self._draw, asked.path
        while "{" in path:
            before, _, rest = path.partition("{")
            known = PAGES if rest.startswith("page}") else self._ids
            value = draw.choice(known) if draw.random() < 0.85 else draw.choice(TEXTS)
            path = before + _in_address(value) + rest.partition("}")[2]
        if draw.random() < 0.4:
            fields = (
                [str(field.alias) for field in asked.parameters.load().model_fields.values()]
                if asked.parameters
                else []
            )
            names = [*fields, "x", "limit", "query"]
            values = TEXTS if draw.random() < 0.5 else NUMBERS
            pairs = [(draw.choice(names), draw.choice(values)) for _ in range(draw.choice((1, 1, 2, 50)))]
            if draw.random() < 0.4:
                pairs = [(name, draw.choice(values)) for name in fields]
            path += "?" + "&".join(f"{_in_address(name)}={_in_address(value)}" for name, value in pairs)
        return path

    def _body(self, asked: Operation) -> tuple[bytes, str]:
        draw = self._draw
        if asked.method == "GET" and draw.random() < 0.9:
            return b"", JSON
        if asked.body_type == FORM and draw.random() < 0.8:
            return self._form(asked.example), f"{FORM}; boundary={BOUNDARY}"
        example = dict(asked.example) or {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        body = json.dumps(self._changed(example)).encode("utf-8", "surrogatepass")
        if draw.random() < 0.1:
            body = body[: draw.randrange(len(body) + 1)] + draw.randbytes(3)
        return body, JSON

    def _changed(self, value: Any, depth: int = 0) -> Any:
        """The value with some of its parts replaced, removed, doubled or nested."""
        draw = self._draw
        if draw.random() < 0.15 or depth > 5:
            return draw.choice((*VALUES, *TEXTS))
        if isinstance(value, Mapping):
            changed = {name: self._changed(of, depth + 1) for name, of in value.items() if draw.random() < 0.95}
            if draw.random() < 0.1:
                changed[draw.choice(TEXTS)] = draw.choice((*VALUES, *TEXTS))
            if draw.random() < 0.05:
                changed["filters"] = _nested(draw.choice((3, 50, 900)))
            return changed
        if isinstance(value, list):
            return [self._changed(of, depth + 1) for of in value] * draw.choice((1, 1, 0, 40))
        return value

    def _form(self, example: Mapping[str, object]) -> bytes:
        draw = self._draw
        parts = []
        for name, value in example.items():
            shown = str(self._changed(value))
            file = '; filename="' + draw.choice((*TEXTS[:20], "a.md", "b.html")) + '"' if name == "file" else ""
            parts += [(name, file, shown)] * draw.choice((1, 1, 1, 1, 2, 0))
        if draw.random() < 0.05:
            parts += [("x", "", "y")] * draw.choice((100, 2_000))
        text = "".join(
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{shown}\r\n'
            for name, file, shown in parts
        )
        end = f"--{BOUNDARY}--\r\n" if draw.random() < 0.95 else ""
        return (text + end).encode("utf-8", "surrogatepass")

    def _framing(self, body: bytes) -> tuple[list[tuple[str, str]], bytes]:
        """How the body's end is told."""
        draw, kind = self._draw, self._draw.random()
        if kind < 0.85:
            return [("Content-Length", str(len(body)))] if body else [], body
        if kind < 0.92:
            return [("Content-Length", draw.choice((*LENGTHS, str(len(body) + 7), "99999999999")))], body
        chunked = [("Transfer-Encoding", draw.choice(("chunked", "chunked", "chunked", "gzip, chunked", "x")))]
        if draw.random() < 0.5:
            return chunked, f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
        return chunked, draw.choice(CHUNKS)


def _in_address(text: str) -> str:
    """As a careless client writes it: what would end the address is encoded, and little else."""
    encoded = text.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if 32 < byte < 127 and chr(byte) not in "?#&" else f"%{byte:02x}" for byte in encoded)


def _nested(levels: int) -> Any:
    condition: Any = {"key": "a", "is": 1}
    for _ in range(levels):
        condition = {"not": condition}
    return condition
