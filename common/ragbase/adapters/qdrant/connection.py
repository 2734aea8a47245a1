"""A client of Qdrant. Its errors become ragbase's, and in its local mode it serves one caller at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from ragbase.domain.errors import ConfigurationError, IndexGone, TransientError, Unavailable

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

SECONDS = 10
"""The deadline of a call."""
Answer = TypeVar("Answer")

_TOGETHER = 16
"""Requests that searches of one process have under way at the same time. A question of ten words has eleven."""
_REFUSED = (401, 403)
_BAD_REQUESTS = (400, 413, 422)
_NOT_FOUND = 404


def qdrant_client(url: str, api_key: str = "") -> QdrantClient:
    """A client of the server at `url`, with a deadline for every call. Nothing is sent yet."""
    from qdrant_client import QdrantClient

    return QdrantClient(url=url, api_key=api_key or None, timeout=SECONDS, check_compatibility=False)


class QdrantConnection:
    """Any thread may use it. The client's own timeout is the deadline of every call."""

    def __init__(self, client: QdrantClient) -> None:
        self._client = client
        options = client.init_options
        self.is_local = options.get("location") == ":memory:" or bool(options.get("path"))
        self._threads = ThreadPoolExecutor(_TOGETHER, thread_name_prefix="qdrant")  # it starts none before it needs one
        # The client's local mode keeps everything in plain dictionaries, which only one thread at a time may use.
        self._turn = RLock() if self.is_local else nullcontext()

    def begin(self, question: Callable[[QdrantClient], Answer]) -> Callable[[], Answer]:
        """Ask, and return what waits for the answer, so that several questions are under way at the same time. The
        local mode answers at once. Both raise as `asking`."""
        if self.is_local:
            answer = self._answer(question)
            return lambda: answer
        return self._threads.submit(self._answer, question).result

    def _answer(self, question: Callable[[QdrantClient], Answer]) -> Answer:
        with self.asking() as client:
            return question(client)

    @contextmanager
    def asking(self) -> Iterator[QdrantClient]:
        """The client. Raises Unavailable if Qdrant does not answer or fails, TransientError if it refuses this
        request, and IndexGone if there is no such collection."""
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

        try:
            with self._turn:
                yield self._client
        except UnexpectedResponse as error:
            if error.status_code in _REFUSED:
                raise ConfigurationError(
                    "Qdrant refused the key. Set `qdrant_api_key` to a key that may read and write."
                ) from error
            if error.status_code == _NOT_FOUND:
                raise IndexGone(f"The index has been dropped: {error}") from error
            is_about_the_request = error.status_code in _BAD_REQUESTS
            raise (TransientError if is_about_the_request else Unavailable)(
                f"Qdrant (setting `qdrant_url`) failed: {error}"
            ) from error
        except ApiException as error:
            raise Unavailable(f"Qdrant (setting `qdrant_url`) does not answer: {error}") from error
        except ValueError as error:
            if self.is_local and str(error).endswith("not found"):
                raise IndexGone(f"The index has been dropped: {error}") from error
            raise
