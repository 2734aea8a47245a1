"""The clauses of a text, and which of them are about the same thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from ragbase.retrieval.meaning.read_text import BETWEEN
from ragbase.retrieval.negations import Language
from ragbase.text.function_words import FUNCTION_WORDS
from ragbase.text.scripts import MARKS
from ragbase.text.small_letters import small_letters

Terms = Callable[[str], frozenset[str]]

ABOUT = 0.5
"""The share of a clause's terms that another clause has if both are about the same thing."""


_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
_WORD = re.compile(rf"[\w{MARKS}]+")


def content_of(text: str) -> str:
    """The text without function words, which every text shares."""
    return _WORD.sub(lambda word: " " if small_letters(word[0]) in _FUNCTION_WORDS else word[0], text)


class HasTerms(Protocol):
    @property
    def terms(self) -> frozenset[str]: ...


Clause = TypeVar("Clause", bound=HasTerms)


def clauses_of(text: str, language: Language) -> Iterator[str]:
    """Those with a word in them."""
    for part in BETWEEN.split(text):
        yield from filter(_WORD.search, language.joins.split(part))


def about(clause: HasTerms, held: Sequence[Clause]) -> list[Clause]:
    """Those that are about the same as the clause: they have the most of its terms, and enough of them."""
    most = max((len(clause.terms & one.terms) for one in held), default=0)
    if not most or most < ABOUT * len(clause.terms):
        return []
    return [one for one in held if len(clause.terms & one.terms) == most]
