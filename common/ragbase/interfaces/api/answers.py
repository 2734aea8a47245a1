"""POST /api/answer: a question in; an answer out, whole or as a stream of events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from ragbase import telemetry
from ragbase.domain.errors import QuestionRefused, TransientError
from ragbase.engine.answer import answer
from ragbase.interfaces.api.asked import asked_question, question_refused, refusing
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.errors import internal_error_body
from ragbase.interfaces.http.event_stream import EVENT_STREAM, Event, event_stream
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.wire.error import ErrorBody

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.answer import GeneratedAnswer
    from ragbase.retrieval.answer import AnswerPart

    Warnings = Callable[[GeneratedAnswer], tuple[str, ...] | None]

_JSON = "application/json"


def answers(profile: Profile) -> Blueprint:
    blueprint = Blueprint("answers", __name__)

    @route(blueprint, operation("answer"))
    def answer_() -> Response:
        from ragbase.interfaces.wire.answer import answer_response
        from ragbase.retrieval.answer import whole

        asked = asked_question()
        with refusing():
            parts = answer(
                asked.text,
                profile,
                top_k=asked.top_k,
                threshold=asked.threshold,
                within=asked.within,
                tenant=asked.tenant,
            )

        def warnings(answered: GeneratedAnswer) -> tuple[str, ...] | None:
            if answered.evidence or answered.near_miss is not None:
                return None
            from ragbase.interfaces.wire.nothing_to_search import nothing_to_search

            return nothing_to_search(asked.within, profile.documents, asked.tenant)

        if request.accept_mimetypes.best_match([_JSON, EVENT_STREAM]) == EVENT_STREAM:
            first = next(parts)  # here an error can still be answered as one
            return event_stream(_events(first, parts, warnings))
        answered = whole(parts)
        response = json_answer(answer_response(answered, warnings(answered)))
        response.vary.add("Accept")
        return response

    return blueprint


def _events(first: AnswerPart, others: Iterator[AnswerPart], warnings: Warnings) -> Iterator[Event]:
    """An event for each part. An error is the last one."""
    try:
        yield _event(first, warnings)
        for part in others:
            yield _event(part, warnings)
    except TransientError as error:
        telemetry.log("api.unavailable", level=logging.WARNING, reason=str(error))
        yield Event("error", ErrorBody(error="UNAVAILABLE", message=f"{error} Try again in a moment."))
    except QuestionRefused as error:
        yield Event("error", question_refused(error))
    except Exception as error:  # noqa: BLE001 - the status is sent already; the stream says that it failed
        yield Event("error", internal_error_body("api.failed", error))


def _event(part: AnswerPart, warnings: Warnings) -> Event:
    from ragbase.domain.answer import AnswerSentence, GeneratedAnswer
    from ragbase.interfaces.wire.answer import end_of, evidence_found, sentence_body

    if isinstance(part, AnswerSentence):
        return Event("sentence", sentence_body(part))
    if isinstance(part, GeneratedAnswer):
        return Event("done", end_of(part, warnings(part)))
    return Event("evidence", evidence_found(part))
