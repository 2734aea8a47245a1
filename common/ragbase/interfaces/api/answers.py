"""POST /api/answer: a question in; an answer out, whole or as a stream of events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from ragbase.domain.errors import QuestionRefused, TransientError
from ragbase.interfaces.api.callers_documents import callers_knowledge
from ragbase.interfaces.api.question import asked_question, question_refused, refusing
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.errors import internal_error_body, unavailable
from ragbase.interfaces.http.event_stream import EVENT_STREAM, Event, event_stream
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.messages.api.answer import AnswerPart

_JSON = "application/json"


def answers(profile: Profile) -> Blueprint:
    blueprint = Blueprint("answers", __name__)

    @route(blueprint, operation("answer"))
    def answer_() -> Response:
        from ragbase.messages.api.answer import whole

        asked = asked_question()
        with refusing():
            parts = callers_knowledge(profile).answer(asked)
        if request.accept_mimetypes.best_match([_JSON, EVENT_STREAM]) == EVENT_STREAM:
            first = next(parts)  # here an error can still be answered as one
            return event_stream(_events(first, parts))
        response = json_answer(whole(parts))
        response.vary.add("Accept")
        return response

    return blueprint


def _events(first: AnswerPart, others: Iterator[AnswerPart]) -> Iterator[Event]:
    """An event for each part. An error is the last one."""
    try:
        yield _event(first)
        for part in others:
            yield _event(part)
    except TransientError as error:
        yield Event("error", unavailable(error))
    except QuestionRefused as error:
        yield Event("error", question_refused(error))
    except Exception as error:  # noqa: BLE001 - the status is sent already; the stream says that it failed
        yield Event("error", internal_error_body("api.failed", error))


def _event(part: AnswerPart) -> Event:
    """The last event leaves out what the others had."""
    from ragbase.messages.api.answer import AnswerEnd, AnswerResponse, AnswerSentenceBody, EvidenceFound

    if isinstance(part, AnswerSentenceBody):
        return Event("sentence", part)
    if isinstance(part, AnswerResponse):
        return Event("done", AnswerEnd(**{name: getattr(part, name) for name in AnswerEnd.model_fields}))
    return Event("evidence", EvidenceFound(evidence=part))
