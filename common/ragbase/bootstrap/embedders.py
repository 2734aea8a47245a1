"""Which embedder the setting `embedder` names, which one an index was made with, and how they keep to a rate."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase.bootstrap.local_models import LOCAL_MODELS, local_embedder
from ragbase.domain.errors import ConfigurationError
from ragbase.plugins import EMBEDDERS, package_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragbase.adapters.rate_limiter import RateLimiter
    from ragbase.domain.index import Index
    from ragbase.ports import Checkpoints, Clock, Embedder
    from ragbase.settings import Config

    RateLimiterOf = Callable[[Config], RateLimiter | None]
    """Gives the rate limiter of the embedder that these settings name."""


_OF_VERTEX = "vertex-"
"""How the names of its models begin (adapters/vertex/embedder.py): other services serve models of the same names."""


def embedder_of(config: Config, rate_limiter: RateLimiterOf, opened: ExitStack) -> Embedder:
    """The embedder that the setting names. What has to be closed at the end is added to `opened`.

    Raises ConfigurationError if a setting that the embedder needs is missing, and MissingExtra.
    """
    if config.embedder == "hashing":
        from ragbase.adapters.hashing.embedder import HashingEmbedder

        return HashingEmbedder()
    if config.embedder in LOCAL_MODELS:
        return local_embedder(config.embedder, config.model_folder)
    if config.embedder == "cohere":
        from ragbase.adapters.cohere.embedder import CohereEmbedder

        cohere = CohereEmbedder(
            config.cohere_api_key.get_secret_value(),
            model=config.embedding_model,
            dimension=config.embedding_dimension,
            url=config.cohere_url or None,
            batch_size=config.embedding_batch_size,
            rate_limiter=rate_limiter(config),
        )
        opened.callback(cohere.close)
        return cohere
    if config.embedder == "openai":
        from ragbase.adapters.openai.embedder import OpenAIEmbedder

        openai = OpenAIEmbedder(
            config.openai_url,
            config.openai_api_key.get_secret_value(),
            config.embedding_model,
            config.embedding_dimension,
            batch_size=config.embedding_batch_size,
            rate_limiter=rate_limiter(config),
        )
        opened.callback(openai.close)
        return openai
    if config.embedder == "vertex":
        from ragbase.adapters.vertex.connection import VertexConnection
        from ragbase.adapters.vertex.embedder import VertexEmbedder

        vertex = VertexEmbedder(
            VertexConnection(config.project, config.vertex_location, config.vertex_url),
            config.embedding_model,
            config.embedding_dimension,
            batch_size=config.embedding_batch_size,
            rate_limiter=rate_limiter(config),
        )
        opened.callback(vertex.close)
        return vertex
    return _added(config.embedder, config, opened)


def _added(name: str, config: Config, opened: ExitStack) -> Embedder:
    """The embedder of this name that another package adds. An index knows its embedder by the name of its model."""
    from ragbase.bootstrap.added import open_added

    embedder: Embedder = open_added(EMBEDDERS, name, config, opened)
    if not embedder.model.startswith(f"{name}-"):
        raise ConfigurationError(
            f"The embedder {name} of the package {package_of(EMBEDDERS.added()[name])} names its model "
            f"{embedder.model!r}, which has to begin with {name}-: an index finds its embedder by it. Ask for a "
            "version that does, or choose another embedder."
        )
    return embedder


def named_model_of(config: Config, rate_limiter: RateLimiterOf, opened: ExitStack) -> Embedder:
    """The same for a process that embeds nothing: it needs no key of a service."""
    if config.embedder not in ("cohere", "openai", "vertex"):
        return embedder_of(config, rate_limiter, opened)
    from ragbase.adapters.hosted_embedder import model_name
    from ragbase.adapters.named_model import NamedModel

    name = model_name(config.embedding_model, config.embedding_dimension)
    return NamedModel(f"{_OF_VERTEX}{name}" if config.embedder == "vertex" else name, config.embedding_dimension)


def rate_limiter_of(config: Config, checkpoints: Callable[[], Checkpoints], clock: Clock) -> RateLimiter | None:
    """The rate limiter of the embedder that the setting names; None if its service has no limit.

    Cohere limits embedding by "inputs / min", 2,000 for trial and production keys (docs.cohere.com/docs/rate-limits),
    whatever the model. It does not say whether the minute slides, so no 60 seconds hold more (domain/rate.py).

    Vertex AI limits gemini-embedding-001 to 5,000,000 tokens a minute for a project in a region, and 30,000 calls
    (docs.cloud.google.com/vertex-ai/generative-ai/docs/quotas): 10,000 texts have half of these tokens or fewer.
    """
    rates = {"cohere": config.cohere_rate, "openai": config.openai_rate, "vertex": config.vertex_rate}
    inputs = rates.get(config.embedder, 0)
    if not inputs:
        return None
    from ragbase.adapters.rate_limiter import RateLimiter
    from ragbase.domain.rate import ServiceRate

    return RateLimiter(config.embedder, ServiceRate(inputs, config.query_share), checkpoints, clock)


def prepare_local_model(embedder: Embedder) -> None:
    """Prepare the embedder's model, if it runs on this machine and is not there yet. Raises ConfigurationError."""
    from ragbase.adapters.local_model.embedder import LocalEmbedder

    if isinstance(embedder, LocalEmbedder):
        embedder.prepare()


def load_local_model(embedder: Embedder) -> None:
    """Prepare and load the embedder's model, if it runs on this machine.

    Raises ConfigurationError if that fails: no text can be embedded then.
    """
    from ragbase.adapters.local_model.embedder import LocalEmbedder

    if isinstance(embedder, LocalEmbedder):
        embedder.load()


def check_service(embedder: Embedder) -> None:
    """Raises ConfigurationError if the embedder's service has just said that a setting is wrong. Nothing is asked."""
    from ragbase.adapters.hosted_embedder import HostedEmbedder
    from ragbase.adapters.shared_batches import SharedBatches

    asked = embedder.embedder if isinstance(embedder, SharedBatches) else embedder
    if isinstance(asked, HostedEmbedder):
        asked.check()


def most_characters(embedder: Embedder) -> int | None:
    """The most characters in all texts of a call, if the embedder's service turned out to have such a limit."""
    from ragbase.adapters.hosted_embedder import HostedEmbedder

    return embedder.max_characters if isinstance(embedder, HostedEmbedder) else None


def embedder_for(index: Index, config: Config, rate_limiter: RateLimiterOf, opened: ExitStack) -> Embedder:
    """The embedder that the index was made with, whatever the setting `embedder` names: the name of its model says
    which one. Raises ConfigurationError if that one lacks a setting, or makes vectors of another dimension."""
    here = {"hashing": "hashing-", **LOCAL_MODELS}
    local = next((embedder for embedder, beginning in here.items() if index.model.startswith(beginning)), None)
    if local is not None:
        settings: dict[str, object] = {"embedder": local}
    elif index.model.startswith(_OF_VERTEX):
        name = index.model.removeprefix(_OF_VERTEX).removesuffix(f"-{index.dimension}")
        settings = {"embedder": "vertex", "embedding_model": name, "embedding_dimension": index.dimension}
    elif not index.model.startswith("embed-") and (added := _added_for(index)) is not None:
        settings = {"embedder": added}
    else:
        name = index.model.removesuffix(f"-{index.dimension}")
        vendor = "cohere" if name.startswith("embed-") else "openai"
        settings = {"embedder": vendor, "embedding_model": name, "embedding_dimension": index.dimension}
    try:
        embedder = embedder_of(config.model_copy(update=settings), rate_limiter, opened)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"The index was made with the model {index.model}. {error} Set it once more, and run `ragbase reindex` to "
            "make an index with the model that the settings name."
        ) from error
    if (embedder.model, embedder.dimension) != (index.model, index.dimension):
        raise ConfigurationError(
            f"The index was made with the model {index.model} of {index.dimension} dimensions, which this version does "
            f"not have: it has {embedder.model} of {embedder.dimension}. Run `ragbase reindex` to make a new one."
        )
    return embedder


def _added_for(index: Index) -> str | None:
    """The embedder of another package that the index was made with; None if it was none of these."""
    return max((name for name in EMBEDDERS.added() if index.model.startswith(f"{name}-")), key=len, default=None)
