"""An answer as it is written: the server-sent events of POST /api/answer (docs/http-api.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragbase.client.errors import ApiError, NoAnswer
from ragbase.client.exchange import Reply, request_id_of
from ragbase.client.named_events import named_events
from ragbase.client.typed_exchange import TypedExchange
from ragbase.messages.api.answer import (
    AnswerEnd,
    AnswerPart,
    AnswerResponse,
    AnswerSentenceBody,
    EvidenceFound,
    EvidencePassageBody,
)
from ragbase.messages.api.error import ErrorBody


def answer_parts(reply: Reply, pieces: Iterable[bytes], exchange: TypedExchange) -> Iterator[AnswerPart]:
    """The parts in the events of these pieces of a reply, each as soon as it is there. Raises ApiError for the event
    `error`, UnreadableAnswer, and NoAnswer if the events break off."""
    evidence: tuple[EvidencePassageBody, ...] = ()
    sentences: list[AnswerSentenceBody] = []
    for name, data in named_events(pieces):
        match name:
            case b"evidence":
                evidence = exchange.value(EvidenceFound, data).evidence
                yield evidence
            case b"sentence":
                sentences.append(exchange.value(AnswerSentenceBody, data))
                yield sentences[-1]
            case b"done":
                end = exchange.value(AnswerEnd, data)
                yield AnswerResponse(**dict(end), sentences=tuple(sentences), evidence=evidence)
                return
            case b"error":
                said = exchange.value(ErrorBody, data)
                raise ApiError(reply.status, said.error, said.message, request_id_of(reply))
    raise NoAnswer("The answer broke off before its end.")
