"""One connection to Weaviate, opened when first needed: its own event loop, a deadline for every call, our own errors.

The loop is there for the deadlines. While Weaviate does not answer, its client tries a gRPC call again for 63 s,
whatever timeout it was given (measured with client 4.23.1). In a loop such a call is cancelled, and no thread keeps
waiting for it. The loop also lets one search send several requests at a time.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ragbase.adapters.weaviate.alias import address_of, no_weaviate, refused_key
from ragbase.domain.errors import IndexGone, RagbaseError, TransientError, Unavailable

if TYPE_CHECKING:
    from weaviate import WeaviateAsyncClient

GRPC_PORT = 50051
"""Weaviate's default."""

SEARCHES = 8
"""Searches that one process has Weaviate work on at a time. More would take turns at its processors and all come late,
each with its work half done, and a flat index works on one to its end even if nobody waits for it any more (1.39.0,
flat/index.go). One that gets no turn in time has cost nothing."""

_RECONNECTING = [("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 2_000)]
"""By default gRPC waits up to 120 s before it tries again, long after Weaviate is back."""

_REFUSED = (401, 403)
_BAD_REQUESTS = (400, 413, 422)
_NOT_FOUND = 404
"""The status of Weaviate's own paths on a server that is not Weaviate."""
_NO_COLLECTION = re.compile("could not find class|class not found")
"""Weaviate's answer to a request for a collection that does not exist contains this (1.39.0)."""
_NO_PARTITION = "tenant not found"
"""The same for a tenant of an existing collection (1.39.0)."""

Result = TypeVar("Result")


class NoPartition(Unavailable):
    """The collection has no tenant of this name yet, or none any more."""


class WeaviateConnection:
    """Any thread may use it. The first call connects."""

    def __init__(self, url: str, *, grpc_url: str = "", api_key: str = "") -> None:
        """Raises ConfigurationError for settings that cannot be right. Nothing is sent yet."""
        self._http = address_of(url, "weaviate_url")
        self._grpc = address_of(grpc_url, "weaviate_grpc_url") if grpc_url else (*self._http[:2], GRPC_PORT)
        self._url = url
        self._api_key = api_key
        self._running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None
        self._lock = threading.Lock()
        self._opening = asyncio.Lock()
        self._searches = asyncio.Semaphore(SEARCHES)
        self._client: WeaviateAsyncClient | None = None

    def call(self, work: Callable[[WeaviateAsyncClient], Awaitable[Result]], seconds: float) -> Result:
        """Do `work` with the client within `seconds`, including the time to connect.

        Raises Unavailable if Weaviate does not answer by then or fails, TransientError if it refuses this request,
        and ConfigurationError if the settings do not fit the server.
        """

        from httpx import HTTPError
        from weaviate.exceptions import WeaviateBaseError  # takes a second at first: outside the deadline

        async def within_deadline() -> Result:
            try:
                async with asyncio.timeout(seconds):
                    return await work(self._client or await self._opened())
            except TimeoutError as error:
                raise Unavailable(
                    f"Weaviate at {self._url} (setting `weaviate_url`) did not answer within {seconds:g} s."
                ) from error
            except (WeaviateBaseError, HTTPError, OSError) as error:
                raise self._translated(error) from error

        return self._run(within_deadline())

    @asynccontextmanager
    async def searching(self, seconds: float) -> AsyncIterator[None]:
        """Wait up to `seconds` for a turn to search, and hold it. For the coroutines of `call`. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            await self._searches.acquire()
        try:
            yield
        finally:
            self._searches.release()

    def close(self) -> None:
        """Close the connection and end its thread. The next call opens a new one."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            loop, thread = running
            asyncio.run_coroutine_threadsafe(self._closed(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        with self._lock:
            if self._running is None:
                loop = asyncio.new_event_loop()
                self._running = loop, threading.Thread(target=_serve, args=(loop,), name="weaviate", daemon=True)
                self._running[1].start()
            future = asyncio.run_coroutine_threadsafe(work, self._running[0])
        return future.result()

    async def _opened(self) -> WeaviateAsyncClient:
        async with self._opening:
            if self._client is None:
                client = self._new_client()
                try:
                    await client.connect()
                except BaseException:
                    await client.close()
                    raise
                self._client = client
            return self._client

    async def _closed(self) -> None:
        if self._client is not None:
            await self._client.close()
        self._client = None

    def _new_client(self) -> WeaviateAsyncClient:
        from weaviate import WeaviateAsyncClient
        from weaviate.auth import Auth
        from weaviate.config import AdditionalConfig, GrpcConfig
        from weaviate.connect import ConnectionParams

        http_secure, http_host, http_port = self._http
        grpc_secure, grpc_host, grpc_port = self._grpc
        return WeaviateAsyncClient(
            ConnectionParams.from_params(
                http_host=http_host,
                http_port=http_port,
                http_secure=http_secure,
                grpc_host=grpc_host,
                grpc_port=grpc_port,
                grpc_secure=grpc_secure,
            ),
            additional_config=AdditionalConfig(grpc_config=GrpcConfig(channel_options=_RECONNECTING)),
            auth_client_secret=Auth.api_key(self._api_key) if self._api_key else None,
            skip_init_checks=True,  # one of them asks a package index for a newer client
        )

    def _translated(self, error: Exception) -> RagbaseError:
        from weaviate.exceptions import (
            AuthenticationFailedError,
            InsufficientPermissionsError,
            ResponseCannotBeDecodedError,
            UnexpectedStatusCodeError,
        )

        refused = isinstance(error, AuthenticationFailedError | InsufficientPermissionsError) or (
            isinstance(error, UnexpectedStatusCodeError) and error.status_code in _REFUSED
        )
        if refused:
            return refused_key(self._url)
        if isinstance(error, ResponseCannotBeDecodedError) or (
            isinstance(error, UnexpectedStatusCodeError) and error.status_code == _NOT_FOUND
        ):
            return no_weaviate(self._url)
        if _NO_COLLECTION.search(str(error)):
            return IndexGone(f"The index has been dropped: {error}")
        if _NO_PARTITION in str(error):
            return NoPartition(f"There is no such tenant: {error}")
        reason = f"Weaviate at {self._url} (setting `weaviate_url`) failed: {error}"
        return TransientError(reason) if _is_about_the_request(error) else Unavailable(reason)


def _is_about_the_request(error: Exception) -> bool:
    """Whether Weaviate answered that it does not like what was sent."""
    from weaviate.exceptions import UnexpectedStatusCodeError

    return isinstance(error, UnexpectedStatusCodeError) and error.status_code in _BAD_REQUESTS


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()
