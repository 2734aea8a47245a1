"""What every use of Cohere's own client has in common."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbase.adapters.backoff import Unreachable
from ragbase.adapters.refusal import not_json, refusal, refusal_in_success
from ragbase.adapters.service_settings import checked_key, checked_url
from ragbase.adapters.service_words import error_in
from ragbase.domain.errors import Unavailable
from ragbase.extras import check_installed

if TYPE_CHECKING:
    from cohere import ClientV2

URL = "https://api.cohere.com"
KEY_SETTING = "CO_API_KEY"
URL_SETTING = "CO_API_URL"


class CohereConnection:
    """Cohere's client for one key and one URL. May be used by several threads at once.

    The client is made with the first call, because its import takes half a second. Its own retries (2) and timeout
    (300 s) are left out: each call brings those of ours.
    """

    def __init__(self, api_key: str, url: str | None = None) -> None:
        """`url` is Cohere's own if None. Raises ConfigurationError, naming the setting, for a key or URL that cannot be
        one, and MissingExtra."""
        check_installed("cohere")
        self._api_key = checked_key(api_key, KEY_SETTING)
        self.url = checked_url(url or URL, URL_SETTING)
        self._connecting = Lock()
        self._connections = ExitStack()

    @contextmanager
    def call(self, *, model: str, sent: Sequence[str]) -> Iterator[ClientV2]:
        """The client, for one call. `model` names the setting of the model, and `sent` are the texts of the call.

        Raises Unreachable if there is no answer, the error of `refusal` (adapters/refusal.py) for an answer that is
        one, and Unavailable for one that the client cannot read.
        """
        import httpx
        from cohere.core.api_error import ApiError

        with self._connecting:
            client = self._client
        try:
            yield client
        except httpx.TimeoutException as error:
            raise Unreachable(f"Cohere gave no answer in time at {self.url}.") from error
        except httpx.RequestError as error:
            raise Unreachable(
                f"Cohere gave no answer at {self.url}: {str(error) or 'the connection broke off'}."
            ) from error
        except ApiError as error:
            body = error.body if isinstance(error.body, str) else json.dumps(error.body)
            status, secrets = error.status_code or 0, (self._api_key, *sent)
            if status == HTTPStatus.OK:
                raise not_json("Cohere", body, secrets) from error
            raise refusal(
                "Cohere", status, body, error.headers or {}, key=KEY_SETTING, model=model, sent=secrets
            ) from error
        except (TypeError, ValueError) as error:  # the client's, if the answer is not a JSON object
            raise Unavailable(f"Cohere's answer at {self.url} cannot be read.") from error

    def check(self, answer: Any, *, model: str, sent: Sequence[str]) -> None:
        """Raises the error of `refusal_in_success` if an answer of the client is an error with the status 200: gateways
        send such, and the client keeps what it does not know."""
        error = error_in(getattr(answer, "model_extra", None) or {})
        if error is not None:
            raise refusal_in_success("Cohere", error, key=KEY_SETTING, model=model, sent=(self._api_key, *sent))

    def close(self) -> None:
        """Close the connections. No thread may still be using the client. May be called twice."""
        self._connections.close()

    @cached_property
    def _client(self) -> ClientV2:
        from cohere import ClientV2

        client = ClientV2(self._api_key, base_url=self.url, max_retries=0, log_warning_experimental_features=False)
        self._connections.enter_context(client)
        return client
