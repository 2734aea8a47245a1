"""What every use of Cohere's own client has in common."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase.adapters.backoff import Unreachable
from ragbase.adapters.hosted_embedder import refusal
from ragbase.domain.errors import RagbaseError

if TYPE_CHECKING:
    import httpx
    from cohere import ClientV2
    from cohere.core.api_error import ApiError

URL = "https://api.cohere.com"
KEY_SETTING = "CO_API_KEY"
URL_SETTING = "CO_API_URL"


def cohere_client(api_key: str, url: str, connections: ExitStack) -> ClientV2:
    """A client whose connections are closed with `connections`. Its import takes half a second.

    Its own retries (2) and timeout (300 s) are left out: each call brings those of ours.
    """
    from cohere import ClientV2

    client = ClientV2(api_key, base_url=url, max_retries=0, log_warning_experimental_features=False)
    connections.enter_context(client)
    return client


def no_answer(error: httpx.RequestError, url: str) -> Unreachable:
    return Unreachable(f"Cohere gave no answer ({type(error).__name__}: {error}) at {url}.")


def refused(error: ApiError, *, model: str) -> RagbaseError:
    """The error for an answer that is one. `model` names the setting of the model."""
    reason = error.body.get("message", "") if isinstance(error.body, dict) else error.body
    return refusal("Cohere", error.status_code or 0, str(reason), error.headers or {}, key=KEY_SETTING, model=model)
