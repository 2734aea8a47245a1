"""Which generator the setting `generator` names, and which language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase.bootstrap.local_models import LOCAL_MODELS
from ragbase.domain.errors import ConfigurationError
from ragbase.plugins import GENERATORS
from ragbase.settings import variable_of

if TYPE_CHECKING:
    from ragbase.ports import ChatModel, Embedder, Generator
    from ragbase.settings import Config


def chat_model_of(config: Config, opened: ExitStack) -> ChatModel | None:
    """The language model that the setting `generator` names; None if it names none. What has to be closed at the end
    is added to `opened`.

    Raises ConfigurationError if a setting that the model needs is missing, and MissingExtra.
    """
    if config.generator not in _MAKERS:
        return None
    if not config.chat_model:
        raise ConfigurationError(
            f"generator = {config.generator} needs a model. Set {variable_of('chat_model')} to one of its service."
        )
    return _MAKERS[config.generator](config, opened)


def _openai(config: Config, opened: ExitStack) -> ChatModel:
    from ragbase.adapters.openai.chat_model import OWN_SETTINGS, SETTINGS, OpenAIChatModel

    own = bool(config.chat_url)
    openai = OpenAIChatModel(
        config.chat_url if own else config.openai_url,
        (config.chat_api_key if own else config.openai_api_key).get_secret_value(),
        config.chat_model,
        timeout=config.chat_timeout,
        settings=OWN_SETTINGS if own else SETTINGS,
    )
    opened.callback(openai.close)
    return openai


def _anthropic(config: Config, opened: ExitStack) -> ChatModel:
    from ragbase.adapters.anthropic.chat_model import AnthropicChatModel

    anthropic = AnthropicChatModel(
        config.anthropic_api_key.get_secret_value(),
        config.chat_model,
        timeout=config.chat_timeout,
        url=config.anthropic_url,
    )
    opened.callback(anthropic.close)
    return anthropic


def _vertex(config: Config, opened: ExitStack) -> ChatModel:
    from ragbase.adapters.vertex.chat_model import VertexChatModel
    from ragbase.adapters.vertex.identity import GoogleIdentity

    identity = GoogleIdentity()
    opened.callback(identity.close)
    vertex = VertexChatModel(
        config.project,
        config.vertex_location,
        config.chat_model,
        headers=identity.headers,
        timeout=config.chat_timeout,
        url=config.vertex_url,
    )
    opened.callback(vertex.close)
    return vertex


def _cohere(config: Config, opened: ExitStack) -> ChatModel:
    from ragbase.adapters.cohere.chat_model import CohereChatModel

    cohere = CohereChatModel(
        config.cohere_api_key.get_secret_value(), model=config.chat_model, url=config.cohere_url or None
    )
    opened.callback(cohere.close)
    return cohere


_MAKERS: Mapping[str, Callable[[Config, ExitStack], ChatModel]] = {
    "cohere": _cohere,
    "openai": _openai,
    "anthropic": _anthropic,
    "vertex": _vertex,
}
"""Makes the language model of each generator that has one."""


def generator_of(
    config: Config, embedder: Callable[[], Embedder], chat_model: Callable[[], ChatModel | None], opened: ExitStack
) -> Generator:
    """The generator that the setting names. `embedder` and `chat_model` give those of the settings. What has to be
    closed at the end is added to `opened`.

    Raises ConfigurationError if a setting that the generator needs is missing.
    """
    if config.generator == "cohere":
        from ragbase.adapters.cohere.generator import CohereGenerator

        cohere = CohereGenerator(
            config.cohere_api_key.get_secret_value(),
            model=config.chat_model,
            url=config.cohere_url or None,
            most_tokens=config.answer_tokens,
        )
        opened.callback(cohere.close)
        return cohere
    if config.generator in _MAKERS and (written := chat_model()) is not None:
        from ragbase.adapters.chat.generator import ChatGenerator

        return ChatGenerator(written, most_tokens=config.answer_tokens)
    if config.generator not in GENERATORS.ours:
        from ragbase.bootstrap.added import open_added

        added: Generator = open_added(GENERATORS, config.generator, config, opened)
        return added
    from ragbase.adapters.extractive.generator import ExtractiveGenerator

    # A model behind HTTP would be paid for every sentence, and one that only knows words adds nothing to them.
    return ExtractiveGenerator(config.language, embedder() if config.embedder in LOCAL_MODELS else None)
