"""What the log entries of a deployment count, and which of them alone are an alert."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from ragbase.interfaces.push.delivery import answer_push
from ragbase.telemetry import JsonFormatter
from tests.functions.recorded import push
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ROOT, Environment, environment, of_type
from tests.terraform.log_filter import matches

pytestmark = pytest.mark.slow

PROD = looks_at(Job(environment, ("prod",), seconds=8))
Entry = Mapping[str, Any]


def of_function(service: str, payload: Mapping[str, Any]) -> Entry:
    resource = {"type": "cloud_run_revision", "labels": {"service_name": service}}
    return {"resource": resource, "jsonPayload": payload, "severity": payload.get("severity", "INFO")}


def of_request(url: str, status: int, seconds: float, service: str = "ragbase-api") -> Entry:
    """What Cloud Run writes of a request (https://cloud.google.com/run/docs/logging)."""
    resource = {"type": "cloud_run_revision", "labels": {"service_name": service}}
    request = {"requestUrl": f"https://ragbase-api-abc.a.run.app{url}", "status": status, "latency": f"{seconds}s"}
    return {"resource": resource, "log_id": "run.googleapis.com/requests", "httpRequest": request}


def counted_by(resources: Sequence[Any], entry: Entry) -> set[str]:
    metrics = of_type(resources, "google_logging_metric")
    return {one["name"].removeprefix("ragbase/") for one in metrics if matches(one["filter"], entry)}


def delivered(age: timedelta, caplog: pytest.LogCaptureFixture, *, fails: bool = False) -> list[Mapping[str, Any]]:
    """What a function logs of a message that Pub/Sub took so long ago."""
    body = push(b"").body
    body["message"]["publishTime"] = (datetime.now(UTC) - age).isoformat().replace("+00:00", "Z")
    request = Request(EnvironBuilder(method="POST", json=body).get_environ())
    caplog.clear()
    with caplog.at_level(logging.INFO, "ragbase"):
        answer_push(request, lambda _: 1 // 0 if fails else None)
    return [json.loads(JsonFormatter().format(record)) for record in caplog.records]


@PROD
@pytest.mark.parametrize(
    ("service", "age", "metrics"),
    [
        ("ragbase-router", timedelta(minutes=1), {"delivered"}),
        ("ragbase-router", timedelta(minutes=6), {"delivered", "delivered_late"}),
        ("ragbase-fast-lane", timedelta(minutes=6), {"delivered"}),
        ("ragbase-fast-lane", timedelta(minutes=16), {"delivered", "delivered_late"}),
        ("ragbase-heavy-lane", timedelta(minutes=16), {"delivered"}),
        ("ragbase-heavy-lane", timedelta(minutes=61), {"delivered", "delivered_late"}),
        ("another-router", timedelta(minutes=61), set()),
    ],
)
def test_a_message_that_is_done_is_counted_and_one_that_is_late_twice(
    service: str, age: timedelta, metrics: set[str], result: Environment, caplog: pytest.LogCaptureFixture
) -> None:
    (payload,) = delivered(age, caplog)
    assert counted_by(result.resources, of_function(service, payload)) == metrics


@PROD
def test_a_message_that_comes_again_is_not_done(result: Environment, caplog: pytest.LogCaptureFixture) -> None:
    for payload in delivered(timedelta(minutes=1), caplog, fails=True):
        assert counted_by(result.resources, of_function("ragbase-router", payload)) == set()


@PROD
@pytest.mark.parametrize(
    ("entry", "metrics"),
    [
        (of_request("/api/query", 200, 0.4), {"asked", "searched"}),
        (of_request("/api/query?x=1", 200, 3.2), {"asked", "searched", "searched_slowly"}),
        (of_request("/api/query", 503, 3.2), {"asked", "asked_failed"}),
        (of_request("/api/query", 400, 0.1), {"asked", "searched"}),
        (of_request("/api/answer", 200, 30), {"asked"}),
        (of_request("/api/answer", 500, 1), {"asked", "asked_failed"}),
        (of_request("/ready", 503, 9), set()),
        (of_request("/api/documents?next=/api/query", 500, 9), set()),
        (of_request("/api/query", 500, 9, service="another-api"), set()),
    ],
)
def test_questions_are_counted_and_what_else_is_asked_is_not(
    entry: Entry, metrics: set[str], result: Environment
) -> None:
    assert counted_by(result.resources, entry) == metrics


SCHEDULED = {"type": "cloud_scheduler_job", "labels": {"job_id": "ragbase-janitor"}}
EVENTS: Mapping[str, Sequence[tuple[Entry, bool]]] = {
    "sources failed": [
        (of_function("ragbase-sources", {"action": "source.failed"}), True),
        (of_function("ragbase-sources", {"action": "source.done"}), False),
        (of_function("another-sources", {"action": "source.failed"}), False),
    ],
    "janitor findings": [
        (of_function("ragbase-janitor", {"action": "janitor.findings", "left": 0, "findings": 3}), False),
        (of_function("ragbase-janitor", {"action": "janitor.findings", "left": 1, "findings": 1}), True),
        (of_function("ragbase-janitor", {"action": "janitor.findings", "left": 0, "findings": 40}), True),
    ],
    "scheduled call fails": [
        ({"resource": SCHEDULED, "severity": "ERROR"}, True),
        ({"resource": SCHEDULED, "severity": "INFO"}, False),
        ({"resource": {"type": "cloud_scheduler_job", "labels": {"job_id": "other"}}, "severity": "ERROR"}, False),
    ],
}


@PROD
def test_an_event_is_told_each_time_it_happens(result: Environment) -> None:
    """A condition on the log sends a notification for each entry that matches, also while an incident is open, but one
    in each period at most (https://cloud.google.com/monitoring/alerts/log-based-incidents)."""
    policies = of_type(result.resources, "google_monitoring_alert_policy")
    found = {
        one["conditions"][0]["display_name"]: one for one in policies if one["conditions"][0]["condition_matched_log"]
    }
    assert found.keys() == EVENTS.keys()
    for name, policy in found.items():
        filter = policy["conditions"][0]["condition_matched_log"][0]["filter"]
        assert [matches(filter, entry) for entry, _ in EVENTS[name]] == [told for _, told in EVENTS[name]], name
        (limit,) = policy["alert_strategy"][0]["notification_rate_limit"]
        assert 300 <= int(limit["period"].removesuffix("s")) <= 6 * 3600


def test_each_action_that_is_counted_is_logged_somewhere() -> None:
    filters = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "terraform").glob("*.tf"))
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "common" / "ragbase").rglob("*.py"))
    actions = set(re.findall(r"jsonPayload\.action=\(?((?:\\\"[a-z_.]+\\\"(?: OR )?)+)", filters))
    names = {name for group in actions for name in re.findall(r"[a-z_.]{4,}", group)}
    assert len(names) >= 7
    for name in names:
        assert f'"{name}"' in code, name
