"""Bytes to Markdown by the table of formats: implements the Extractor port."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.lane import Lane
from ragbase.domain.limits import MAX_GROWTH, READ_HERE
from ragbase.extras import naming_extras
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.large_text import read_large_text
from ragbase.formats.plain_text import is_plain_text
from ragbase.formats.reader import Pages, Reader
from ragbase.formats.readers import reader_of
from ragbase.formats.signatures import binary_kind
from ragbase.formats.table import FORMATS, KIND, OFFICE, OURS, PICTURES, STANDARD, TEXT, added_formats

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction, PageText
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.page_range import PageRange
    from ragbase.formats.page_image.page_image import PageSize

GROUPS = {"standard": STANDARD, "office": OFFICE, "pictures": PICTURES}
"""Words of the setting allowed_formats that name several formats."""

GROWN = (
    f"So many are {MAX_GROWTH} for each byte of the file: a part of it is repeated again and again. Shorten what is "
    "repeated, such as the names of columns."
)


class FormatExtractor:
    """Reads the formats of the table that are allowed, within limits."""

    def __init__(self, limits: ExtractionLimits | None = None, allowed: Collection[str] = FORMATS) -> None:
        self._limits = limits or ExtractionLimits()
        self._allowed = allowed

    @property
    def versions(self) -> str:
        """The versions of the standard formats, once each: what an index is named after."""
        return ",".join(dict.fromkeys(reader_of(name).version for name in OURS if name in STANDARD))

    def version(self, format: str, config: ProcessingConfig) -> str:
        """The version of one format, with what else changes its text; empty for a format that is not in the table."""
        if format not in FORMATS:
            return ""
        reader = reader_of(format)
        if isinstance(reader.read, Pages):
            return f"{reader.version}-{reader.read.version(self._limits, config)}"
        return reader.version

    @property
    def allowed(self) -> Collection[str]:
        """The names of the formats that the settings allow."""
        return self._allowed

    def allows(self, format: str) -> bool:
        """Whether the settings allow documents of this format."""
        return format in self._allowed

    @naming_extras()
    def detect(self, data: bytes, promised: str | None) -> str:
        """The format that the content really has; where no content proves one, the promised format. None promises
        nothing: then plain text is txt.

        Raises PermanentError: UNSUPPORTED_FORMAT (also for a format that is not allowed) or CORRUPT_FILE.
        """
        format = promised
        named = _reader(promised) if promised is not None else None
        if named is None or not named.proves(data):
            asked = (other for other in OURS if named is None or other not in named.looks_like)
            format = next((other for other in asked if reader_of(other).proves(data)), promised)
        if format is None:
            format = next((name for name, added in added_formats().items() if added.reader.proves(data)), None)
        if format is None and is_plain_text(data):
            format = TEXT.name
        if format is None:
            raise self._unsupported(data)
        if not self.allows(format):
            allowed = ", ".join(name for name in FORMATS if self.allows(name))
            raise PermanentError(
                ErrorCode.UNSUPPORTED_FORMAT,
                f"Files of the format {format} are not allowed here. Allowed are {allowed}: convert the file, or "
                "change the setting allowed_formats.",
            )
        if format == promised:
            reader_of(format).check(data)
        return format

    @naming_extras()
    def extract(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction:
        """Raises PermanentError with the code that fits, and MissingExtra."""
        reader = _reader(format)
        if FORMATS[format].lane is not Lane.FAST:
            return reader.extract(data, self._limits, config)
        limits = self._limits.for_text(len(data))
        try:
            is_large = len(data) > READ_HERE
            text = read_large_text(data, format, limits) if is_large else reader.extract(data, limits, config)
            limits.check(len(text.markdown))
        except PermanentError as error:
            if error.code is ErrorCode.FILE_TOO_LARGE and limits.max_text_characters < self._limits.max_text_characters:
                raise PermanentError(error.code, f"{error.reason} {GROWN}") from error
            raise
        return text

    def _unsupported(self, data: bytes) -> PermanentError:
        kind = binary_kind(data)
        found = (
            f"It is {kind}."
            if kind
            else "It is no text, and no other format that is known."
            if data
            else "It is empty."
        )
        supported = ", ".join(name for name in FORMATS if self.allows(name))
        return PermanentError(
            ErrorCode.UNSUPPORTED_FORMAT,
            f"This kind of file is not supported. {found} Supported are {supported}, and plain text under any name; "
            "convert the file to one of them, or give it the right name.",
        )

    @naming_extras()
    def extract_or_cut(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction | tuple[PageRange, ...]:
        """The text of a file, or the parts that a long one is read in. Raises as `extract`."""
        read = _reader(format).read
        if not isinstance(read, Pages):
            return self.extract(data, format, config)
        pages, parts = read.read_or_cut(data, self._limits, config)
        return parts or read.join(pages, self._limits)

    @naming_extras()
    def extract_pages(
        self, data: bytes, format: str, config: ProcessingConfig, pages: PageRange
    ) -> tuple[PageText, ...]:
        """The text of some pages. Raises as `extract`."""
        return _paged(format).read(data, self._limits, config, pages)

    @naming_extras()
    def page_image(self, data: bytes, format: str, page: int, width: int) -> bytes | None:
        """A PNG of a page of a PDF or picture, some `width` pixels wide; None if there is no such page. Pages are
        counted from 1. Raises PermanentError, and MissingExtra."""
        from ragbase.formats.page_image.page_image import page_image

        return page_image(data, format, page, width)

    @naming_extras()
    def page_sizes(self, data: bytes, format: str) -> tuple[PageSize, ...]:
        """Those of the pages of a PDF or picture. Raises as `page_image`."""
        from ragbase.formats.page_image.page_image import page_sizes

        return page_sizes(data, format)

    def join(self, format: str, pages: Sequence[PageText]) -> Extraction:
        """One text of all pages. Raises as `extract`."""
        return _paged(format).join(pages, self._limits)


def allowed_formats(setting: str) -> Collection[str]:
    """The formats that the setting allowed_formats names, by their names or by the words of `GROUPS`: all if it
    is empty.

    Raises ConfigurationError for a word that is neither.
    """
    words = [word.strip().lower() for word in setting.split(",") if word.strip()]
    if unknown := sorted({word for word in words if word not in GROUPS and word not in KIND}):
        raise ConfigurationError(
            f"allowed_formats names {', '.join(unknown)}, but the formats are {', '.join(FORMATS)}, and the words for "
            f"several of them are {', '.join(GROUPS)}. Correct the setting."
        )
    return frozenset().union(*(GROUPS.get(word, {word}) for word in words)) or FORMATS


def _paged(name: str) -> Pages:
    read = _reader(name).read
    if not isinstance(read, Pages):
        raise TypeError(f"files of the format {name} have no pages")
    return read


def _reader(name: str) -> Reader:
    """Raises PermanentError for a format that this version does not have: a newer one may have made the record."""
    if name not in FORMATS:
        raise PermanentError(
            ErrorCode.UNSUPPORTED_FORMAT,
            f"The format {name!r} is not known here. Supported are {', '.join(FORMATS)}. Update ragbase, or convert "
            "the file.",
        )
    return reader_of(name)
