"""The message on a lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.limits import MAX_FILE_SIZE, MIN_TEXT_LENGTH
from ragbase.domain.ocr import DEFAULT_OCR_LANGUAGES, OcrMode, ocr_languages


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessingConfig:
    """What the uploader asked for in the object's metadata (docs/contracts/documents.md, sections 2 and 9).

    `ocr_mode` says which pages of a PDF are read as pictures: those whose text layer does not say what stands on them,
    all, or none. `ocr_languages` are the languages that may stand there, by their names in ISO 639-1 or in Tesseract.
    `min_text_length` counts characters after extraction: 50 in the bucket pipeline; a library call takes any text.
    `chunk_size` is None for the chunks of the settings.
    """

    ocr_mode: OcrMode = OcrMode.AUTO
    ocr_languages: tuple[str, ...] = DEFAULT_OCR_LANGUAGES
    min_text_length: int = MIN_TEXT_LENGTH
    chunk_size: ChunkSize | None = None

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, str], default: ProcessingConfig) -> ProcessingConfig:
        """Read an object's metadata. What it does not ask for is as in `default`. Raises PermanentError for a value
        that is not allowed."""
        try:
            languages = metadata.get(OCR_LANGUAGES_KEY)
            chunk_size = metadata.get(CHUNK_SIZE_KEY)
            return cls(
                ocr_mode=OcrMode(metadata.get(OCR_MODE_KEY, default.ocr_mode)),
                ocr_languages=default.ocr_languages if languages is None else ocr_languages(languages),
                min_text_length=_number(metadata.get(MIN_TEXT_LENGTH_KEY, str(default.min_text_length))),
                chunk_size=None if chunk_size is None else ChunkSize.read(chunk_size),
            )
        except ValueError as error:
            raise PermanentError(
                ErrorCode.UNSUPPORTED_FORMAT,
                f"The object's metadata is wrong: {error}. Upload it again: {OCR_MODE_KEY} is one of "
                f"{', '.join(OcrMode)}, {OCR_LANGUAGES_KEY} is as 'en,vi', "
                f"{MIN_TEXT_LENGTH_KEY} is a number of characters from 0 to {MAX_FILE_SIZE}, and "
                f"{CHUNK_SIZE_KEY} is as '1000/200 characters' or '512/50 tokens'.",
            ) from error


def _number(text: str) -> int:
    """Raises ValueError for what is no number, or one that no document can reach."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(MAX_FILE_SIZE)) else -1
    if not 0 <= number <= MAX_FILE_SIZE:
        raise ValueError(f"{text[:40]!r} is not a number from 0 to {MAX_FILE_SIZE}")
    return number


OCR_MODE_KEY = "ragbase-ocr-mode"
OCR_LANGUAGES_KEY = "ragbase-ocr-languages"
MIN_TEXT_LENGTH_KEY = "ragbase-min-text-length"
CHUNK_SIZE_KEY = "ragbase-chunk-size"
SOURCE_KEY = "ragbase-source"
"""Object metadata: how the uploader names the document (a path, a URL), if that is not its name in the bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Asks a lane to bring the index in step with one generation of a document. The record decides what there is to do.

    `format` and `config` repeat the record, for a worker without access to it (docs/contracts/documents.md, section 2).
    """

    document_id: str
    bucket: str
    name: str
    generation: int
    part: int = 0
    format: str | None = None
    config: ProcessingConfig = ProcessingConfig()
