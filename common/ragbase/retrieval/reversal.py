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
_WORD = re.compile(r"\w+")


def is_reversed(sentence: str, texts: Sequence[str], terms_of: Callable[[str], frozenset[str]]) -> bool:
    """Whether a clause of the sentence is negated and the clause of the texts that is about the same is not, or the
    other way round. A sentence that repeats a text never is.

    Of a sentence and a text that say it in other words, this knows nothing.
    """
    if _WORD.findall(sentence) == _WORD.findall(" ".join(texts)):
        return False  # it may have other marks between the words, which would make other clauses of them
    given = _even(" ".join((sentence, *texts)))
    language = language_of(given)
    held = [clause for text in texts for clause in _clauses(_even(text), language, terms_of)]
    clauses = list(_clauses(_even(sentence), language, terms_of))
    denials = [one for clause in clauses if clause.is_negated for one in _about(clause, held)]
    return any(_is_denied(clause, _about(clause, held), denials) for clause in clauses)


@dataclass(frozen=True, slots=True)
class _Clause:
    terms: frozenset[str]
    is_negated: bool


def _about(clause: _Clause, held: Sequence[_Clause]) -> list[_Clause]:
    """Those that are about the same: they have the most of its terms, and enough of them."""
    most = max((len(clause.terms & one.terms) for one in held), default=0)
    if not most or most < ABOUT * len(clause.terms):
        return []
    return [one for one in held if len(clause.terms & one.terms) == most]


def _is_denied(clause: _Clause, about: Sequence[_Clause], denials: Sequence[_Clause]) -> bool:
    """Whether all that are about the same are negated where the clause is not, or the other way round.

    `denials` are those that the negated clauses of its sentence are about: a clause beside may be a part of one of
    them ("After a month, they cannot be restored" of "They cannot be restored after a month").
    """
    return bool(about) and all(
        one.is_negated != clause.is_negated and (clause.is_negated or one not in denials) for one in about
    )


def _clauses(text: str, language: Language, terms_of: Callable[[str], frozenset[str]]) -> Iterator[_Clause]:
    for part in _BETWEEN.split(text):
        for clause in language.joins.split(part):
            affirmed, denials = language.denies.subn(" ", clause)
            yield _Clause(terms_of(affirmed), is_negated=denials > 0)


def _even(text: str) -> str:
    """The text in one line, in composed characters."""
    return unicodedata.normalize("NFC", " ".join(text.split()))
