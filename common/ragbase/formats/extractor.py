"""Bytes to Markdown by the table of formats: implements the Extractor port."""

from __future__ import annotations

from ragbase.domain.chunk import Extraction
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.format import Format
from ragbase.formats.table import FORMATS


class FormatExtractor:
    """Reads every format of the table, within limits."""

    def __init__(self, limits: ExtractionLimits | None = None) -> None:
        self._limits = limits or ExtractionLimits()

    @property
    def versions(self) -> str:
        """Every version in the table, once each: what an index of all formats depends on."""
        return ",".join(dict.fromkeys(format.version for format in FORMATS.values()))

    def version(self, format: str) -> str:
        """The version of one format; empty for a format that is not in the table."""
        return FORMATS[format].version if format in FORMATS else ""

    def detect(self, data: bytes, promised: str) -> str:
        """The format that the content really has. Raises PermanentError: UNSUPPORTED_FORMAT or CORRUPT_FILE."""
        wanted = _known(promised)
        if not wanted.proves(data):
            for other in FORMATS.values():
                if other.proves(data):
                    return other.name
            wanted.check(data)
        return wanted.name

    def extract(self, data: bytes, format: str) -> Extraction:
        """Raises PermanentError with the code that fits, ConfigurationError where a library is missing."""
        return _known(format).read(data, self._limits)


def _known(name: str) -> Format:
    """Raises PermanentError for a format that this version does not have: a newer one may have made the record."""
    if name not in FORMATS:
        raise PermanentError(
            ErrorCode.UNSUPPORTED_FORMAT,
            f"The format {name!r} is not known here. Supported are {', '.join(FORMATS)}. Update ragbase, or convert "
            "the file.",
        )
    return FORMATS[name]
