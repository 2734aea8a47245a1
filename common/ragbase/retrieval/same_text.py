"""Texts that are equal for a reader: they have the same words, whatever the space between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk

_FIRST_WORDS = 8
"""Few different texts of an index begin with the same ones, and they are read much sooner than all words."""

_Item = TypeVar("_Item")


@lru_cache(maxsize=256)
def same_text(text: str) -> str:
    """The words of a text. Two texts with the same words are equal."""
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def _beginning(text: str) -> tuple[str, ...]:
    return tuple(text.split(None, _FIRST_WORDS)[:_FIRST_WORDS])


def most_alike(chunks: Iterable[Chunk]) -> int:
    """At least the size of the largest group of `grouped_by_text`, and 1."""
    return max(Counter([_beginning(chunk.text) for chunk in chunks]).values(), default=1)


def grouped_by_text(items: Iterable[tuple[Chunk, _Item]]) -> list[list[_Item]]:
    """Groups of items whose chunks have the same text, in the order of the first one of each group."""
    begun = [(_beginning(chunk.text), chunk, item) for chunk, item in items]
    alike = Counter([beginning for beginning, _, _ in begun])
    if len(alike) == len(begun):
        return [[item] for _, _, item in begun]
    groups: dict[str | tuple[str, ...], list[_Item]] = {}
    for beginning, chunk, item in begun:
        key = beginning if alike[beginning] == 1 else same_text(chunk.text)
        groups.setdefault(key, []).append(item)
    return list(groups.values())
