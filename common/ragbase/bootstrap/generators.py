"""Which generator the setting `generator` names."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase.bootstrap.local_models import LOCAL_MODELS
from ragbase.plugins import GENERATORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragbase.ports import ChatModel, Embedder, Generator
    from ragbase.settings import Config


def chat_model_of(config: Config, opened: ExitStack) -> ChatModel | None:
    """The language model that the setting `generator` names; None if it names none. What has to be closed at the end
    is added to `opened`. Raises ConfigurationError."""
    return None


def generator_of(config: Config, embedder: Callable[[], Embedder], opened: ExitStack) -> Generator:
    """The generator that the setting names. `embedder` gives that of the settings. What has to be closed at the end is
    added to `opened`.

    Raises ConfigurationError if a setting that the generator needs is missing.
    """
    if config.generator == "cohere":
        from ragbase.adapters.cohere.generator import CohereGenerator

        cohere = CohereGenerator(
            config.cohere_api_key.get_secret_value(), model=config.chat_model, url=config.cohere_url or None
        )
        opened.callback(cohere.close)
        return cohere
    if config.generator not in GENERATORS.ours:
        from ragbase.bootstrap.added import open_added

        added: Generator = open_added(GENERATORS, config.generator, config, opened)
        return added
    from ragbase.adapters.extractive.generator import ExtractiveGenerator

    # A model behind HTTP would be paid for every sentence, and one that only knows words adds nothing to them.
    return ExtractiveGenerator(config.language, embedder() if config.embedder in LOCAL_MODELS else None)
