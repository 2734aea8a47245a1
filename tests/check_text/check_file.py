"""One file: what ragbase reads of it, compared with what a plain reader finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.errors import PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.table import FORMATS, format_of
from tests.check_text.plain_text import plain_text
from tests.check_text.words import missing, texts, words

MANY = 1_000_000
"""How often a word may stand that a reader may give as often as it likes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found. `refused` says why ragbase reads nothing of the file, and `unchecked` why nothing is compared.

    `words` is how many the plain reader finds. `lost` are those that are neither in a passage nor in what the document
    says of itself, nor left out with a note; `doubled` are those that stand more often than in the file.
    """

    path: Path
    format: str = ""
    words: int = 0
    noted: int = 0
    lost: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""
    unchecked: str = ""

    @property
    def share(self) -> float:
        """Lost and doubled words, of all words of the file."""
        return (len(self.lost) + len(self.doubled)) / max(self.words, 1)


def check_file(path: Path) -> Checked:
    """Reads the file with ragbase, and compares."""
    data = path.read_bytes()
    promised = format_of(path.name)
    extractor = FormatExtractor(allowed=FORMATS)
    format = promised.name if promised is not None else ""
    try:
        format = extractor.detect(data, format or None)
        extraction = extractor.extract(data, format, ProcessingConfig())
    except PermanentError as error:
        return Checked(path=path, format=format, refused=f"{error.code}: {error.reason}")
    try:
        plain = plain_text(data, format)
    except Exception as error:  # noqa: BLE001 - the plain readers are simple, and some files are damaged
        return Checked(path=path, format=format, unchecked=f"{type(error).__name__}: {error}")
    if plain is None:
        return Checked(path=path, format=format, unchecked="no plain reader")
    return compared(path, format, extraction, plain.text, plain.also)


def compared(path: Path, format: str, extraction: Extraction, text: str, also: str) -> Checked:
    wanted = words(text)
    passages = _passages(extraction)
    said = extraction.metadata
    there = Counter(texts(words(passages)))
    free = Counter(dict.fromkeys(texts(words(also)), MANY))
    left_out = Counter(texts(words("\n\n".join(left.text for left in extraction.left_out))))
    own = [
        said.title or "",
        *said.tags,
        said.date or "",
        said.url or "",
        *(text for pair in said.front_matter for text in pair),
    ]
    read = there.copy()
    lost = missing(wanted, read)
    at_once = missing(
        words("\n".join(lost)), left_out + Counter(dict.fromkeys(texts(words("\n".join(own))), MANY)) + free
    )
    file = frozenset(texts(wanted))
    doubled = tuple(word for word in (read - free).elements() if word in file)  # what no word of the file has taken
    return Checked(
        path=path,
        format=format,
        words=len(wanted),
        noted=len(lost) - len(at_once),
        lost=tuple(at_once),
        doubled=doubled,
        notes=extraction.all_notes,
    )


def _passages(extraction: Extraction) -> str:
    """What of the text is in a passage, each part once."""
    parts: list[str] = []
    end = 0
    for passage in MarkdownChunker().split(extraction):
        start = max(passage.char_start, end)
        if start > end:
            parts.append("\n\n")
        if passage.char_end > start:
            parts.append(extraction.markdown[start : passage.char_end])
            end = passage.char_end
    return "".join(parts)
