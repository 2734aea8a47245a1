"""Files of servers that nobody vouches for: GET that leads to no address inside, in bounded time and memory."""

from __future__ import annotations

import socket
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2

from ragbase.domain.errors import RagbaseError
from ragbase.sources.gunzip import gunzip
from ragbase.sources.public_address import is_public

if TYPE_CHECKING:
    import ssl

MAX_REDIRECTS = 5
SECONDS = 60
"""For one file, with all its redirects, from the first look-up of a name to the last byte."""
_QUIET_SECONDS = 30
"""In which a server has to send something."""
_PIECE = 64 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)
_ends: ContextVar[float] = ContextVar("_ends")
"""When the request of this thread ends, of `monotonic`."""


class AddressRefused(RagbaseError):
    """This address is not asked. The message names it, the rule and the remedy."""


class FetchFailed(RagbaseError):
    """The server does not answer, or not as it should."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. `url` is where the redirects have led to. `body` is unpacked, and read once."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: Iterator[bytes]


class Fetcher:
    """GET over HTTP, for several threads at once. Connections stay open until `close`.

    Only public addresses are asked: the names are looked up here, and the connection goes to the address that was
    checked. Proxies of the environment are not used, because a proxy would look the name up again. Its certificates
    are: SSL_CERT_FILE or SSL_CERT_DIR name those of a company's own servers.
    """

    def __init__(self, user_agent: str, *, allowed_hosts: Collection[str] = (), seconds: float = SECONDS) -> None:
        """`allowed_hosts` are names or addresses that may also be inside. `seconds` bounds each `get`."""
        self._seconds = seconds
        self._client = httpx2.Client(
            transport=_Transport(_CheckedNetwork(frozenset(host.lower() for host in allowed_hosts))),
            headers={"User-Agent": user_agent, "Accept-Encoding": "gzip"},
            timeout=_QUIET_SECONDS,
            trust_env=False,
        )

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def get(self, url: str, *, max_bytes: int, headers: Mapping[str, str] | None = None) -> Iterator[Fetched]:
        """Follows up to five redirects. Raises AddressRefused, and FetchFailed also while the body is read: after
        `seconds`, or with more than `max_bytes`, packed or unpacked."""
        ends = monotonic() + self._seconds
        address = _checked(url)
        try:
            for _ in range(MAX_REDIRECTS + 1):
                with self._client.stream("GET", address, headers=headers, extensions={"ends": ends}) as answer:
                    self._client.cookies.clear()
                    if answer.status_code in _REDIRECTS and "Location" in answer.headers:
                        address = _checked(answer.headers["Location"], address)
                        continue
                    yield Fetched(str(address), answer.status_code, answer.headers, _body(answer, max_bytes))
                    return
        except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            raise FetchFailed(f"{address} gave no answer ({type(error).__name__}: {error}).") from error
        raise FetchFailed(f"{url} is the beginning of more than {MAX_REDIRECTS} redirects.")


def _checked(url: str, base: httpx2.URL | None = None) -> httpx2.URL:
    """Raises AddressRefused for what is no address of a website. Names are checked when they are looked up."""
    try:
        address = httpx2.URL(url) if base is None else base.join(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise AddressRefused(f"{url[:200]!r} is no address: {error}") from error
    if address.scheme not in ("http", "https") or not address.host:
        raise AddressRefused(f"{url[:200]!r} is no address that begins with https:// or http:// and a host.")
    if address.userinfo:
        raise AddressRefused(f"An address on {address.host} has a user name or a password in it. Remove it.")
    return address


def _body(answer: httpx2.Response, max_bytes: int) -> Iterator[bytes]:
    packing = answer.headers.get("Content-Encoding", "identity").strip().lower() or "identity"
    if packing not in ("identity", "gzip", "x-gzip"):
        raise FetchFailed(f"{answer.url} is packed as {packing[:40]!r}, which was not asked for.")
    pieces = _counted(answer.iter_raw(_PIECE), max_bytes, answer.url)
    if packing == "identity":
        return pieces
    return _counted(_unpacked(pieces, answer.url), max_bytes, answer.url)


def _counted(pieces: Iterable[bytes], max_bytes: int, url: object) -> Iterator[bytes]:
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > max_bytes:
            raise FetchFailed(f"{url} has more than {max_bytes} bytes.")
        yield piece


def _unpacked(pieces: Iterable[bytes], url: object) -> Iterator[bytes]:
    try:
        yield from gunzip(pieces)
    except zlib.error as error:
        raise FetchFailed(f"{url} is damaged: {error}") from error


class _Transport(httpx2.BaseTransport):
    """httpx2's own transport takes no network of its user's, httpcore2 below it does."""

    def __init__(self, network: httpcore2.NetworkBackend) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            network_backend=network,
            keepalive_expiry=5,
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = httpcore2.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        asked = httpcore2.Request(request.method, url, headers=request.headers.raw, extensions=request.extensions)
        ends = request.extensions["ends"]
        with _until(ends):
            answer = self._pool.handle_request(asked)
        return httpx2.Response(answer.status, headers=answer.headers, stream=_Stream(answer, ends))

    def close(self) -> None:
        self._pool.close()


class _Stream(httpx2.SyncByteStream):
    def __init__(self, answer: httpcore2.Response, ends: float) -> None:
        self._answer = answer
        self._ends = ends

    def __iter__(self) -> Iterator[bytes]:
        pieces = iter(self._answer.iter_stream())
        while True:
            with _until(self._ends):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def close(self) -> None:
        self._answer.close()


class _CheckedNetwork(httpcore2.NetworkBackend):
    """Looks a name up once, checks all addresses that it has, and connects to one of these."""

    def __init__(self, allowed_hosts: frozenset[str]) -> None:
        self._allowed = allowed_hosts
        self._network = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(f"{host} is not known: {error}") from error
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        if host.lower() not in self._allowed and not all(map(is_public, addresses)):
            raise AddressRefused(
                f"{host} leads to an address that is not public. If it may be asked, name it in `allowed_hosts`."
            )
        failed: Exception | None = None
        for address in addresses:
            try:
                stream = self._network.connect_tcp(address, port, _left(timeout), local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            else:
                return _TimedStream(stream)
        raise failed or httpcore2.ConnectError(f"{host} has no address.")

    def connect_unix_socket(self, path: str, *_arguments: object, **_options: object) -> httpcore2.NetworkStream:
        raise AddressRefused(f"{path} is no address of a website.")


class _TimedStream(httpcore2.NetworkStream):
    """A connection on which no step takes longer than the request may still take, however little comes at a time."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


@contextmanager
def _until(ends: float) -> Iterator[None]:
    """Around each step on the network: between two steps, this thread may go on with another request."""
    restore = _ends.set(ends)
    try:
        yield
    finally:
        _ends.reset(restore)


def _left(timeout: float | None) -> float:
    """Seconds for the next step. Raises httpcore2.ReadTimeout if there are none."""
    left = _ends.get() - monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("It takes too long.")
    return left if timeout is None else min(timeout, left)
