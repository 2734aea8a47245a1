"""The HTTP API's answers, on the application that the function and `ragbase serve` share."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.domain.condition import Condition
from ragbase.domain.errors import TransientError
from ragbase.domain.search_filter import SearchFilter
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.operation import SMALL
from ragbase.retrieval.search_result import SearchResults


class Asked(EmbeddedProfile):
    """A profile that notes what is searched for in it, and fails if it is given an error."""

    asked: tuple[str, int, float] | None = None
    within: SearchFilter | None = None
    error: Exception | None = None

    def search(
        self, query: str, *, top_k: int, threshold: float, within: SearchFilter | None, **_: object
    ) -> SearchResults:
        self.asked = (query, top_k, threshold)
        self.within = within
        if self.error:
            raise self.error
        return SearchResults()


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    profile = Asked(load_config(home=tmp_path, environment={}, top_k=7, similarity_threshold=0.25))
    monkeypatch.setattr("ragbase.retrieval.search.search", profile.search)
    return profile


@pytest.fixture
def client(profile: Asked) -> FlaskClient:
    return create_app(profile).test_client()


def refusal(response: Any, status: int, code: str) -> str:
    """Check that the answer is this error, and give its message."""
    assert response.status_code == status
    assert response.mimetype == "application/json"
    assert response.json.keys() == {"error", "message"}
    assert response.json["error"] == code
    return str(response.json["message"])


def test_a_query_is_asked_as_it_came(client: FlaskClient, profile: Asked) -> None:
    response = client.post("/api/query", json={"query": " how? ", "topK": 3})
    assert (response.status_code, (response.json or {})["results"]) == (200, [])
    assert profile.asked == ("how?", 3, 0.25)


def test_without_top_k_the_setting_holds(client: FlaskClient, profile: Asked) -> None:
    client.post("/api/query", json={"query": "how?"})
    assert profile.asked == ("how?", 7, 0.25)


def test_a_filter_is_asked_as_it_came(client: FlaskClient, profile: Asked) -> None:
    given = {
        "documentIds": ["one", "two"],
        "pathPrefix": "guides/2024",
        "formats": ["md"],
        "tags": [" ops "],
        "title": "Backups",
        "urlPrefix": "https://example.com/docs",
        "dateFrom": "2024-01-31",
        "dateTo": "2024-02-01",
        "where": [
            {"key": "author", "equals": "Ann"},
            {"key": "draft", "equals": True},
            {"key": "weight", "atLeast": 1, "atMost": 2.5},
            {"key": "updated", "atLeast": "2024-01-31"},
        ],
    }
    assert client.post("/api/query", json={"query": "how?", "filter": given}).status_code == 200
    assert profile.within == SearchFilter(
        document_ids=frozenset({"one", "two"}),
        path_prefixes=frozenset({"guides/2024"}),
        formats=frozenset({"md"}),
        tags=frozenset({"ops"}),
        title="Backups",
        url_prefix="https://example.com/docs",
        date_from=date(2024, 1, 31),
        date_to=date(2024, 2, 1),
        where=(
            Condition(key="author", equals="Ann"),
            Condition(key="draft", equals=True),
            Condition(key="weight", at_least=1, at_most=2.5),
            Condition(key="updated", at_least=date(2024, 1, 31)),
        ),
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"path": "guides"}, "filter.path"),
        ({"documentIds": []}, "filter.documentIds"),
        ({"documentIds": [str(i) for i in range(101)]}, "filter.documentIds"),
        ({"documentIds": "one"}, "filter.documentIds"),
        ({"pathPrefix": ""}, "filter.pathPrefix"),
        ({"pathPrefix": "/guides"}, "filter.pathPrefix"),
        ({"formats": ["hologram"]}, "filter.formats"),
        ({"formats": []}, "filter.formats"),
        ({"tags": ["  "]}, "filter.tags"),
        ({"title": " "}, "filter.title"),
        ({"dateFrom": "yesterday"}, "filter.dateFrom"),
        ({"dateFrom": 20240101}, "filter.dateFrom"),
        ("guides", "filter"),
        ({"where": {"author": "Ann"}}, "filter.where"),
        ({"where": []}, "filter.where"),
        ({"where": [{"key": "k", "equals": 1}] * 21}, "filter.where"),
        ({"where": [{"equals": "Ann"}]}, "filter.where.0.key"),
        ({"where": [{"key": "k" * 61, "equals": 1}]}, "filter.where.0.key"),
        ({"where": [{"key": "k", "equals": "x" * 201}]}, "filter.where.0.equals"),
        ({"where": [{"key": "k", "equals": ["Ann"]}]}, "filter.where.0.equals"),
        ({"where": [{"key": "k", "equals": 10**400}]}, "filter.where.0"),
        ({"where": [{"key": "k", "is": 1}]}, "filter.where.0.is"),
        ({"where": [{"key": "k"}]}, "filter.where.0`: it needs either what the key equals, or the ends of a range"),
        ({"where": [{"key": "k", "atLeast": "soon"}]}, "an end of a range is a number, or a day such as 2024-01-31"),
        ({"where": [{"key": "k", "atLeast": 1, "atMost": "2024-01-31"}]}, "both ends of a range are numbers, or"),
    ],
)
def test_a_filter_that_is_not_understood_is_refused(
    client: FlaskClient, profile: Asked, given: object, named: str
) -> None:
    message = refusal(client.post("/api/query", json={"query": "q", "filter": given}), 400, "INVALID_REQUEST")
    assert named in message
    assert "documentIds, pathPrefix, formats" in message
    assert profile.asked is None


@pytest.mark.parametrize(
    ("body", "named", "remedy"),
    [
        ({}, "query", "1 to 1000 characters"),
        ({"query": ""}, "query", "1 to 1000 characters"),
        ({"query": "q", "topK": 0}, "topK", "from 1 to 100"),
        ({"query": "q", "topK": "many"}, "topK", "from 1 to 100"),
        ([], "object", '{"query"'),
    ],
)
def test_bad_input_names_the_field_and_the_remedy(client: FlaskClient, body: object, named: str, remedy: str) -> None:
    message = refusal(client.post("/api/query", json=body), 400, "INVALID_REQUEST")
    assert named in message
    assert remedy in message


def test_each_wrong_field_is_named(client: FlaskClient) -> None:
    message = refusal(client.post("/api/query", json={"query": "", "topK": 0}), 400, "INVALID_REQUEST")
    assert "`query`" in message
    assert "`topK`" in message


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 10_000])
def test_a_body_that_is_not_json_is_refused(client: FlaskClient, data: bytes) -> None:
    response = client.post("/api/query", data=data, content_type="application/json")
    assert "JSON" in refusal(response, 400, "INVALID_REQUEST")


def test_a_body_that_is_not_declared_as_json_is_refused(client: FlaskClient) -> None:
    response = client.post("/api/query", data="query=how", content_type="application/x-www-form-urlencoded")
    assert "application/json" in refusal(response, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_body_over_the_limit_is_refused(client: FlaskClient) -> None:
    response = client.post("/api/explain", data=b" " * (SMALL + 1), content_type="application/json")
    refusal(response, 413, "REQUEST_ENTITY_TOO_LARGE")


def test_another_method_is_refused(client: FlaskClient) -> None:
    response = client.get("/api/query")
    refusal(response, 405, "METHOD_NOT_ALLOWED")
    assert "POST" in response.headers["Allow"]


@pytest.mark.parametrize("path", ["/other", "/api", "/static/a", "/api/query/"])
def test_another_path_is_not_found(client: FlaskClient, path: str) -> None:
    refusal(client.post(path, json={"query": "q"}), 404, "NOT_FOUND")


def test_a_passing_fault_asks_to_try_again(client: FlaskClient, profile: Asked) -> None:
    profile.error = TransientError("The embedder does not answer.")
    message = refusal(client.post("/api/query", json={"query": "q"}), 503, "UNAVAILABLE")
    assert message.startswith("The embedder does not answer.")


def test_a_fault_of_ours_is_logged_and_not_shown(
    client: FlaskClient, profile: Asked, caplog: pytest.LogCaptureFixture
) -> None:
    profile.error = RuntimeError("the secret of the house")
    message = refusal(client.post("/api/query", json={"query": "q"}), 500, "INTERNAL_ERROR")
    assert "secret" not in message
    assert "the secret of the house" in caplog.text
