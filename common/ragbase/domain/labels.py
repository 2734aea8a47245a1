"""Labels: what a filter can ask of a document, short enough to be written with each of its chunks.

A label is the hash of one fact: "its format is md", "it is in the folder guides/2024". So every fact takes the same
few bytes, whatever its text, and a store needs nothing but exact comparison. If two facts have the same hash, a store
finds a chunk too many, and the record decides (domain/search_filter.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.domain.comparable_values import day_of, folded
from ragbase.domain.condition import facts_of
from ragbase.domain.name_forms import nfc

if TYPE_CHECKING:
    from ragbase.domain.metadata import DocumentMetadata

_LABEL_BYTES = 8
DEEPEST = 32
"""Folders above this depth have a label. A filter for a deeper one asks the store for its ancestor of this depth."""


class Fact(StrEnum):
    """What a label can say."""

    PATH = "path"
    FORMAT = "format"
    TAG = "tag"
    TITLE = "title"
    URL = "url"
    FRONT_MATTER = "front matter"


@dataclass(frozen=True, slots=True)
class Labels:
    """`names` are the labels, never none of them. `day` is the document's date as a number such as 20240131; None if it
    has no date, or none that begins as ISO 8601 does."""

    names: tuple[str, ...]
    day: int | None = None


def labels_of(name: str, format: str, metadata: DocumentMetadata) -> Labels:
    """The labels of a document with this name in the bucket, whose generation has this format and metadata."""
    facts = [
        *((Fact.PATH, folder) for folder in _labelled(nfc(name))),
        (Fact.FORMAT, format),
        *((Fact.TAG, folded(tag)) for tag in metadata.tags),
        *((Fact.TITLE, folded(title)) for title in (metadata.title,) if title),
        *((Fact.URL, part) for url in (metadata.url,) if url for part in _labelled(url)),
        *((Fact.FRONT_MATTER, fact) for key, text in metadata.front_matter for fact in facts_of(key, text)),
    ]
    return Labels(tuple(dict.fromkeys(label(fact, text) for fact, text in facts)), day_of(metadata.date))


def label(fact: Fact, text: str) -> str:
    return blake2b(f"{fact}\0{text}".encode("utf-8", "surrogatepass"), digest_size=_LABEL_BYTES).hexdigest()


def folder_label(fact: Fact, path: str) -> str:
    """The label that everything in this folder has; the folder may also be a whole name."""
    *_, deepest = _labelled(path)
    return label(fact, deepest)


def is_in(path: str, folder: str) -> bool:
    """Whether `path` is in the folder or below it, or is the folder itself, in whatever forms."""
    path, folder = nfc(path), nfc(folder)
    return path == folder or path.startswith(f"{folder}/")


def _labelled(path: str) -> Iterable[str]:
    return islice(_folders(path), DEEPEST)


def _folders(path: str) -> Iterator[str]:
    """The folders above a name, outermost first, and the name itself."""
    end = path.find("/")
    while end != -1:
        yield path[:end]
        end = path.find("/", end + 1)
    yield path
