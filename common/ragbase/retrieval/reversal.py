"""Whether a sentence turns what a text says into its opposite."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragbase.retrieval.meaning.clauses import about, clauses_of
from ragbase.retrieval.meaning.denials import Denials, denials_of
from ragbase.retrieval.meaning.read_text import even
from ragbase.retrieval.negations import Language, language_of

_WORD = re.compile(r"\w+")


def is_reversed(
    sentence: str,
    texts: Sequence[str],
    terms_of: Callable[[str], frozenset[str]],
    language: Language | None = None,
) -> bool:
    """Whether a clause of the sentence is negated and the clause of the texts that is about the same is not, or the
    other way round. A sentence that repeats a text never is.

    Without a language, their words tell it. Of a sentence and a text that say it in other words, this knows only what
    stands in meaning/antonyms.tsv.
    """
    if _WORD.findall(sentence) == _WORD.findall(" ".join(texts)):
        return False  # it may have other marks between the words, which would make other clauses of them
    ours, theirs = even(sentence), [even(text) for text in texts]
    denials_in = denials_of(ours, theirs, language or language_of(" ".join((ours, *theirs))), terms_of)
    held = [clause for text in theirs for clause in _clauses(text, denials_in, terms_of)]
    clauses = list(_clauses(ours, denials_in, terms_of))
    denials = [one for clause in clauses if clause.is_negated for one in about(clause, held)]
    return any(_is_denied(clause, about(clause, held), denials, held) for clause in clauses)


@dataclass(frozen=True, slots=True)
class _Clause:
    terms: frozenset[str]
    is_negated: bool


def _is_denied(clause: _Clause, about: Sequence[_Clause], denials: Sequence[_Clause], held: Sequence[_Clause]) -> bool:
    """Whether all that are about the same are negated where the clause is not, or the other way round.

    `denials` are those that the negated clauses of its sentence are about: a clause beside may be a part of one of
    them ("After a month, they cannot be restored" of "They cannot be restored after a month").
    """
    if clause.is_negated and any(one.is_negated and one.terms and one.terms <= clause.terms for one in held):
        return False  # two clauses have become one
    return bool(about) and all(
        one.is_negated != clause.is_negated and (clause.is_negated or one not in denials) for one in about
    )


def _clauses(text: str, denials: Denials, terms_of: Callable[[str], frozenset[str]]) -> Iterator[_Clause]:
    for clause in clauses_of(text, denials.language):
        affirmed, is_negated = denials.resolved(clause)
        yield _Clause(terms_of(affirmed), is_negated)
