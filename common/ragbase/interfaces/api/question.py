"""What the questions of the HTTP API have in common: who asks, in which documents, and what cannot be searched."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from ragbase import telemetry
from ragbase.domain.errors import NotSplit, QuestionRefused, TenantNeeded
from ragbase.domain.question import Question
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.wire.query import QueryRequest
from ragbase.messages.api.error import ErrorBody


def asked_question(body: type[QueryRequest] = QueryRequest) -> Question:
    """The question in the body of the current request. Raises Refused (400, 415)."""
    return json_body(body, example='{"query": "how are backups made?"}').question()


_OF_ONE_TENANT = "Send it as `pathPrefix` in `filter`, or use a key of one tenant."


@contextmanager
def refusing(of_one_tenant: str = _OF_ONE_TENANT) -> Iterator[None]:
    """Raises Refused where a search says that it cannot search all tenants, or one apart. `of_one_tenant` says how to
    ask one."""
    try:
        yield
    except TenantNeeded as error:
        raise Refused(400, "TENANT_NEEDED", f"{error} {of_one_tenant}") from None
    except NotSplit:
        raise Refused(
            503,
            "UNAVAILABLE",
            "The index does not keep tenants apart yet. The operator of the server has to run `ragbase reindex`.",
            {"Retry-After": "60"},
        ) from None


def question_refused(error: QuestionRefused) -> ErrorBody:
    telemetry.log("api.question_refused", level=logging.WARNING, reason=str(error))
    return ErrorBody(
        error="QUESTION_REFUSED", message=f"{error} The model does not take this question. Ask it in other words."
    )
