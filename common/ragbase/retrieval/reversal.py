"""Whether a sentence turns what a text says into its opposite."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragbase.retrieval.negations import Language, language_of

ABOUT = 0.5
"""The share of a clause's terms that another clause has if both are about the same thing."""

_BETWEEN = re.compile(r"[,;:.!?…](?=\s|$)|[。，、；：！？()\[\]“”„«»\"]|\s[–—-]\s")
"""What stands between clauses. The colon of 02:30 does not."""


def is_reversed(sentence: str, texts: Sequence[str], terms_of: Callable[[str], frozenset[str]]) -> bool:
    """Whether a clause of the sentence is negated and the clause of the texts that is about the same is not, or the
    other way round. A sentence that repeats a text never is.

    Of a sentence and a text that say it in other words, this knows nothing.
    """
    given = _even(" ".join((sentence, *texts)))
    language = language_of(given)
    held = [clause for text in texts for clause in _clauses(_even(text), language, terms_of)]
    return any(_is_denied(clause, held) for clause in _clauses(_even(sentence), language, terms_of))


@dataclass(frozen=True, slots=True)
class _Clause:
    terms: frozenset[str]
    is_negated: bool


def _is_denied(clause: _Clause, held: Sequence[_Clause]) -> bool:
    """Whether all clauses that have the most of its terms are negated where it is not, or the other way round."""
    most = max((len(clause.terms & one.terms) for one in held), default=0)
    if not most or most < ABOUT * len(clause.terms):
        return False
    return all(one.is_negated != clause.is_negated for one in held if len(clause.terms & one.terms) == most)


def _clauses(text: str, language: Language, terms_of: Callable[[str], frozenset[str]]) -> Iterator[_Clause]:
    for part in _BETWEEN.split(text):
        for clause in language.joins.split(part):
            affirmed, denials = language.denies.subn(" ", clause)
            yield _Clause(terms_of(affirmed), is_negated=denials > 0)


def _even(text: str) -> str:
    """The text in one line, in composed characters."""
    return unicodedata.normalize("NFC", " ".join(text.split()))
