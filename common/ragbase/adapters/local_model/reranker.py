"""A cross-encoder on this machine as a reranker."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from ragbase.adapters.local_model.cross_encoder import TooSlow
from ragbase.adapters.local_model.turns import turns_of_process
from ragbase.domain.errors import TransientError, Unavailable
from ragbase.domain.limits import MAX_RERANKED
from ragbase.ports import Reranked, seconds_left

if TYPE_CHECKING:
    from ragbase.adapters.local_model.cross_encoder import CrossEncoder

MOST_READ = 30
"""Texts of one question. Those after keep their order behind them: each more costs time, and seldom is the answer."""
_BATCH = 8
"""Pairs of one run. A longer batch is not quicker on a processor, and holds more in memory."""


class LocalReranker:
    """Implements the Reranker port with a cross-encoder. Any thread may ask; one question is read at a time, with all
    processors, and texts of documents wait for it. It reads the first MOST_READ texts.

    It gives up when the time is over: before each batch it looks at the clock, and a batch ends in the middle.
    """

    def __init__(self, name: str, model: CrossEncoder, *, timeout: float) -> None:
        """`timeout` is in seconds, for one question."""
        self._name = name
        self._model = model
        self._timeout = timeout
        self._one_at_a_time = Lock()

    @property
    def model(self) -> str:
        return self._name

    def rerank(self, question: str, texts: Sequence[str]) -> Reranked:
        if len(texts) > MAX_RERANKED:
            raise ValueError(f"One call takes at most {MAX_RERANKED} texts, not {len(texts)}.")
        if not texts:
            return Reranked([])
        end = time.monotonic() + min(self._timeout, seconds_left())
        if not self._one_at_a_time.acquire(timeout=max(0.0, end - time.monotonic())):
            raise self._too_late("it is reading for other questions")
        try:
            with turns_of_process().question():
                logits = self._logits(question, texts[:MOST_READ], end)
        finally:
            self._one_at_a_time.release()
        return Reranked([_sigmoid(logit) for logit in logits])

    def _logits(self, question: str, texts: Sequence[str], end: float) -> list[float]:
        """One for each text, in their order. Texts of like length are read together, so that little is padded."""
        pairs = self._model.pairs(question, texts)
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
        found: dict[int, float] = {}
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            left = end - time.monotonic()
            if left <= 0:
                raise self._too_late(f"{len(found)} of {len(order)} passages are read")
            try:
                logits = self._model.logits([pairs[place] for place in batch], left)
            except TooSlow as error:
                raise self._too_late(f"{len(found)} of {len(order)} passages are read") from error
            except Exception as error:  # onnxruntime's have no common class
                raise TransientError(f"The model {self._name} could not read the passages: {error}") from error
            found.update(zip(batch, map(float, logits), strict=True))
        return [found[place] for place in range(len(pairs))]

    def _too_late(self, state: str) -> Unavailable:
        return Unavailable(
            f"The model {self._name} did not end within {self._timeout:g} seconds: {state}. The setting rerank_timeout "
            "(RAGBASE_RERANK_TIMEOUT) gives it more time; a smaller model needs less."
        )


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, logit))))
