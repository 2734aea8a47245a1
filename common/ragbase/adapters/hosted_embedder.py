"""What embedders behind HTTP share: a base class, and the texts that services accept."""

from __future__ import annotations

import copy
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.adapters.backoff import FOR_DOCUMENTS, FOR_QUERIES, RateLimited, Sleep, persist
from ragbase.adapters.call_limit import CallLimit
from ragbase.adapters.query_vectors import QueryVectors
from ragbase.adapters.refusal import of_question
from ragbase.adapters.split_calls import SplitCalls
from ragbase.domain.errors import ConfigurationError, PermanentError, RagbaseError
from ragbase.domain.limits import MAX_BATCH
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from ragbase.adapters.rate_limiter import RateLimiter
    from ragbase.domain.chunk import Vector

MODEL_SETTING = "RAGBASE_EMBEDDING_MODEL"

_MOST_AT_A_TIME = 4
"""Calls that one document makes at the same time, at most: others are at work, too."""

_BLANK = "."
"""Sent in place of a text without visible characters, because services refuse such a text."""

_WRONG_FOR = 60.0
"""Seconds for which a wrong setting is not tried again by documents that have not begun."""


class HostedEmbedder(ABC):
    """What every embedder behind HTTP has: its settings, its rate limiter, and the last questions' vectors.

    A call for documents waits for its turn, if the service has a rate (adapters/rate_limiter.py). Failed calls are
    tried again as adapters/backoff.py says, and refused ones are made smaller (adapters/split_calls.py). After that
    every method raises Unavailable if the service does not answer, answers with a fault or with what cannot be used,
    NoTurn if the rate has no room in time, TextRefused for a text that the service does not take, and
    ConfigurationError, naming the setting, for a key, a model, a dimension or an address that is wrong. May be used by
    several threads at once.
    """

    def __init__(
        self, *, model: str, dimension: int, batch_size: int, rate_limiter: RateLimiter | None, sleep: Sleep
    ) -> None:
        """A call has at most `batch_size` texts. `sleep` waits between attempts."""
        self._name = model
        self._dimension = dimension
        self._rate_limiter = rate_limiter
        self._sleep = sleep
        self._query_vectors = QueryVectors()
        most = MAX_BATCH if rate_limiter is None else min(MAX_BATCH, rate_limiter.rate.book_limit)
        self._limit = CallLimit(model, min(batch_size, most))
        self._wrong: tuple[float, ConfigurationError] | None = None

    @property
    def model(self) -> str:
        return model_name(self._name, self._dimension)

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_batch(self) -> int:
        most = self._limit.texts
        return most if self._rate_limiter is None else self._rate_limiter.rate.largest_call(most)

    @property
    def max_characters(self) -> int | None:
        """The most characters of all texts of a call, if the service turned out to have such a limit."""
        return self._limit.characters

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

    def check(self) -> None:
        """Raises the ConfigurationError of a call of the last minute, if none has succeeded since. A document that has
        not begun need not be read only to learn it again."""
        wrong = self._wrong
        if wrong is not None and time.monotonic() < wrong[0]:
            raise copy.copy(wrong[1])

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Raises ValueError for more than 96 texts."""
        sent = sendable(texts)
        if not sent:
            return Embeddings([])
        with self._noting():
            return SplitCalls(self._for_documents, self._limit).embed(sent)

    def _for_documents(self, sent: list[str]) -> Embeddings:
        """The vectors of one call with texts of documents, within the rate.

        Every attempt has a turn of its own, as nobody says whether a service counts what it refuses.
        """
        rate_limiter = self._rate_limiter

        def in_turn() -> Embeddings:
            if rate_limiter is None:
                return self._embedded(sent, FOR_DOCUMENTS.timeout, is_query=False)
            rate_limiter.wait(len(sent))
            try:
                return self._embedded(sent, FOR_DOCUMENTS.timeout, is_query=False)
            except RateLimited as error:
                rate_limiter.refused(error.retry_after)
                raise

        return persist(in_turn, FOR_DOCUMENTS, self._sleep)

    def embed_query(self, text: str) -> Vector:
        """The question's vector, for which the service is asked if nobody has asked the same lately. Nothing delays the
        call. Raises QuestionRefused if the service does not take the question."""
        return self._query_vectors.vector(text, lambda: self._asked(text))

    def embed_queries(self, texts: Sequence[str]) -> None:
        """Ask for the vectors of several questions in one call, if it takes so many: `embed_query` has them then. If it
        fails, that asks for each."""
        wanted = self._query_vectors.unknown(texts)
        if not 1 < len(wanted) <= self.max_batch:
            return
        sent = sendable(wanted)
        try:
            made = self._embedded(sent, FOR_QUERIES.timeout, is_query=True)
        except RagbaseError as error:
            telemetry.log("query.not_embedded_together", level=logging.WARNING, model=self.model, reason=str(error))
            return
        telemetry.log("query.embedded", model=self.model, tokens=made.billed_tokens)
        for text, vector in zip(wanted, made.vectors, strict=True):
            self._query_vectors.vector(text, partial(_copied, vector))

    def _asked(self, text: str) -> Vector:
        sent = sendable([text])
        try:
            with self._noting():
                made = persist(
                    lambda: self._embedded(sent, FOR_QUERIES.timeout, is_query=True), FOR_QUERIES, self._sleep
                )
        except PermanentError as error:
            raise of_question(error) from error
        telemetry.log("query.embedded", model=self.model, tokens=made.billed_tokens)
        return made.vectors[0]

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Note whether the settings are right, which calls show."""
        try:
            yield
        except ConfigurationError as error:
            if self._wrong is None:
                telemetry.log("embedder.wrong_setting", level=logging.WARNING, model=self.model, reason=str(error))
            self._wrong = (time.monotonic() + _WRONG_FOR, error)
            raise
        self._wrong = None

    @abstractmethod
    def _embedded(self, sent: list[str], timeout: float, *, is_query: bool) -> Embeddings:
        """One call with texts of documents, or with the one text of a question; `timeout` is in seconds. Raises
        what SplitCalls.call does."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections. No thread may still be using the embedder. May be called twice."""


def _copied(vector: Vector) -> Vector:
    """Of its own: it is kept, and the others of its call are not."""
    return vector.copy()


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
