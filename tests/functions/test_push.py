"""The answer that Pub/Sub gets to a delivery decides whether it comes again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from ragbase.domain.errors import Busy, MalformedMessage, TransientError
from ragbase.interfaces.push.delivery import answer_push
from tests.functions.recorded import push


def raising(error: Exception) -> Callable[[Request], None]:
    def handle(_: Request) -> None:
        raise error

    return handle


def delivered(published: str | None = None) -> Request:
    body = push(b"").body
    if published is not None:
        body["message"]["publishTime"] = published
    return Request(EnvironBuilder(method="POST", json=body).get_environ())


def test_work_that_is_done_is_acknowledged() -> None:
    done: list[int] = []
    response = answer_push(delivered(), lambda _: done.append(1))
    assert (response.status_code, response.data, done) == (204, b"", [1])


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (MalformedMessage("no size"), 400, "MALFORMED_MESSAGE"),
        (TransientError("no answer"), 503, "UNAVAILABLE"),
        (Busy("in work"), 503, "UNAVAILABLE"),
    ],
)
def test_a_refusal_says_why(error: Exception, status: int, code: str) -> None:
    response = answer_push(delivered(), raising(error))
    assert (response.status_code, response.json) == (status, {"error": code, "message": str(error)})


def test_a_fault_of_ours_is_delivered_again_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    response = answer_push(delivered(), raising(RuntimeError("the secret of the house")))
    assert response.status_code == 500
    assert b"secret" not in response.data
    assert "the secret of the house" in caplog.text


def test_work_that_is_done_says_how_long_its_message_took(caplog: pytest.LogCaptureFixture) -> None:
    long_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat().replace("+00:00", "Z")
    with caplog.at_level(logging.INFO, "ragbase"):
        answer_push(delivered(long_ago), lambda _: None)
    (fields,) = (vars(record)["fields"] for record in caplog.records if vars(record)["action"] == "push.done")
    assert 3600 <= fields["seconds"] < 4000


@pytest.mark.parametrize("published", [None, "", "yesterday", "2026-11-21T23:10:03"])
def test_a_message_without_a_time_says_nothing_of_it(published: str | None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "ragbase"):
        assert answer_push(delivered(published), lambda _: None).status_code == 204
    assert not caplog.records
