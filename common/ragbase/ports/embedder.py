"""Texts to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from ragbase.domain.errors import ErrorCode, PermanentError

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Embeddings:
    """One unit vector for each text, in the same order, and the tokens billed for them."""

    vectors: Sequence[Vector]
    billed_tokens: int = 0


class TextRefused(PermanentError):
    """The service does not take the text at `place`, counted from 0. `made` has the vectors of the texts before it, for
    which `billed_tokens` were paid. The others were not asked for. The reason says how to get the text accepted."""

    def __init__(self, reason: str, place: int, made: Sequence[Vector] = (), billed_tokens: int = 0) -> None:
        super().__init__(ErrorCode.INTERNAL_ERROR, reason)
        self.place = place
        self.made = made
        self.billed_tokens = billed_tokens


class QueryEmbedder(Protocol):
    """Questions to vectors. `model` names the model and everything else that changes its vectors."""

    @property
    def model(self) -> str: ...

    def embed_query(self, text: str) -> Vector: ...


@runtime_checkable
class EmbedsTogether(Protocol):
    """An embedder that asks for several questions in one call."""

    def embed_queries(self, texts: Sequence[str]) -> None:
        """Get the vectors of these questions, for `embed_query` to give without another call."""
        ...


class Embedder(QueryEmbedder, Protocol):
    """Questions and passages to vectors of the same model."""

    @property
    def dimension(self) -> int: ...

    @property
    def max_batch(self) -> int:
        """The most texts that one call of `embed_documents` should get. It may become smaller, if a service turns out
        to take fewer."""
        ...

    @property
    def at_a_time(self) -> int:
        """How many calls of `embed_documents` a document makes at the same time. More would not make it faster."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Embed passages. Each text has a vector, in the right dimension, with finite numbers only.

        Raises TextRefused, naming the text, if it is the fault of one.
        """
        ...


def in_calls(texts: Sequence[Item], embedder: Embedder) -> list[Sequence[Item]]:
    """The texts, or what has them, in parts for one call each. What a call takes may change while the parts are
    sent."""
    most = embedder.max_batch
    return [texts[start : start + most] for start in range(0, len(texts), most)]


class DelegatingEmbedder:
    """Implements Embedder by another one. What keeps or gathers texts inherits from it, and changes how it embeds."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def max_batch(self) -> int:
        return self._embedder.max_batch

    @property
    def at_a_time(self) -> int:
        return self._embedder.at_a_time

    def embed_query(self, text: str) -> Vector:
        return self._embedder.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return self._embedder.embed_documents(texts)
