"""An answer as it is written: the server-sent events of POST /api/answer (docs/http-api.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragbase.client.errors import ApiError, NoAnswer
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

_OK = 200


def answer_parts(pieces: Iterable[bytes], exchange: TypedExchange) -> Iterator[AnswerPart]:
    """The parts in the events of these pieces, each as soon as it is there. Raises ApiError for the event `error`,
    UnreadableAnswer, and NoAnswer if the events break off."""
    evidence: tuple[EvidencePassageBody, ...] = ()
    sentences: list[AnswerSentenceBody] = []
    for name, data in _events(pieces):
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
                raise ApiError(_OK, said.error, said.message)
    raise NoAnswer("The answer broke off before its end.")


def _events(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Name and data of each event. An empty line ends it, and its data is one line, as the server sends it."""
    rest = b""
    for piece in pieces:
        *events, rest = (rest + piece).split(b"\n\n")
        for event in events:
            fields = dict(line.split(b": ", 1) for line in event.split(b"\n") if b": " in line)
            yield fields.get(b"event", b""), fields.get(b"data", b"")
