"""The identity of this process on Google Cloud, as headers of a request.

There is no key. A function asks as its own service account, a person with `gcloud auth application-default login`:
Google calls both Application Default Credentials (https://cloud.google.com/docs/authentication/application-default-credentials).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ragbase.adapters.backoff import Unreachable
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.extras import check_installed
from ragbase.ports import seconds_left

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

ROLE = "roles/aiplatform.user"
API = "aiplatform.googleapis.com"

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_WAIT = 15.0
"""Seconds that a token is waited for where the caller does not say."""
_REFRESH = 10.0
"""Seconds that one request for a token may take, of a file's or a person's credentials. Those of a function have 3."""
_REMEDY = (
    "A function has an identity by itself. On another machine, run `gcloud auth application-default login`, or set "
    "GOOGLE_APPLICATION_CREDENTIALS to the file of a service account."
)


class GoogleIdentity:
    """They are looked for at the first use. A token holds for an hour, and is fetched again when it expires within some
    four minutes. May be used by several threads at once, which share one token."""

    def __init__(self, credentials: Callable[[], Credentials] | None = None) -> None:
        """`credentials` gives those of this process; by default google-auth looks for them. Raises MissingExtra."""
        check_installed("google.auth")
        self._find = credentials or _default_credentials
        self._asking = ThreadPoolExecutor(1, "google-token")
        self._has_asked = False

    def headers(self, timeout: float = _WAIT, *, instead_of: Mapping[str, str] | None = None) -> dict[str, str]:
        """Those that say who asks, and which project pays, if the credentials name one. They are not those of
        `instead_of` again, which a service does not accept.

        Raises ConfigurationError if this process has no identity, or Google does not accept it, and Unavailable if no
        token comes within `timeout` seconds, or those that the work has left: google-auth itself asks a metadata server
        five times, for longer than a person waits.
        """
        refused = None if instead_of is None else instead_of["authorization"].removeprefix("Bearer ")
        if refused is not None or not self._has_token:
            self._await_token(max(0.0, min(timeout, seconds_left())), refused)
        headers: dict[str, str] = {}
        self._credentials.apply(headers)  # type: ignore[no-untyped-call]  # google-auth types only some of its methods
        return headers

    def close(self) -> None:
        """A token that is being fetched is not waited for. May be called twice."""
        self._asking.shutdown(wait=False)

    def _await_token(self, timeout: float, refused: str | None) -> None:
        from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError, TransportError

        try:
            self._asking.submit(self._refresh, refused).result(timeout)
        except FutureTimeout as error:
            raise Unreachable(f"Google gave no token within {timeout:g} seconds.") from error
        except DefaultCredentialsError as error:
            raise ConfigurationError(f"This process has no identity on Google Cloud. {_REMEDY}") from error
        except GoogleAuthError as error:
            if error.retryable or any(isinstance(one, TransportError) for one in (error, error.__cause__)):
                raise Unavailable(f"Google gave no token: {_first(error)}.") from error
            raise ConfigurationError(f"Google gives this identity no token: {_first(error)}. {_REMEDY}") from error

    def _refresh(self, refused: str | None) -> None:
        """Runs in one thread alone, so that many callers ask for one token."""
        from google.auth.transport.requests import Request

        if not self._has_token or self._credentials.token == refused:
            request = partial(Request(), timeout=_REFRESH)
            self._credentials.refresh(request)  # type: ignore[no-untyped-call]  # as above
            self._has_asked = True

    @property
    def _has_token(self) -> bool:
        return self._has_asked and bool(self._credentials.valid)

    @cached_property
    def _credentials(self) -> Credentials:
        return self._find()


def _default_credentials() -> Credentials:
    import google.auth

    credentials: Credentials = google.auth.default(scopes=[_SCOPE])[0]
    return credentials


def _first(error: Exception) -> str:
    """What it says, without the answers of servers behind it."""
    return str(error.args[0] if error.args else error).rstrip(". ")[:300]
