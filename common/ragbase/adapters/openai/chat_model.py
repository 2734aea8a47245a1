"""Chat models behind an API like OpenAI's: OpenAI, Azure, vLLM, Ollama, llama.cpp, LM Studio, OpenRouter …"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ragbase.adapters.chat.completions import ChatCompletions
from ragbase.adapters.chat.service import ServiceSettings
from ragbase.adapters.service_settings import checked_key, checked_url

if TYPE_CHECKING:
    from ragbase.adapters.backoff import Sleep

SETTINGS = ServiceSettings(key="OPENAI_API_KEY", url="OPENAI_BASE_URL")
OWN_SETTINGS = ServiceSettings(key="RAGBASE_CHAT_API_KEY", url="RAGBASE_CHAT_URL")
"""Of an endpoint that only writes answers."""


class OpenAIChatModel(ChatCompletions):
    """Implements the ChatModel port with POST `url`/chat/completions."""

    def __init__(
        self,
        url: str,
        api_key: str,
        model: str,
        *,
        timeout: float,
        settings: ServiceSettings = SETTINGS,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`url` ends where `/chat/completions` begins, such as https://api.openai.com/v1. `timeout` is in seconds.
        `settings` names the settings that these come from. Raises ConfigurationError, naming the setting, for a key or
        URL that cannot be one, and MissingExtra."""
        checked = checked_url(url, settings.url)
        key = checked_key(api_key, settings.key)
        headers = {"Authorization": f"Bearer {key}"}
        super().__init__(checked, checked, model, settings, headers=lambda: headers, timeout=timeout, sleep=sleep)
