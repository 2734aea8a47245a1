"""Golden questions: those of a deployment, each with the document that should answer it. `ragbase eval` and the gate of
a reindex ask them.

Those of a tenant are one checkpoint, so a tenant that keeps many takes no room from others; another checkpoint lists
the tenants. A question has the id of its document and not its name, which an erased document must not leave behind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase.domain.errors import BadDataset, TooManyQuestions
from ragbase.domain.limits import MAX_GOLDEN_QUESTIONS
from ragbase.evaluation.question import Expected, JudgedQuestion

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

_TENANTS = "golden-questions"
_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuestion:
    """`id` follows from the question and the document: keeping them again changes nothing."""

    id: str
    question: str
    document_id: str
    kept_at: datetime


class GoldenQuestions:
    """Any thread and process may use it. Nothing is opened before the first use."""

    def __init__(self, checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        self._checkpoints = checkpoints
        self._clock = clock

    def keep(self, question: str, document_id: str, tenant: str) -> tuple[GoldenQuestion, bool]:
        """Keep a question about a document of this tenant. Returns it, and whether it is new. Raises TooManyQuestions
        if the tenant has MAX_GOLDEN_QUESTIONS already."""
        now = self._clock.now().replace(microsecond=0)
        mine = GoldenQuestion(id=_id(question, document_id), question=question, document_id=document_id, kept_at=now)
        before: dict[str, GoldenQuestion] = {}

        def change(kept: str | None) -> str | None:
            nonlocal before
            before = _read(kept)
            if mine.id in before:
                return kept
            if len(before) >= MAX_GOLDEN_QUESTIONS:
                raise TooManyQuestions(
                    f"There are {MAX_GOLDEN_QUESTIONS} golden questions already, which is the most. Remove one first."
                )
            return _text([*before.values(), mine])

        # Listed first: a question that is kept is always found.
        self._checkpoints().update(_TENANTS, lambda known: _names({*_listed(known), tenant}))
        self._checkpoints().update(_place(tenant), change)
        return before.get(mine.id, mine), mine.id not in before

    def of(self, tenant: str) -> Sequence[GoldenQuestion]:
        """Those about documents of this tenant, oldest first."""
        return [*_read(self._checkpoints().load(_place(tenant))).values()]

    def all(self) -> Sequence[GoldenQuestion]:
        """Those of all tenants."""
        return [one for tenant in _listed(self._checkpoints().load(_TENANTS)) for one in self.of(tenant)]

    def remove(self, id: str, tenant: str | None) -> None:
        """Forget a question of this tenant, or with None of any."""
        for one in [tenant] if tenant is not None else _listed(self._checkpoints().load(_TENANTS)):
            self._checkpoints().update(_place(one), lambda kept: _without(kept, id))


def judged(questions: Iterable[tuple[str, str]]) -> list[JudgedQuestion]:
    """As an evaluation asks them: each question once, with the ids of all its documents. Raises BadDataset without
    any."""
    answers: dict[str, list[Expected]] = {}
    for text, document_id in questions:
        answers.setdefault(text, []).append(Expected(document_id=document_id))
    if not answers:
        raise BadDataset(
            "There are no golden questions whose documents are there. Keep some in the console or with POST "
            "/api/golden-questions, or name a CSV file."
        )
    return [
        JudgedQuestion(id=str(number), text=text, expected=tuple(expected))
        for number, (text, expected) in enumerate(answers.items(), start=1)
    ]


def _id(text: str, document_id: str) -> str:
    return hashlib.sha256(f"{document_id}\0{text}".encode()).hexdigest()[:_DIGITS]


def _place(tenant: str) -> str:
    """A tenant's name may have characters that the name of a checkpoint can't."""
    return f"{_TENANTS}-{hashlib.sha256(tenant.encode()).hexdigest()[:_DIGITS]}"


@cache
def _questions() -> TypeAdapter[list[GoldenQuestion]]:
    return TypeAdapter(list[GoldenQuestion])


@cache
def _tenants() -> TypeAdapter[list[str]]:
    return TypeAdapter(list[str])


def _read(kept: str | None) -> dict[str, GoldenQuestion]:
    return {one.id: one for one in (_questions().validate_json(kept) if kept is not None else ())}


def _text(questions: Iterable[GoldenQuestion]) -> str:
    return _questions().dump_json(list(questions)).decode()


def _without(kept: str | None, id: str) -> str | None:
    questions = _read(kept)
    return _text(one for one in questions.values() if one.id != id) if id in questions else kept


def _listed(known: str | None) -> list[str]:
    return _tenants().validate_json(known) if known is not None else []


def _names(tenants: Iterable[str]) -> str:
    return _tenants().dump_json(sorted(tenants)).decode()
