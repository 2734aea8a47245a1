"""Whether passages can be reranked, and how long that takes."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase.bootstrap.rerankers import reranker_of
from ragbase.domain.limits import MAX_RERANKED
from ragbase.engine.check_embedder import longest_passage

if TYPE_CHECKING:
    from ragbase.settings import Config


def try_reranker(config: Config) -> str:
    """What the reranker of the settings is, and its time for as many passages of the longest size as it reads at most.
    A service gets one passage: it may bill each.

    Raises what it raises: Unavailable if that takes longer than the setting `rerank_timeout`.
    """
    with ExitStack() as opened:
        reranker = reranker_of(config, opened)
        if reranker is None:
            return "none"
        most = MAX_RERANKED if config.reranker == "local" else 1
        began = time.monotonic()
        read = reranker.rerank("ready?", [longest_passage(config)] * most).scores
        seconds = time.monotonic() - began
    passages = "1 passage" if len(read) == 1 else f"{len(read)} passages"
    return f"{reranker.model}; {passages} of {config.chunk_size:,} {config.chunk_unit} in {seconds:.2f} s"
