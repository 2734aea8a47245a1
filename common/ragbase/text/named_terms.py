"""The terms of a passage, and those of its document's names: what a store indexes of a chunk.

    rotate the key every year, in weather/KSEA.csv     ──▶     rotat key everi year ⌂ksea ⌂weather

A term of a name has a form of its own. A query asks for both forms, so the store tells how many passages have a term,
and how many only stand under it. A name says what a document is about, and not what a passage says.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ragbase.text.terms import index_terms

VERSION = "names-v1"
"""Raise it with every change after which any passage has other terms of names."""

_MARK = "⌂"
"""Is in no term of a text: it is no letter, digit or mark."""
_BEGIN = f" {_MARK}"
_MOST = 16
"""Terms of names. They are in every passage of the document."""


def with_names(terms: str, names: str, language: str) -> str:
    """A passage's terms with those of these names. `terms` may have those of other names, which give way."""
    own, _ = without_names(terms)
    return own + _terms_of_names(names, language)


def without_names(terms: str) -> tuple[str, frozenset[str]]:
    """The passage's own terms, and those of its document's names, as a text has them."""
    own, _, names = terms.partition(_BEGIN)
    return own, _apart(names)


def name_form(term: str) -> str:
    """The term as a name has it."""
    return _MARK + term


def frequency_with_names(frequency: Mapping[str, int]) -> dict[str, int]:
    """In how many passages each term is, or in the names of their documents, by how many have each form."""
    return {term: count + frequency.get(name_form(term), 0) for term, count in frequency.items()}


@lru_cache(maxsize=4096)
def _apart(names: str) -> frozenset[str]:
    return frozenset(names.replace(_BEGIN, " ").split())


@lru_cache(maxsize=1024)  # a document has many passages
def _terms_of_names(names: str, language: str) -> str:
    different = list(dict.fromkeys(index_terms(names, language).split()))
    return "".join([_BEGIN + term for term in different[:_MOST]])
