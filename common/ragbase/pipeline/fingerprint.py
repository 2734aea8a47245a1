"""Names for everything that decides the chunks and vectors of a text: with an equal one, nothing is made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.text import named_terms, terms

if TYPE_CHECKING:
    from ragbase.domain.job import ProcessingConfig
    from ragbase.ports import Chunker, Extractor


def index_fingerprint(chunker: Chunker, model: str, language: str) -> str:
    """Of any text in an index of this model and language. Raises ConfigurationError for an unknown language."""
    terms.index_terms("", language)
    return f"{chunker.fingerprint}|{model}|{terms.VERSION}-{language}|{named_terms.VERSION}"


def file_fingerprint(
    format: str,
    config: ProcessingConfig,
    *,
    extractor: Extractor,
    chunker: Chunker,
    model: str,
    language: str,
    given_by: str = "",
) -> str:
    """Of a file of this format; or, with `given_by`, of the text that was given for it, which that names."""
    made_by = index_fingerprint(chunker.sized(config.chunk_size), model, language)
    return f"{format}|{given_by or extractor.version(format, config)}|{made_by}"
