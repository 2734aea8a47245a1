"""One lazily opened connection to Weaviate: an event loop of its own, a deadline around every call, errors of ours.

The loop is what makes deadlines hold. While Weaviate does not answer, its client tries a gRPC call again for 63 s,
whatever timeout it was given (measured with client 4.23.1); in a loop such a call is cancelled, and no thread is left
behind waiting for it. It also lets one search ask for several things at a time.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ragbase.domain.errors import ConfigurationError, RagbaseError, TransientError
from ragbase.retrieval.scoring import K1, B

if TYPE_CHECKING:
    from weaviate import WeaviateAsyncClient
    from weaviate.collections import CollectionAsync

GRPC_PORT = 50051
"""Weaviate's default."""

_RECONNECTING = [("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 2_000)]
"""gRPC by itself waits for up to 120 s before it tries again, long after Weaviate is back."""

_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_REFUSED = (401, 403)
_INVALID = 422
"""The status of a request that cannot be done; creating what somebody else has just created is one."""

Result = TypeVar("Result")


class WeaviateConnection:
    """Any thread may use it. Opening makes sure that the alias names the collection of this model, made if missing."""

    def __init__(self, url: str, *, grpc_url: str, api_key: str, alias: str, model: str, dimension: int) -> None:
        """Raises ConfigurationError for settings that cannot be right; nothing is sent yet."""
        self._http = _address(url, "weaviate_url")
        self._grpc = _address(grpc_url, "weaviate_grpc_url") if grpc_url else (*self._http[:2], GRPC_PORT)
        if not _ALIAS.fullmatch(alias):
            raise ConfigurationError(
                f"The setting `weaviate_alias` is {alias!r}. An alias starts with a letter, followed by at most 99 "
                "letters, digits or underscores: set it to such a name, as `ragbase`."
            )
        self._url = url
        self._api_key = api_key
        self._alias = alias[0].upper() + alias[1:]  # as Weaviate writes it
        self._model = model
        self._dimension = dimension
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._opening = asyncio.Lock()
        self._client: WeaviateAsyncClient | None = None
        self._collection: CollectionAsync[Any, Any] | None = None

    def call(self, work: Callable[[CollectionAsync[Any, Any]], Awaitable[Result]], seconds: float) -> Result:
        """Do `work` with the collection within `seconds`, the opening included.

        Raises TransientError where Weaviate does not answer by then or cannot do it, ConfigurationError where the
        settings do not fit the server.
        """

        from httpx import HTTPError
        from weaviate.exceptions import WeaviateBaseError  # takes a second, the first time: not part of the deadline

        async def within_deadline() -> Result:
            try:
                async with asyncio.timeout(seconds):
                    return await work(self._collection or await self._opened())
            except TimeoutError as error:
                raise TransientError(
                    f"Weaviate at {self._url} (setting `weaviate_url`) did not answer within {seconds:g} s."
                ) from error
            except (WeaviateBaseError, HTTPError, OSError) as error:
                raise self._translated(error) from error

        return self._run(within_deadline())

    def close(self) -> None:
        """Close the connection and end its thread. The next call opens another."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(self._closed(), loop).result()
            loop.call_soon_threadsafe(loop.stop)

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=(self._loop,), name="weaviate", daemon=True).start()
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result()

    async def _opened(self) -> CollectionAsync[Any, Any]:
        async with self._opening:
            if self._collection is None:
                client = self._made_client()
                try:
                    await client.connect()
                    self._collection = client.collections.use(await self._ensured(client))
                except BaseException:
                    await client.close()
                    raise
                self._client = client
            return self._collection

    async def _closed(self) -> None:
        if self._client is not None:
            await self._client.close()
        self._client = self._collection = None

    def _made_client(self) -> WeaviateAsyncClient:
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

    async def _ensured(self, client: WeaviateAsyncClient) -> str:
        """The name of this model's collection, which the alias names."""
        wanted = collection_name(self._alias, self._model, self._dimension)
        live = await self._live(client)
        if live is None:
            names = await client.collections.list_all(simple=True)
            others = [name for name in names if name.startswith(f"{self._alias}_") and name != wanted]
            if others:
                raise ConfigurationError(
                    f"The alias {self._alias} (setting `weaviate_alias`) is missing, while there is an index "
                    f"{', '.join(sorted(others))}. Point the alias at the index to use, or choose another alias and "
                    "ingest the documents again."
                )
            await _unless_there(self._create(client, wanted))
            await _unless_there(client.alias.create(alias_name=self._alias, target_collection=wanted))
            live = await self._live(client)
        if live != wanted:
            raise ConfigurationError(
                f"The alias {self._alias} (setting `weaviate_alias`) names the index {live}, and the model "
                f"{self._model} with {self._dimension} dimensions needs the index {wanted}. An index holds one model's "
                "vectors: set `embedder` to the model it was made with, or choose another alias and ingest the "
                "documents again."
            )
        return wanted

    async def _live(self, client: WeaviateAsyncClient) -> str | None:
        found = await client.alias.get(alias_name=self._alias)
        return found.collection if found else None

    async def _create(self, client: WeaviateAsyncClient, name: str) -> None:
        from weaviate.classes.config import (
            Configure,
            DataType,
            Property,
            StopwordsPreset,
            Tokenization,
            VectorDistances,
        )

        def stored(name: str, data_type: DataType) -> Property:
            return Property(name=name, data_type=data_type, index_filterable=False, index_searchable=False)

        await client.collections.create(
            name,
            description=f"Chunks of ragbase. Model: {self._model}, dimensions: {self._dimension}.",
            properties=[
                Property(
                    name="document_id",
                    data_type=DataType.TEXT,
                    tokenization=Tokenization.FIELD,
                    index_searchable=False,
                ),
                Property(name="generation", data_type=DataType.INT, index_range_filters=True),
                Property(name="part", data_type=DataType.INT),
                Property(name="ordinal", data_type=DataType.INT),
                Property(name="terms", data_type=DataType.TEXT, tokenization=Tokenization.WHITESPACE),
                Property(name="term_count", data_type=DataType.INT),
                stored("text", DataType.TEXT),
                stored("char_start", DataType.INT),
                stored("char_end", DataType.INT),
                stored("header_path", DataType.TEXT_ARRAY),
                stored("page", DataType.INT),
                stored("text_hash", DataType.TEXT),
            ],
            # Dot product: the vectors have unit length, so it is the cosine, and they are kept bit by bit.
            # No quantizer: a server may have one by default, and a cosine would no longer be exact.
            vector_config=Configure.Vectors.self_provided(
                quantizer=Configure.VectorIndex.Quantizer.none(),
                vector_index_config=Configure.VectorIndex.flat(distance_metric=VectorDistances.DOT),
            ),
            inverted_index_config=Configure.inverted_index(bm25_k1=K1, bm25_b=B, stopwords_preset=StopwordsPreset.NONE),
        )

    def _translated(self, error: Exception) -> RagbaseError:
        from weaviate.exceptions import (
            AuthenticationFailedError,
            InsufficientPermissionsError,
            UnexpectedStatusCodeError,
        )

        refused = isinstance(error, AuthenticationFailedError | InsufficientPermissionsError) or (
            isinstance(error, UnexpectedStatusCodeError) and error.status_code in _REFUSED
        )
        if refused:
            return ConfigurationError(
                f"Weaviate at {self._url} refused the key. Set `weaviate_api_key` to one that may read and write."
            )
        return TransientError(f"Weaviate at {self._url} (setting `weaviate_url`) failed: {error}")


async def _unless_there(creation: Awaitable[object]) -> None:
    """Somebody else may have been faster: what counts is what is there afterwards."""
    from weaviate.exceptions import UnexpectedStatusCodeError

    try:
        await creation
    except UnexpectedStatusCodeError as error:
        if error.status_code != _INVALID:
            raise


def collection_name(alias: str, model: str, dimension: int) -> str:
    """The collection of one model's vectors: readable, and unlike that of any other model."""
    readable = re.sub(r"[^A-Za-z0-9]+", "_", model).strip("_")[:60]
    digest = hashlib.sha256(model.encode()).hexdigest()[:8]
    return f"{alias[0].upper()}{alias[1:]}_{readable}_{dimension}_{digest}"


def _address(url: str, setting: str) -> tuple[bool, str, int]:
    """Whether it is encrypted, host and port."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
        raise ConfigurationError(
            f"The setting `{setting}` is {url!r}. It takes a URL with scheme and host, as `http://127.0.0.1:8080`."
        )
    secure = parts.scheme == "https"
    return secure, parts.hostname, port or (443 if secure else 80)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()
