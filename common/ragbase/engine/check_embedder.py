"""No document before its embedder: whether texts can be embedded, before any document is taken."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.bootstrap.embedders import embedder_of, most_characters
from ragbase.domain.chunk_size import ChunkUnit
from ragbase.domain.errors import ConfigurationError, QuestionRefused, TransientError

if TYPE_CHECKING:
    from ragbase.ports import QueryEmbedder
    from ragbase.settings import Config

_READY = "ready"
_PROSE = "the tide turns at noon and all boats have to leave the harbour before that "


def check_embedder(embedder: QueryEmbedder) -> None:
    """Embed one word, for a process that runs the lanes.

    Raises ConfigurationError for a setting that is wrong, and MissingExtra. A service that is away is no reason to
    stop: documents wait for it. A service is asked once in ten minutes (adapters/query_vectors.py), and bills one or
    two tokens for it.
    """
    try:
        embedder.embed_query(_READY)
    except QuestionRefused as error:
        raise ConfigurationError(f"{error}. It refuses every text: correct the settings of the embedder.") from error
    except TransientError as error:
        telemetry.log("embedder.away", level=logging.WARNING, model=embedder.model, reason=str(error))


def try_embedder(config: Config) -> str:
    """What the embedder of the settings makes and takes, tried with a question, a full call, and a passage of the
    longest size.

    The calls are not booked in the service's rate: nothing is written. They are as many inputs as documents leave to
    queries in a minute. Raises what the embedder raises.
    """
    with ExitStack() as opened:
        embedder = embedder_of(config, lambda _: None, opened)
        dimensions = len(embedder.embed_query(_READY))
        full = embedder.max_batch
        embedder.embed_documents([f"{_READY} {number}" for number in range(full)])
        embedder.embed_documents([longest_passage(config)])
        found, characters = embedder.max_batch, most_characters(embedder)
    most = f"{found} texts a call"
    if found < full:
        most += f", not {full} (RAGBASE_EMBEDDING_BATCH_SIZE={found} saves each process some refused calls)"
    if characters is not None:
        most += f", of {characters:,} characters together"
    return f"{embedder.model}, {dimensions} dimensions; {most}; passages of {config.chunk_size:,} {config.chunk_unit}"


def longest_passage(config: Config) -> str:
    """Prose of the size of the settings; each of its words is about one token."""
    if config.chunk_unit is ChunkUnit.TOKENS:
        words = _PROSE.split() * config.chunk_size
        return " ".join(words[: config.chunk_size])
    return (_PROSE * config.chunk_size)[: config.chunk_size]
