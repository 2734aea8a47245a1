"""How a file format is recognised in a file's content, and read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction, PageText
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.page_range import PageRange
    from ragbase.formats.extraction_limits import ExtractionLimits


def never(data: bytes) -> bool:
    """For formats that no content proves."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """How a file of a format with pages is read, at once or in parts (ports/extractor.py)."""

    version: Callable[[ExtractionLimits, ProcessingConfig], str]
    """Names what changes the text beside the format's version: the uploader's wishes, and what is installed."""

    read_or_cut: Callable[
        [bytes, ExtractionLimits, ProcessingConfig], tuple[tuple[PageText, ...], tuple[PageRange, ...]]
    ]
    """All pages; or, of a long document, none, and the parts that it is read in."""

    read: Callable[[bytes, ExtractionLimits, ProcessingConfig, PageRange | None], tuple[PageText, ...]]
    """Some pages, or all for None."""

    join: Callable[[Sequence[PageText], ExtractionLimits], Extraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The reader of one format."""

    version: str
    """Change it with every change, also of a library, that reads another text from any file of this format: documents
    of this format, and no others, are then due for a reindex."""

    check: Callable[[bytes], None]
    """Raises PermanentError where a file with this format's name or content type is certainly something else."""

    read: Callable[[bytes, ExtractionLimits], Extraction] | Pages
    """Raises PermanentError with the code that fits, ConfigurationError where a library is missing."""

    proves: Callable[[bytes], bool] = never
    """Whether the content is certainly of this format, whatever the file is called."""

    looks_like: tuple[str, ...] = ()
    """Formats that its files often look like: what would prove one of these counts less than this format's name."""

    def extract(self, data: bytes, limits: ExtractionLimits, config: ProcessingConfig) -> Extraction:
        """The whole file at once. Raises as `read`."""
        if isinstance(self.read, Pages):
            return self.read.join(self.read.read(data, limits, config, None), limits)
        return self.read(data, limits)
