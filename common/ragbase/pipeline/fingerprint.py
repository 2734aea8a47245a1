"""Names for everything that decides the chunks and vectors of a text: with an equal one, nothing is made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.domain.job import ProcessingConfig
    from ragbase.ports import Chunker, Extractor


def index_fingerprint(chunker: Chunker, model: str, language: str) -> str:
    """Of any text in an index of this model and language. Raises ConfigurationError for an unknown language."""
    from ragbase.text import named_terms, terms  # with a stemmer, which a list of documents does not wait for

    terms.index_terms("", language)
    return f"{chunker.fingerprint}|{model}|{terms.VERSION}-{language}|{named_terms.VERSION}"


def reader_name(format: str, config: ProcessingConfig, extractor: Extractor) -> str:
    """Of everything that decides the text of a page (domain/reading.py)."""
    return f"{format}|{extractor.version(format, config)}"


def is_read_otherwise(record: Document, extractor: Extractor, chunker: Chunker) -> bool:
    """Whether a lane would read the file that search shows, or cut its text, in another way today. A quick look: unlike
    `Maker.is_outdated`, it needs no index, and says nothing of terms. A given text is no lane's."""
    shown = record.active
    if shown is None or shown.given is not None or not record.shows(record.wanted) or record.format is None:
        return False
    read_by = reader_name(record.format, record.config, extractor)
    cut_by = chunker.sized(record.config.chunk_size).fingerprint
    return not shown.fingerprint.startswith(f"{read_by}|{cut_by}|")


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
