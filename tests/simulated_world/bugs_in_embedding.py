"""Bugs in what becomes of the calls of the embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragbase.pipeline import make_chunks as make_module
from ragbase.pipeline.make_chunks import Made, Maker
from tests.simulated_world.bugs_in_work import with_vectors
from tests.simulated_world.planted_bug import Patch, bug


@bug("embeddings-not-reused", "a retry or an edit pays for every text again")
def _embeddings_not_reused() -> Sequence[Patch]:
    right = Maker.make

    def make(self: Maker, *arguments: Any, **named: Any) -> Made:
        return right(with_vectors(self, embeddings=lambda document_id: {}), *arguments, **named)

    return [(Maker, "make", make)]


@bug("answers-mixed-up", "the answer of a call of the embedder is taken for that of another one")
def _answers_mixed_up() -> Sequence[Patch]:
    right = Maker.make

    def make(self: Maker, *arguments: Any, **named: Any) -> Made:
        mixed = replace(self, call_concurrently=lambda calls: list(reversed(self.call_concurrently(calls))))
        return right(mixed, *arguments, **named)

    return [(Maker, "make", make)]


@bug(
    "failed-call-left-out",
    "a document is completed without the texts of a call of the embedder that has failed",
    found_by=6,
)
def _failed_call_left_out() -> Sequence[Patch]:
    right = Maker._embed

    def embed(self: Maker, *arguments: Any) -> Any:
        usage, _ = right(self, *arguments)
        return usage, []

    return [(Maker, "_embed", embed), (make_module, "_prove", lambda *_, **__: None)]


@bug(
    "last-failure-decides",
    "an attempt counts although a service was away, as another call has failed after that",
    found_by=7594,
)
def _last_failure_decides() -> Sequence[Patch]:
    return [(make_module, "_gravest", lambda failures: failures[-1])]
