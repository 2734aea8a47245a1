"""The formats that ragbase reads, and those that other packages add. To add one of ours: its line below, a file
here that defines its reader, a line in readers.py, and a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.lane import Lane
from ragbase.domain.limits import LARGE_TEXT, MAX_FILE_SIZE
from ragbase.formats.file_types import (
    CODE_CONTENT_TYPES,
    CODE_EXTENSIONS,
    OFFICE_CONTENT_TYPES,
    OFFICE_EXTENSIONS,
    PICTURE_CONTENT_TYPES,
    PICTURE_EXTENSIONS,
)
from ragbase.formats.format import Format
from ragbase.plugins import PluginKind

if TYPE_CHECKING:
    from ragbase.formats.added import AddedFormat

PDF = Format(name="pdf", extensions=(".pdf",), content_types=("application/pdf",), lane=Lane.HEAVY)
JSON = Format(name="json", extensions=(".json",), content_types=("application/json",), lane=Lane.FAST)
TEXT = Format(name="txt", extensions=(".txt", ".text"), content_types=("text/plain",), lane=Lane.FAST)
MARKDOWN = Format(
    name="md",
    extensions=(".md", ".markdown", ".mdx", ".mdown", ".mkd", ".qmd", ".rmd"),
    content_types=("text/markdown", "text/x-markdown", "text/mdx"),
    lane=Lane.FAST,
)
HTML = Format(
    name="html",
    extensions=(".html", ".htm", ".xhtml"),
    content_types=("text/html", "application/xhtml+xml"),
    lane=Lane.FAST,
)
JSONL = Format(
    name="jsonl",
    extensions=(".jsonl", ".ndjson"),
    content_types=("application/jsonl", "application/x-ndjson", "application/x-jsonlines"),
    lane=Lane.FAST,
)
CSV = Format(name="csv", extensions=(".csv",), content_types=("text/csv", "application/csv"), lane=Lane.FAST)
TSV = Format(name="tsv", extensions=(".tsv", ".tab"), content_types=("text/tab-separated-values",), lane=Lane.FAST)
NOTEBOOK = Format(name="ipynb", extensions=(".ipynb",), content_types=("application/x-ipynb+json",), lane=Lane.FAST)
RST = Format(
    name="rst", extensions=(".rst", ".rest"), content_types=("text/x-rst", "text/prs.fallenstein.rst"), lane=Lane.FAST
)
ASCIIDOC = Format(
    name="adoc",
    extensions=(".adoc", ".asciidoc", ".asc"),
    content_types=("text/asciidoc", "text/x-asciidoc"),
    lane=Lane.FAST,
)
ORG = Format(name="org", extensions=(".org",), content_types=("text/org", "text/x-org"), lane=Lane.FAST)
TEX = Format(
    name="tex",
    extensions=(".tex", ".ltx", ".latex"),
    content_types=("text/x-tex", "application/x-tex", "application/x-latex"),
    lane=Lane.FAST,
)
MAN = Format(
    name="man",
    extensions=(".man", ".mdoc", ".roff", *(f".{section}" for section in range(1, 9))),
    content_types=("text/troff", "application/x-troff-man"),
    lane=Lane.FAST,
)
XML = Format(name="xml", extensions=(".xml",), content_types=("application/xml", "text/xml"), lane=Lane.FAST)
YAML = Format(
    name="yaml",
    extensions=(".yaml", ".yml"),
    content_types=("application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"),
    lane=Lane.FAST,
)
CONFIG = Format(
    name="config",
    extensions=(".toml", ".ini", ".cfg", ".conf", ".properties"),
    content_types=("application/toml", "text/x-ini", "text/x-properties"),
    lane=Lane.FAST,
)
LOG = Format(name="log", extensions=(".log",), content_types=("text/x-log",), lane=Lane.FAST)
CODE = Format(name="code", extensions=CODE_EXTENSIONS, content_types=CODE_CONTENT_TYPES, lane=Lane.FAST)
_OFFICE = tuple(
    Format(
        name=name,
        extensions=OFFICE_EXTENSIONS.get(name, (f".{name}",)),
        content_types=content_types,
        lane=Lane.HEAVY,
    )
    for name, content_types in OFFICE_CONTENT_TYPES.items()
)
_PICTURES = tuple(
    Format(
        name=name,
        extensions=PICTURE_EXTENSIONS.get(name, (f".{name}",)),
        content_types=content_types,
        lane=Lane.HEAVY,
    )
    for name, content_types in PICTURE_CONTENT_TYPES.items()
)
_STANDARD = (
    *(PDF, HTML, NOTEBOOK, JSONL, JSON, XML, MARKDOWN, TSV, CSV, MAN, ASCIIDOC),
    *(RST, ORG, TEX, YAML, CONFIG, LOG, CODE, TEXT),
)
OURS = {format.name: format for format in (*_STANDARD, *_OFFICE, *_PICTURES)}
"""Those of ragbase by name, in the order in which their proofs are asked for."""

KIND = PluginKind("ragbase.formats", "format", tuple(OURS))


class _AllFormats(Mapping[str, Format]):
    """Ours first. Nobody looks for those of other packages as long as one of ours is asked for."""

    def __getitem__(self, name: str) -> Format:
        return OURS[name] if name in OURS else added_formats()[name].format

    def __iter__(self) -> Iterator[str]:
        yield from OURS
        yield from added_formats()

    def __len__(self) -> int:
        return len(OURS) + len(added_formats())


FORMATS: Mapping[str, Format] = _AllFormats()
"""All formats, by name."""

STANDARD = frozenset(format.name for format in _STANDARD)
"""Texts, tables and PDFs."""

OFFICE = frozenset(format.name for format in _OFFICE)
"""Office documents and their like."""

PICTURES = frozenset(format.name for format in _PICTURES)
"""Those whose text only OCR reads."""

_EXTENSIONS = {extension: format for format in OURS.values() for extension in format.extensions}
_CONTENT_TYPES = {content_type: format for format in OURS.values() for content_type in format.content_types}


@cache
def added_formats() -> Mapping[str, AddedFormat]:
    """Those of other packages, by name. Raises ConfigurationError for one that cannot be used."""
    if not KIND.added():
        return {}
    from ragbase.formats.added import load_added

    return load_added(KIND, OURS)


def format_of(name: str, content_type: str = "") -> Format | None:
    """The format that a file's name promises or, where the name says nothing, its content type."""
    extension, kind = PurePosixPath(name).suffix.lower(), content_type.partition(";")[0].strip().lower()
    if extension in _EXTENSIONS:
        return _EXTENSIONS[extension]
    if extension and (found := next((one for one in _added() if extension in one.extensions), None)):
        return found
    if kind in _CONTENT_TYPES or not kind:
        return _CONTENT_TYPES.get(kind)
    return next((one for one in _added() if kind in one.content_types), None)


def _added() -> Iterator[Format]:
    return (one.format for one in added_formats().values())


def lane_of(format: Format | None, size: int) -> Lane:
    """The lane that takes a file of this format and of `size` bytes. The fast lane reads the content of a file of an
    unknown format, and finds the format or refuses."""
    return Lane.HEAVY if size > LARGE_TEXT else format.lane if format is not None else Lane.FAST


def check_size(size: int) -> None:
    """Raises PermanentError (FILE_TOO_LARGE) above 50 MB. `size` is in bytes."""
    if size > MAX_FILE_SIZE:
        tenths = (size * 10 + 524288) // 1048576  # in whole numbers: a client may announce more than a float holds
        raise PermanentError(
            ErrorCode.FILE_TOO_LARGE,
            f"{tenths // 10}.{tenths % 10} MB is over the limit of {MAX_FILE_SIZE // 1048576} MB a file. "
            "Split the file into smaller ones.",
        )
