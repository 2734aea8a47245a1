"""Whether a sentence turns the direction of a place round: before and after, more and less, rise and fall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragbase.retrieval.meaning.clauses import Terms, about, clauses_of, content_of
from ragbase.retrieval.meaning.read_text import BETWEEN, ReadText
from ragbase.retrieval.meaning.words import Opposites, opposites

_AFTER_ITS_THING = frozenset(["tr", "hi", "ja", "zh", "ko"])
"""Languages in which "before" stands after the thing: 电源之前."""


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Sides:
    """The terms on both sides of a relation: "B" and "A" of "B before A" and of "Before A, B"."""

    main: frozenset[str]
    thing: frozenset[str]


def is_turned(sentence: ReadText, place: ReadText, terms_of: Terms) -> bool:
    """Whether the sentence has the opposite of a word of the place, about the same; or the same relation with both
    things exchanged. "A before B" is "B after A"."""
    listed = opposites(sentence.language.code)
    pairs = [pair for pair in listed if pair.one.search(sentence.text) or pair.other.search(sentence.text)]
    relations = [pair for pair in pairs if pair.is_relation]
    changes = [pair for pair in pairs if not pair.is_relation]
    return any(_is_other_relation(pair, sentence, place, terms_of) for pair in relations) or _has_other_change(
        changes, sentence, place, terms_of
    )


def _has_other_change(pairs: Sequence[Opposites], sentence: ReadText, place: ReadText, terms_of: Terms) -> bool:
    ours = [clause for clause in _clauses(sentence, terms_of) if _sides_of(pairs, clause.text)]
    held = list(_clauses(place, terms_of)) if ours else []
    for clause in ours:
        found = about(clause, held) or (held if len(held) == 1 else [])
        text = " | ".join(one.text for one in found)
        denials = [sentence.language.denies.search(one) is not None for one in (clause.text, text)]
        if text and denials[0] == denials[1] and any(_differ(pair, clause.text, text) for pair in pairs):
            return True
    return False


def _sides_of(pairs: Sequence[Opposites], text: str) -> bool:
    return any(pair.one.search(text) or pair.other.search(text) for pair in pairs)


def _differ(pair: Opposites, ours: str, theirs: str) -> bool:
    one, other = _which(pair, ours), _which(pair, theirs)
    return one is not None and other is not None and one != other


def _which(pair: Opposites, text: str) -> bool | None:
    """Whether the text has the one word, or the other; None if it has both or none."""
    one, other = pair.one.search(text) is not None, pair.other.search(text) is not None
    return one if one != other else None


def _is_other_relation(pair: Opposites, sentence: ReadText, place: ReadText, terms_of: Terms) -> bool:
    ours = _which(pair, sentence.text)
    theirs = _which(pair, place.text) if ours is not None else None
    if theirs is None:
        return False
    our_word = (pair.one if ours else pair.other).search(sentence.text)
    their_word = (pair.one if theirs else pair.other).search(place.text)
    if our_word is None or their_word is None:
        return False
    one, other = _sides(our_word, sentence, terms_of), _sides(their_word, place, terms_of)
    crossed = len(one.main & other.thing), len(one.thing & other.main)
    if ours == theirs:
        return all(crossed) and not one.thing & other.thing
    is_about = len((one.main | one.thing) & (other.main | other.thing)) > 1
    is_crossed = all(crossed) and sum(crossed) > len(one.main & other.main) + len(one.thing & other.thing)
    return is_about and not is_crossed


def _sides(word: re.Match[str], reading: ReadText, terms_of: Terms) -> _Sides:
    before, after = content_of(word.string[: word.start()]), content_of(word.string[word.end() :])
    if reading.language.code in _AFTER_ITS_THING:
        begin = max((match.end() for match in BETWEEN.finditer(before)), default=0)
        return _Sides(terms_of(f"{before[:begin]} {after}"), terms_of(before[begin:]))
    if not re.search(r"\w", before):  # Before A, B
        end = BETWEEN.search(after)
        cut = end.start() if end is not None else len(after)
        return _Sides(terms_of(after[cut:]), terms_of(after[:cut]))
    return _Sides(terms_of(before), terms_of(after))


def _clauses(reading: ReadText, terms_of: Terms) -> Iterator[_Clause]:
    for text in clauses_of(reading.text, reading.language):
        yield _Clause(text, terms_of(text))
