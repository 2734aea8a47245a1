"""Which embedder the setting `embedder` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.config import Config

if TYPE_CHECKING:
    from ragbase.ports import Embedder


def embedder_of(config: Config) -> Embedder:
    """Raises ConfigurationError where a setting that the embedder needs is missing."""
    if config.embedder == "hashing":
        from ragbase.adapters.hashing import HashingEmbedder

        return HashingEmbedder()
    if config.embedder == "minilm":
        from ragbase.adapters.minilm import MiniLM

        return MiniLM(config.model_folder)
    if config.embedder == "cohere":
        from ragbase.adapters.cohere import CohereEmbedder

        return CohereEmbedder(
            config.cohere_api_key.get_secret_value(),
            model=config.embedding_model,
            dimension=config.embedding_dimension,
            url=config.cohere_url or None,
        )
    from ragbase.adapters.openai import OpenAIEmbedder

    return OpenAIEmbedder(
        config.openai_url,
        config.openai_api_key.get_secret_value(),
        config.embedding_model,
        config.embedding_dimension,
    )
