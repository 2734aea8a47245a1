"""The names that a document stands under: of its folders, its file and its site, its title, and its front matter.

A passage seldom says what its whole folder is about. Its document's names do: `weather/KSEA.csv`, `docs/26.x/api.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from ragbase.domain.metadata import DocumentMetadata

_LONGEST_VALUE = 60
"""Characters of a value of front matter. A longer one is a text, and no name."""
_DEEPEST = 4
"""Folders, counted from the file. Those above say where all files are kept, and not what this one is about."""
_NO_NAMES = frozenset(("index", "_index", "readme", "default"))
"""What a file is called that stands for its folder."""


def names_of(name: str, metadata: DocumentMetadata) -> str:
    """The names of a document with this name in the bucket, the nearest to the document first, each in a line."""
    return "\n".join(dict.fromkeys(filter(None, _names(name, metadata))))


def _names(name: str, metadata: DocumentMetadata) -> Iterator[str]:
    path = PurePosixPath(name)
    yield metadata.title or ""
    if path.stem.casefold() not in _NO_NAMES:
        yield path.stem
    yield from metadata.tags
    for _, text in metadata.front_matter:
        if len(text) <= _LONGEST_VALUE and "://" not in text:
            yield text
    yield from reversed(path.parent.parts[-_DEEPEST:])
    if metadata.url:
        yield (urlsplit(metadata.url).hostname or "").replace(".", " ")
