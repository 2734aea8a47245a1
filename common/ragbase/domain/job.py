"""The message on a lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.routing import Format


class OcrMode(StrEnum):
    AUTO = "auto"
    FORCE = "force"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessingConfig:
    """What the uploader asked for, carried as metadata of the object (document contract, section 2).

    `min_text_length` is in characters after extraction; the bucket pipeline wants 50, a library call takes any text.
    """

    ocr_mode: OcrMode = OcrMode.AUTO
    ocr_languages: tuple[str, ...] = ("en", "vi")
    min_text_length: int = 50

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, str]) -> ProcessingConfig:
        """Read an object's metadata. Raises PermanentError for a value that means nothing."""
        default = cls()
        try:
            languages = metadata.get(OCR_LANGUAGES_KEY, "")
            return cls(
                ocr_mode=OcrMode(metadata.get(OCR_MODE_KEY, default.ocr_mode)),
                ocr_languages=tuple(languages.split(",")) if languages else default.ocr_languages,
                min_text_length=int(metadata.get(MIN_TEXT_LENGTH_KEY, default.min_text_length)),
            )
        except ValueError as error:
            raise PermanentError(
                ErrorCode.UNSUPPORTED_FORMAT,
                f"The object's metadata is not understood: {error}. Upload it again with {OCR_MODE_KEY} one of "
                f"{', '.join(OcrMode)} and {MIN_TEXT_LENGTH_KEY} a number of characters.",
            ) from error


OCR_MODE_KEY = "ragbase-ocr-mode"
OCR_LANGUAGES_KEY = "ragbase-ocr-languages"
MIN_TEXT_LENGTH_KEY = "ragbase-min-text-length"
SOURCE_KEY = "ragbase-source"
"""Object metadata: how the uploader names the document (a path, a URL), if not by its name in the bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Bring the index in step with one generation of a document. What to do about it is decided from its record.

    `format` and `config` repeat the record for a worker that has no access to it (document contract, section 2).
    """

    document_id: str
    bucket: str
    name: str
    generation: int
    part: int = 0
    format: Format | None = None
    config: ProcessingConfig = ProcessingConfig()
