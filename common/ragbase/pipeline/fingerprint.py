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


def reader_name(format: str, config: ProcessingConfig, extractor: Extractor) -> str:
    """Of everything that decides the text of a page (domain/reading.py)."""
    return f"{format}|{extractor.version(format, config)}"


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
    read_by = f"{format}|{given_by}" if given_by else reader_name(format, config, extractor)
    return f"{read_by}|{made_by}"
