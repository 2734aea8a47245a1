"""Chat models of Vertex AI, through its API like OpenAI's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ragbase.adapters.chat.completions import ChatCompletions
from ragbase.adapters.chat.service import ServiceSettings
from ragbase.adapters.vertex.address import URL_SETTING, vertex_address
from ragbase.adapters.vertex.connection import SERVICE, remedies_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragbase.adapters.backoff import Sleep

_PUBLISHER = "google/"


class VertexChatModel(ChatCompletions):
    """Implements the ChatModel port with POST …/endpoints/openapi/chat/completions
    (https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.endpoints.chat/completions).

    A model is asked not to think: what it thinks is billed, and counts towards the tokens of its answer. A model that
    cannot leave that is asked to think little.
    """

    def __init__(
        self,
        project: str,
        location: str,
        model: str,
        *,
        headers: Callable[[], Mapping[str, str]],
        timeout: float,
        url: str = "",
        sleep: Sleep = time.sleep,
    ) -> None:
        """`model` is one of Google, or publisher/model. `headers` are those of an identity (identity.py). `url`
        is Vertex AI's own if empty. Raises ConfigurationError, naming the setting, and MissingExtra."""
        address = vertex_address(project, location, url)
        super().__init__(
            SERVICE,
            f"{address}/endpoints/openapi",
            model if "/" in model else f"{_PUBLISHER}{model}",
            ServiceSettings(
                key="GOOGLE_APPLICATION_CREDENTIALS", url=URL_SETTING, remedies=remedies_of(project, location)
            ),
            headers=headers,
            timeout=timeout,
            effort="none",
            sleep=sleep,
        )
