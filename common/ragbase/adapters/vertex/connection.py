"""Calls of Vertex AI that answer with one JSON: where it is, who asks, and what its refusals mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbase.adapters.backoff import Unreachable
from ragbase.adapters.refusal import not_json, refusal
from ragbase.adapters.service_words import About
from ragbase.adapters.vertex.address import LOCATION_SETTING, URL_SETTING, vertex_address
from ragbase.adapters.vertex.identity import API, ROLE, GoogleIdentity
from ragbase.extras import check_installed

if TYPE_CHECKING:
    import httpx2

SERVICE = "Vertex AI"


def remedies_of(project: str, location: str) -> Mapping[About, str]:
    """What to do about a refusal (adapters/refusal.py), in a project and location."""
    return {
        About.KEY: f"Give the account that asks (of a function: its service account) the role {ROLE} in the project "
        f"{project}, and enable the API {API} there. A policy of your organisation may forbid it.",
        About.MODEL: f"Set {{model}} to a model that {location} has, or {LOCATION_SETTING} to a location that has the "
        "model.",
        About.ADDRESS: f"Check {LOCATION_SETTING} ({location}) and {URL_SETTING}.",
    }


class VertexConnection:
    """Vertex AI in one project and location. May be used by several threads at once. A token that it does not accept
    (401) is asked for once more."""

    def __init__(self, project: str, location: str, url: str = "", *, identity: GoogleIdentity | None = None) -> None:
        """`url` replaces the address of the location. Raises ConfigurationError, naming the setting, for a project,
        location or URL that cannot be one, and MissingExtra."""
        check_installed("httpx2")
        self._address = vertex_address(project, location, url)
        self._identity = identity or GoogleIdentity()
        self._remedies = remedies_of(project, location)
        self._connecting = Lock()
        self._connections = ExitStack()

    def url_of(self, model: str, method: str) -> str:
        """The address of a method of one of Google's models, such as `predict`."""
        return f"{self._address}/publishers/google/models/{model}:{method}"

    def asked(self, url: str, request: Any, *, timeout: float, model: str, sent: Sequence[str]) -> Any:
        """The JSON that answers a POST. `timeout` is in seconds, `model` names the setting of the model, and `sent` are
        the texts of the request.

        Raises Unreachable if there is no answer, Unavailable if there is no token or no JSON, and for an answer that is
        an error what `refusal` gives: its ConfigurationError names the role, the API or the setting.
        """
        headers = self._identity.headers(timeout)
        answer = self._post(url, request, timeout, headers)
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            headers = self._identity.headers(timeout, instead_of=headers)
            answer = self._post(url, request, timeout, headers)
        secrets = (headers["authorization"].removeprefix("Bearer "), *sent)
        if not answer.is_success:
            raise refusal(
                SERVICE,
                answer.status_code,
                answer.text,
                answer.headers,
                key="",
                model=model,
                sent=secrets,
                remedies=self._remedies,
            )
        try:
            return answer.json()
        except ValueError as error:
            raise not_json(SERVICE, answer.text, secrets) from error

    def close(self) -> None:
        """Close the connections. No thread may still be using them. May be called twice."""
        self._identity.close()
        self._connections.close()

    def _post(self, url: str, request: Any, timeout: float, headers: Mapping[str, str]) -> httpx2.Response:
        import httpx2

        with self._connecting:
            client = self._client
        try:
            return client.post(url, json=request, headers=headers, timeout=timeout)
        except httpx2.TimeoutException as error:
            raise Unreachable(f"{SERVICE} gave no answer within {timeout:g} seconds at {self._address}.") from error
        except httpx2.RequestError as error:
            raise Unreachable(
                f"{SERVICE} gave no answer at {self._address}: {str(error) or 'the connection broke off'}."
            ) from error

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        return self._connections.enter_context(httpx2.Client())
