"""Which documents are versions of one document: their names differ in a part that names a version.

    docs/26.x/api.md, docs/27.x/api.md          handbook/2023/leave.md, handbook/2024/leave.md
    versioned_docs/version-26/api.mdx, docs/api.mdx          stable/guide.html, dev/guide.html

A date with a month is none: the minutes of March and of April are two documents. Nor is a plain number: chapter 2 is no
version of chapter 1. Front matter may name the version, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.domain.metadata import DocumentMetadata

_NUMBER = r"\d{1,4}(?:[._]\d{1,5}){0,4}"
_PART = re.compile(
    rf"(?:v|ver|version|release|rel)[-_ .]?({_NUMBER})(?:[._]x)?|({_NUMBER})[._]x|(\d{{1,4}}(?:\.\d{{1,5}}){{1,2}})"
    r"|((?:19|20)\d\d)",
    re.IGNORECASE,
)
_END = re.compile(rf"[-_ ](?:v|version[-_ ]?)({_NUMBER})(?:[._]x)?\Z", re.IGNORECASE)
"""Of a file's name: guide-v2."""
_OF_FRONT_MATTER = ("version", "release", "edition")
_IN_QUESTION = re.compile(rf"v?({_NUMBER})(?:\.x)?")
_words = re.compile(r"\w+(?:[.-]\w+)*").findall
_VERSIONED = "versioned_"
"""Docusaurus keeps former versions of docs/ in versioned_docs/."""
_LONGEST = 40
"""Characters of a part that is looked at."""

_OLD, _IN_THE_MAKING, _NUMBERED, _DEFAULT = range(4)
_WORDS = (
    dict.fromkeys(("legacy", "old", "archive", "archived", "deprecated"), _OLD)
    | dict.fromkeys(("next", "dev", "devel", "develop", "unreleased", "nightly", "canary", "edge"), _IN_THE_MAKING)
    | dict.fromkeys(("latest", "stable", "current", "main", "master"), _DEFAULT)
)


@dataclass(frozen=True, slots=True, order=True)
class DocumentVersion:
    """The greater one leads: what has no number is the default, then comes the highest number. `word` is how a name
    says it."""

    rank: int = _DEFAULT
    number: tuple[int, ...] = ()
    word: str = ""

    def is_named_in(self, question: str) -> bool:
        """Whether the question has its word, or its number up to where one of the two ends: 26 for 26.x and 26.4."""
        words = _words(question.casefold())
        if not self.number:
            return self.word in words
        named = (_number(match[1]) for word in words if (match := _IN_QUESTION.fullmatch(word)))
        return any(number[: len(self.number)] == self.number[: len(number)] for number in named)


def version_of(document: Document) -> tuple[str, DocumentVersion]:
    """What all versions of the document have in common, and its own version."""
    metadata = document.active.metadata if document.active is not None else None
    return _version_of(document.name, _said(metadata) if metadata is not None else "")


def _said(metadata: DocumentMetadata) -> str:
    return next((text for key, text in metadata.front_matter if key in _OF_FRONT_MATTER), "")


@lru_cache(maxsize=4096)
def _version_of(name: str, said: str) -> tuple[str, DocumentVersion]:
    path = PurePosixPath(name)
    found = [_version(part) for part in path.parent.parts]
    family = [part.removeprefix(_VERSIONED) for part, one in zip(path.parent.parts, found, strict=True) if one is None]
    stem, own = _of_file(path.stem)
    versions = [one for one in (*found, own, _version(said)) if one is not None]
    return "/".join((*family, stem + path.suffix)), versions[-1] if versions else DocumentVersion()


def _of_file(stem: str) -> tuple[str, DocumentVersion | None]:
    whole = _version(stem)
    if whole is not None:
        return "", whole
    end = _END.search(stem[-_LONGEST:])
    if end is None:
        return stem, None
    return stem[: len(stem) - len(end[0])], DocumentVersion(_NUMBERED, _number(end[1]), end[0][1:].casefold())


def _version(part: str) -> DocumentVersion | None:
    """The version that a part of a name is; None if it is none."""
    word = part.strip().casefold()
    if word in _WORDS:
        return DocumentVersion(_WORDS[word], (), word)
    match = _PART.fullmatch(word) if len(word) <= _LONGEST else None
    return DocumentVersion(_NUMBERED, _number(next(filter(None, match.groups()))), word) if match else None


def _number(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.split("[._]", text)))
