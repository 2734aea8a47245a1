"""The identity of this process on Google Cloud, as a token for a request."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from ragbase.adapters.backoff import Unreachable
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.extras import check_installed

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

_SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
_REMEDY = (
    "A function has an identity by itself. On another machine, run `gcloud auth application-default login`, or set "
    "GOOGLE_APPLICATION_CREDENTIALS to the file of a service account."
)


class GoogleIdentity:
    """Application Default Credentials (https://cloud.google.com/docs/authentication/application-default-credentials).
    They are looked for at the first use. A token holds for an hour, and is fetched again before it is over. May be used
    by several threads at once."""

    def __init__(self) -> None:
        """Raises MissingExtra."""
        check_installed("google.auth")
        self._refreshing = Lock()

    def token(self) -> str:
        """A bearer token. Raises ConfigurationError if this process has no identity, Unreachable if Google does not
        answer, and Unavailable if it gives none."""
        from google.auth import exceptions
        from google.auth.transport.requests import Request

        try:
            with self._refreshing:
                if not self._credentials.valid:
                    self._credentials.refresh(Request())  # type: ignore[no-untyped-call]
                token = self._credentials.token
        except exceptions.DefaultCredentialsError as error:
            raise ConfigurationError(f"This process has no identity on Google Cloud. {_REMEDY}") from error
        except exceptions.TransportError as error:
            raise Unreachable("Google gave no token: it did not answer.") from error
        except exceptions.RefreshError as error:
            if error.retryable:
                raise Unavailable("Google gave no token now.") from error
            raise ConfigurationError(f"Google gives this identity no token: {_first(error)}. {_REMEDY}") from error
        except exceptions.GoogleAuthError as error:
            raise ConfigurationError(
                f"The identity on Google Cloud cannot be used: {_first(error)}. {_REMEDY}"
            ) from error
        return str(token)

    @cached_property
    def _credentials(self) -> Credentials:
        from google.auth import default

        found: tuple[Credentials, str | None] = default(scopes=_SCOPES)
        return found[0]


def _first(error: Exception) -> str:
    """What it says, without the answers of servers behind it."""
    return str(error.args[0] if error.args else error).rstrip(". ")[:300]
