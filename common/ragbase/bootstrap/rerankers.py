"""Which reranker the setting `reranker` names."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase.plugins import RERANKERS

if TYPE_CHECKING:
    from ragbase.ports import Reranker
    from ragbase.settings import Config


def reranker_of(config: Config, opened: ExitStack) -> Reranker | None:
    """The reranker that the setting names; None without one. What has to be closed at the end is added to `opened`.

    Raises ConfigurationError if a setting that the reranker needs is missing, or its model cannot be had or run:
    a model on this machine is prepared and loaded here.
    """
    if config.reranker == "none":
        return None
    if config.reranker not in RERANKERS.ours:
        from ragbase.bootstrap.added import open_added

        added: Reranker = open_added(RERANKERS, config.reranker, config, opened)
        return added
    if config.reranker == "local":
        from ragbase.bootstrap.local_models import local_reranker

        return local_reranker(config.reranker_folder, config.model_folder, timeout=config.rerank_timeout)
    if config.reranker == "jina":
        from ragbase.adapters.jina.reranker import JinaReranker

        jina = JinaReranker(
            config.reranker_api_key.get_secret_value(),
            model=config.rerank_model,
            timeout=config.rerank_timeout,
            url=config.reranker_url,
        )
        opened.callback(jina.close)
        return jina
    from ragbase.adapters.cohere.reranker import CohereReranker

    cohere = CohereReranker(
        config.cohere_api_key.get_secret_value(),
        model=config.rerank_model,
        timeout=config.rerank_timeout,
        url=config.cohere_url or None,
    )
    opened.callback(cohere.close)
    return cohere
