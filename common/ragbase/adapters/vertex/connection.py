"""What every use of Vertex AI has in common: where it is, who asks, and what its refusals mean.

There is no key. A function asks as its own service account, a person with `gcloud auth application-default login`:
Google calls both Application Default Credentials (https://cloud.google.com/docs/authentication/application-default-credentials).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbase.adapters.backoff import Unreachable
from ragbase.adapters.refusal import not_json, refusal
from ragbase.adapters.service_settings import checked_url
from ragbase.adapters.service_words import About
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.extras import check_installed

if TYPE_CHECKING:
    import httpx2
    from google.auth.credentials import Credentials

SERVICE = "Vertex AI"
API = "aiplatform.googleapis.com"
ROLE = "roles/aiplatform.user"
PROJECT_SETTING = "GOOGLE_CLOUD_PROJECT"
LOCATION_SETTING = "RAGBASE_VERTEX_LOCATION"
URL_SETTING = "RAGBASE_VERTEX_URL"

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_SEVERAL_REGIONS = ("us", "eu")
_LOCATION = re.compile("[a-z]+(-[a-z]+[0-9]+)?")
_REFRESH = 10.0
"""Seconds that one request for a token may take, of a file's or a person's credentials. Those of a function have 3."""


def address_of(location: str) -> str:
    """Where Vertex AI answers for a location: a region, several of them (`us`, `eu`), or `global`, as Google's own
    client has it (https://github.com/googleapis/python-genai/blob/main/google/genai/_api_client.py)."""
    if location == "global":
        return f"https://{API}"
    if location in _SEVERAL_REGIONS:
        return f"https://aiplatform.{location}.rep.googleapis.com"
    return f"https://{location}-{API}"


class VertexConnection:
    """Vertex AI in one project and location. May be used by several threads at once.

    The credentials are looked for with the first call. A token is asked for when there is none, when it expires within
    some four minutes, and once more if Vertex AI does not accept it (401).
    """

    def __init__(
        self, project: str, location: str, url: str = "", *, credentials: Callable[[], Credentials] | None = None
    ) -> None:
        """`url` replaces the address of the location: that of an endpoint in your own network, or of a proxy.
        `credentials` gives those of this process; by default google-auth looks for them. Raises ConfigurationError,
        naming the setting, for a project, location or URL that cannot be one, and MissingExtra."""
        check_installed("httpx2")
        check_installed("google.auth")
        if not project:
            raise ConfigurationError(f"{PROJECT_SETTING} names no project. Set it to the one that pays for Vertex AI.")
        if not _LOCATION.fullmatch(location):
            raise ConfigurationError(
                f"{LOCATION_SETTING} = {location!r} is no location of Vertex AI. Set it to a region near your data, "
                "such as europe-west4, or to us, eu or global."
            )
        self.project = project
        self.location = location
        self.url = checked_url(url, URL_SETTING) if url else address_of(location)
        self._find_credentials = credentials or _default_credentials
        self._asking = ThreadPoolExecutor(1, "vertex-token")
        self._has_asked = False
        self._connecting = Lock()
        self._connections = ExitStack()

    def url_of(self, model: str, method: str) -> str:
        """The address of a method of one of Google's models, such as `predict` or `streamGenerateContent`."""
        return (
            f"{self.url}/v1/projects/{self.project}/locations/{self.location}/publishers/google/models/{model}:{method}"
        )

    def asked(self, url: str, request: Any, *, timeout: float, model: str, sent: Sequence[str]) -> Any:
        """The JSON that answers a POST. `timeout` is in seconds, `model` names the setting of the model, and `sent` are
        the texts of the request. Raises Unavailable for an answer that is not JSON, and what `opened` does."""
        with self.opened(url, request, timeout=timeout, model=model, sent=sent) as answer:
            text = self._read(answer, timeout)
            try:
                return answer.json()
            except ValueError as error:
                raise not_json(SERVICE, text, sent) from error

    @contextmanager
    def opened(
        self, url: str, request: Any, *, timeout: float, model: str, sent: Sequence[str]
    ) -> Iterator[httpx2.Response]:
        """The answer to a POST, of which nothing but the head is read yet.

        Raises Unavailable if there is no answer or no token, and for an answer that is an error what `refusal` gives
        (adapters/refusal.py): its ConfigurationError names the role, the API or the setting.
        """
        import httpx2

        with ExitStack() as open_answer:
            try:
                headers = self._headers(timeout)
                answer = open_answer.enter_context(self._post(url, request, timeout, headers))
                if answer.status_code == HTTPStatus.UNAUTHORIZED:
                    headers = self._headers(timeout, instead_of=headers)
                    answer = open_answer.enter_context(self._post(url, request, timeout, headers))
            except httpx2.TimeoutException as error:
                raise Unreachable(f"{SERVICE} gave no answer within {timeout:g} seconds at {self.url}.") from error
            except httpx2.RequestError as error:
                raise Unreachable(
                    f"{SERVICE} gave no answer at {self.url}: {str(error) or 'the connection broke off'}."
                ) from error
            if not answer.is_success:
                raise refusal(
                    SERVICE,
                    answer.status_code,
                    self._read(answer, timeout),
                    answer.headers,
                    key="",
                    model=model,
                    sent=sent,
                    remedies=self._remedies,
                )
            yield answer

    def close(self) -> None:
        """Close the connections. No thread may still be using them. May be called twice."""
        self._asking.shutdown(wait=False)
        self._connections.close()

    @cached_property
    def _remedies(self) -> Mapping[About, str]:
        return {
            About.KEY: f"Give the account that asks (of a function: its service account) the role {ROLE} in the "
            f"project {self.project}, and enable the API {API} there. A policy of your organisation may forbid it.",
            About.MODEL: f"Set {{model}} to a model that {self.location} has, or {LOCATION_SETTING} to a location that "
            "has the model.",
            About.ADDRESS: f"Check {LOCATION_SETTING} ({self.location}) and {URL_SETTING}.",
        }

    def _post(self, url: str, request: Any, timeout: float, headers: Mapping[str, str]) -> Any:
        with self._connecting:
            client = self._client
        return client.stream("POST", url, json=request, headers=headers, timeout=timeout)

    def _read(self, answer: httpx2.Response, timeout: float) -> str:
        import httpx2

        try:
            answer.read()
        except httpx2.TimeoutException as error:
            raise Unreachable(f"{SERVICE} gave half an answer within {timeout:g} seconds at {self.url}.") from error
        except httpx2.RequestError as error:
            raise Unreachable(f"{SERVICE} gave half an answer at {self.url}: {error}.") from error
        return answer.text

    def _headers(self, timeout: float, *, instead_of: Mapping[str, str] | None = None) -> dict[str, str]:
        """Those that say who asks. Not those of `instead_of` again, which Vertex AI does not accept."""
        refused = None if instead_of is None else instead_of["authorization"].removeprefix("Bearer ")
        if refused is not None or not self._has_token:
            self._await_token(timeout, refused)
        headers: dict[str, str] = {}
        self._credentials.apply(headers)  # type: ignore[no-untyped-call]  # google-auth types only some of its methods
        return headers

    def _await_token(self, timeout: float, refused: str | None) -> None:
        """Have a token that is not the refused one. Raises ConfigurationError if this process has no credentials, or
        Google does not accept them, and Unreachable if no token comes in time: google-auth itself asks a metadata
        server five times, which takes longer than a person waits."""
        from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError, RefreshError, TransportError

        try:
            self._asking.submit(self._refresh, refused).result(timeout)
        except FutureTimeout as error:
            raise Unreachable(f"Google gave no token for {SERVICE} within {timeout:g} seconds.") from error
        except DefaultCredentialsError as error:
            raise ConfigurationError(
                f"{SERVICE} needs credentials of Google Cloud, and this process has none ({error}). Run "
                "`gcloud auth application-default login`, or run it as a service account."
            ) from error
        except GoogleAuthError as error:
            away = error.retryable or isinstance(error, TransportError) or isinstance(error.__cause__, TransportError)
            if away or not isinstance(error, RefreshError):
                raise Unavailable(f"Google gave no token for {SERVICE}: {error}.") from error
            raise ConfigurationError(
                f"Google gave no token for {SERVICE}: {error}. Run `gcloud auth application-default login` again, or "
                "check the service account of this process."
            ) from error

    def _refresh(self, refused: str | None) -> None:
        """Runs in one thread alone, so that many callers ask for one token."""
        from google.auth.transport.requests import Request

        if not self._has_token or self._credentials.token == refused:
            request = partial(Request(), timeout=_REFRESH)
            self._credentials.refresh(request)  # type: ignore[no-untyped-call]  # as above
            self._has_asked = True

    @property
    def _has_token(self) -> bool:
        """Whether there is one that does not expire within some four minutes."""
        return self._has_asked and bool(self._credentials.valid)

    @cached_property
    def _credentials(self) -> Credentials:
        return self._find_credentials()

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        return self._connections.enter_context(httpx2.Client())


def _default_credentials() -> Credentials:
    import google.auth

    credentials: Credentials = google.auth.default(scopes=[_SCOPE])[0]
    return credentials
