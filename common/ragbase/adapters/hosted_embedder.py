"""What embedders behind HTTP share: a base class, the checks of settings, texts and answers, and the errors."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragbase import telemetry
from ragbase.adapters.backoff import FOR_DOCUMENTS, FOR_QUERIES, RateLimited, Result, Sleep, persist
from ragbase.adapters.query_vectors import QueryVectors
from ragbase.adapters.without_echo import without_echo
from ragbase.domain.errors import (
    ConfigurationError,
    ErrorCode,
    PermanentError,
    QuestionRefused,
    RagbaseError,
    TransientError,
    Unavailable,
)
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from ragbase.adapters.rate_limiter import RateLimiter
    from ragbase.domain.chunk import Vector

MODEL_SETTING = "RAGBASE_EMBEDDING_MODEL"
DIMENSION_SETTING = "RAGBASE_EMBEDDING_DIMENSION"

MAX_BATCH = 96
"""The most texts in one call, for every service: the limit of Cohere and of docs/contracts/website-pipeline.md, section
4."""

_MOST_AT_A_TIME = 4
"""Calls that one document makes at the same time, at most: others are at work, too."""

_BLANK = "."
"""Sent in place of a text without visible characters, because services refuse such a text."""

_LONGEST_REASON = 300
_BAD_REQUESTS = frozenset({400, 413, 422, 498})
"""The request itself is wrong. 498 is Cohere's, for a text that it blocks."""


class HostedEmbedder(ABC):
    """What every embedder behind HTTP has: its settings, its rate limiter, and the last questions' vectors.

    A call for documents waits for its turn, if the service has a rate (adapters/rate_limiter.py). Failed calls are
    tried again as adapters/backoff.py says. After that every method raises Unavailable if the service does not
    answer or answers with a fault, NoTurn if the rate has no room in time, TransientError for an answer that cannot
    be used, PermanentError if it refuses a text, and ConfigurationError, naming the setting, for a key, a model or
    a dimension that it does not accept. May be used by several threads at once.
    """

    def __init__(self, *, model: str, dimension: int, rate_limiter: RateLimiter | None, sleep: Sleep) -> None:
        """`sleep` waits between attempts."""
        self._name = model
        self._dimension = dimension
        self._rate_limiter = rate_limiter
        self._sleep = sleep
        self._query_vectors = QueryVectors()

    @property
    def model(self) -> str:
        return model_name(self._name, self._dimension)

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_batch(self) -> int:
        return MAX_BATCH if self._rate_limiter is None else self._rate_limiter.rate.largest_call(MAX_BATCH)

    @property
    def at_a_time(self) -> int:
        """As many as the rate lets through in a second, which is more than a call takes. The others would only wait, in
        front of those of other documents."""
        if self._rate_limiter is None:
            return _MOST_AT_A_TIME
        return min(_MOST_AT_A_TIME, self._rate_limiter.rate.calls_a_second(self.max_batch))

    @property
    def is_crowded(self) -> bool:
        """Whether calls for documents may have to wait for their turns soon."""
        return self._rate_limiter is not None and self._rate_limiter.is_crowded

    def _for_documents(self, call: Callable[[float], Result], inputs: int) -> Result:
        """The result of a call with so many texts of documents, within the rate. `call` takes its timeout in seconds.

        Every attempt has a turn of its own, as nobody says whether a service counts what it refuses.
        """
        rate_limiter = self._rate_limiter

        def in_turn() -> Result:
            if rate_limiter is None:
                return call(FOR_DOCUMENTS.timeout)
            rate_limiter.wait(inputs)
            try:
                return call(FOR_DOCUMENTS.timeout)
            except RateLimited as error:
                rate_limiter.refused(error.retry_after)
                raise

        return persist(in_turn, FOR_DOCUMENTS, self._sleep)

    def embed_query(self, text: str) -> Vector:
        """The question's vector, for which the service is asked if nobody has asked the same lately. Nothing delays the
        call. Raises QuestionRefused if the service does not take the question."""
        return self._query_vectors.vector(text, lambda: self._asked(text))

    def _asked(self, text: str) -> Vector:
        sent = sendable([text])
        try:
            made = persist(lambda: self._embedded_query(sent, FOR_QUERIES.timeout), FOR_QUERIES, self._sleep)
        except PermanentError as error:
            raise of_question(error) from error
        telemetry.log("query.embedded", model=self.model, tokens=made.billed_tokens)
        return made.vectors[0]

    @abstractmethod
    def _embedded_query(self, sent: list[str], timeout: float) -> Embeddings:
        """One call with the one text of a question; `timeout` is in seconds."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections. No thread may still be using the embedder. May be called twice."""


def model_name(model: str, dimension: int) -> str:
    """What names a model of a service, and everything else that changes its vectors."""
    return f"{model}-{dimension}"


def sendable(texts: Sequence[str]) -> list[str]:
    """The texts in a form that services accept. Raises ValueError for more than MAX_BATCH."""
    if len(texts) > MAX_BATCH:
        raise ValueError(f"One call takes at most {MAX_BATCH} texts, not {len(texts)}. Send them in several calls.")
    return [sendable_text(text) for text in texts]


def sendable_text(text: str) -> str:
    """The text in a form that services accept: UTF-8 has no lone surrogates."""
    return text.encode(errors="replace").decode() if text.strip() else _BLANK


def checked_key(key: str, setting: str) -> str:
    """The key without the line break that files of secrets often end with.

    Raises ConfigurationError, naming the setting, if it cannot be a key.
    """
    stripped = key.strip()
    if not stripped or not stripped.isascii() or not stripped.isprintable():
        raise ConfigurationError(f"{setting} holds no API key. Set it to the key of your account.")
    return stripped


def checked_url(url: str, setting: str) -> str:
    """The URL without a slash at its end. Raises ConfigurationError, naming the setting, if it cannot be a URL."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(
            f"{setting} = {url!r} is not the URL of a service. Set it to a URL such as https://host/path."
        )
    return url.rstrip("/")


def refusal(
    service: str,
    status: int,
    reason: str,
    headers: Mapping[str, str],
    *,
    key: str,
    model: str,
    sent: Iterable[str],
) -> RagbaseError:
    """The error for an answer with this status. `key` and `model` name the settings that may be wrong. `sent` are the
    texts of the request and the key, which the reason may repeat."""
    message = f"{service} answered {status}: {without_echo(reason, sent)[:_LONGEST_REASON]}"
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ConfigurationError(f"{message}. Set {key} to a key that is valid for this service and model.")
    if status == HTTPStatus.NOT_FOUND:
        return ConfigurationError(f"{message}. Set {model} to a model that this service has, and check its URL.")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        # HTTP also allows a date. It is ignored, so that the wait is that of the table: the two clocks may not agree.
        asked = next((value.strip() for name, value in headers.items() if name.lower() == "retry-after"), "")
        return RateLimited(message, float(asked) if asked.isdecimal() else None)
    if status in _BAD_REQUESTS:
        return PermanentError(ErrorCode.INTERNAL_ERROR, message)
    return Unavailable(message)


def of_question(error: RagbaseError) -> RagbaseError:
    """The error for a question whose call failed with this one."""
    return QuestionRefused(str(error)) if isinstance(error, PermanentError) else error


def unpacked(service: str, values: Any) -> list[Any]:
    """Vectors that came as base64 of little-endian 32-bit floats. Raises TransientError if one did not."""
    import numpy as np

    try:
        return [np.frombuffer(base64.b64decode(text, validate=True), "<f4") for text in values or ()]
    except (TypeError, ValueError) as error:
        raise TransientError(f"{service} answered with an embedding that is not base64 of floats: {error}.") from error


def unit_embeddings(service: str, values: Any, *, count: int, dimension: int, billed_tokens: int) -> Embeddings:
    """`values` (lists of numbers, or arrays) as `count` unit vectors. A service may put anything into an answer.

    Raises ConfigurationError, naming the setting, for vectors of another dimension, because calling again would not
    change it. Raises TransientError for another number of vectors, or one without a direction.
    """
    import numpy as np

    found = len(values) if isinstance(values, list) else 0
    if found != count:
        raise TransientError(f"{service} answered with {found} embeddings for {count} texts.")
    dimensions = {len(vector) if isinstance(vector, list | np.ndarray) else 0 for vector in values}
    if dimensions != {dimension}:
        sizes = " or ".join(map(str, sorted(dimensions)))
        raise ConfigurationError(
            f"{service} answered with embeddings of {sizes} dimensions where {DIMENSION_SETTING} is {dimension}. "
            f"Set {DIMENSION_SETTING} to what the model makes, or choose another model."
        )
    try:
        with np.errstate(over="ignore"):  # numbers beyond 32 bits become infinite, and are found below
            vectors = np.asarray(values, np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    except (TypeError, ValueError) as error:
        raise TransientError(f"{service} answered with an embedding that does not consist of numbers.") from error
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise TransientError(f"{service} answered with an embedding that is not finite, or is zero.")
    return Embeddings(list(vectors / lengths), billed_tokens)
