"""What a sentence says otherwise than the places that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragbase.domain.answer import Unsupported
from ragbase.retrieval.meaning import modality
from ragbase.retrieval.meaning.amounts import are_swapped, has_dates, has_numbers, has_times
from ragbase.retrieval.meaning.clauses import Terms
from ragbase.retrieval.meaning.direction import is_turned
from ragbase.retrieval.meaning.names import missing_name
from ragbase.retrieval.meaning.read_text import ReadText, read
from ragbase.retrieval.negations import Language, language_named
from ragbase.retrieval.negations import language_of as language_by_words
from ragbase.retrieval.reversal import is_reversed
from ragbase.text.languages import language_of

LEAST = 0.5
"""The share of the terms of a sentence that a place has to have. A model says the same in other words, so not all of
them can be asked for."""

_BEGINNING = 5
"""Letters that two forms of a word share."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class CitedPlace:
    """What a sentence is compared with: the cited texts, the headings above them with the header of their table and
    the name of their document (`titles`), and the passages that they are from (`passages`), whose names a sentence may
    give for "he" and "it"."""

    texts: Sequence[str]
    titles: Sequence[str] = ()
    passages: Sequence[str] = ()


def disagreements(sentence: str, place: CitedPlace, terms_of: Terms) -> Iterator[Unsupported]:
    """Each way in which the place does not say what the sentence says. A sentence that repeats it has none."""
    if is_repeated(sentence, place):
        return
    text = " ".join(place.texts)
    language = _language(f"{sentence} {text}", place.passages)
    ours, theirs, titles = (read(one, language) for one in (sentence, text, " ".join(place.titles)))
    yield from _lacks(ours, theirs, titles, terms_of)
    if missing_name(ours, theirs, read(" ".join((*place.titles, *place.passages)), language)) is not None:
        yield Unsupported.NAME
    if is_reversed(sentence, place.texts, terms_of, language if language.code else None):
        yield Unsupported.NEGATION
    yield from modality.disagreements(ours, theirs, terms_of)
    if is_turned(ours, theirs, terms_of):
        yield Unsupported.DIRECTION


def _language(text: str, passages: Sequence[str]) -> Language:
    """The language of the first passage that shows it: that of a sentence is often not clear."""
    named = next(filter(None, map(language_of, passages)), None)
    return language_named(named) if named is not None else language_by_words(text)


def lacks(words: str, text: str, passage: str, terms_of: Terms) -> Iterator[Unsupported]:
    """Whether the text, which is from this passage, lacks too many of the words, or a number or date."""
    language = _language(f"{words} {text}", [passage])
    return _lacks(read(words, language), read(text, language), read("", language), terms_of)


def _lacks(ours: ReadText, theirs: ReadText, titles: ReadText, terms_of: Terms) -> Iterator[Unsupported]:
    held = terms_of(theirs.text)
    wanted, said = terms_of(ours.rest), terms_of(ours.text)
    if not said or not any(_has_enough(held | terms_of(titles.text), words) for words in (said, wanted)):
        yield Unsupported.WORDS
    has_identifiers = {term for term in wanted if any(map(str.isdigit, term))} <= held | terms_of(titles.text)
    has_amounts = has_numbers(ours, theirs, titles) and has_times(ours, theirs, titles)
    if not has_identifiers or not has_amounts or are_swapped(ours, theirs, terms_of):
        yield Unsupported.NUMBER
    if not has_dates(ours, theirs, titles):
        yield Unsupported.DATE


def is_repeated(sentence: str, place: CitedPlace) -> bool:
    """Whether the sentence has exactly the words of the texts, with other marks between them at most. A part of them
    may say something else: "It is encrypted" of "Nobody says that it is encrypted"."""
    words = _WORD.findall(sentence)
    return bool(words) and any(words == _WORD.findall(text) for text in (" ".join(place.texts), *place.texts))


def _has_enough(held: frozenset[str], wanted: frozenset[str]) -> bool:
    """Whether enough of the terms are held. Where there are too few, those that begin alike count, too: of some
    languages, the terms are no stems."""
    missing = wanted - held
    if len(missing) <= (1 - LEAST) * len(wanted):
        return True
    begins = {one[:_BEGINNING] for one in held if len(one) >= _BEGINNING and one.isalpha()}
    alike = {one for one in missing if one.isalpha() and one[:_BEGINNING] in begins}
    return len(missing - alike) <= (1 - LEAST) * len(wanted)
