"""A file's text, cut into passages: all that is done with it before anything is paid for or written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.chunk import embedding_text
from ragbase.domain.limits import MAX_NOISE_RATIO
from ragbase.formats.quality import check_text
from ragbase.pipeline.fingerprint import file_fingerprint
from ragbase.text import terms

if TYPE_CHECKING:
    from ragbase.domain.chunk import Passage, Vectors
    from ragbase.domain.extraction import Extraction
    from ragbase.domain.job import ProcessingConfig
    from ragbase.ports import Chunker, Embedder, Extractor


@dataclass(frozen=True, slots=True)
class CutText:
    """A text, and the passages that it is cut into.

    `terms` has what the index holds of each passage, and `vectors`, of shape (passages, dimension), its embedding.
    Without them, they are made when the passage is written: a large text has no room for all of them at once.
    """

    extraction: Extraction
    passages: Sequence[Passage]
    terms: Sequence[str] = ()
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileToCut:
    """A file, the format that it is to have, and the index for whose chunks it is read. `fingerprint` names everything
    that decides those."""

    data: bytes
    format: str
    config: ProcessingConfig
    language: str
    model: str
    fingerprint: str


CutInTextProcess = Callable[[FileToCut], CutText | None]
"""Reads and cuts a file outside of this process; None if this process has to do it."""


def checked(extraction: Extraction, config: ProcessingConfig) -> Extraction:
    """The same extraction. Raises PermanentError if it has no text, or none that is worth indexing."""
    check_text(extraction.markdown, config.min_text_length, MAX_NOISE_RATIO, has_pages=bool(extraction.pages))
    return extraction


@dataclass(frozen=True, slots=True)
class Cutter:
    """Reads files, cuts them, and embeds what it has cut."""

    extractor: Extractor
    chunker: Chunker
    embedder: Embedder

    def cut(self, file: FileToCut) -> CutText | None:
        """The text of a file with all its terms, and with its vectors if the embedder is the one of the index. None if
        the file has another format, or if other chunks would come out than the fingerprint names: this cutter is of
        another version.

        Raises as `Extractor.detect`, `Extractor.extract` and `checked`.
        """
        extractor, chunker, embedder = self.extractor, self.chunker.sized(file.config.chunk_size), self.embedder
        model, language = file.model, file.language
        made_by = file_fingerprint(
            file.format, file.config, extractor=extractor, chunker=chunker, model=model, language=language
        )
        if made_by != file.fingerprint or extractor.detect(file.data, file.format) != file.format:
            return None
        extraction = checked(extractor.extract(file.data, file.format, file.config), file.config)
        passages = chunker.split(extraction)
        texts = [embedding_text(passage) for passage in passages]
        vectors = None
        if texts and embedder.model == model:
            import numpy as np

            vectors = np.stack(embedder.embed_documents(texts).vectors)
        return CutText(extraction, passages, [terms.index_terms(text, language) for text in texts], vectors)
