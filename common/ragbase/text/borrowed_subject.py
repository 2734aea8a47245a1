"""What a part of a question lacks, borrowed from another part.

    When was the bridge built  ·  by whom          ──▶   by whom was the bridge built
    When was the bridge built  ·  who designed it  ──▶   who designed it (the bridge built)
    How much is the Pro plan   ·  the Team plan    ──▶   How much is the Team plan

A part needs something if it says nothing itself, or one word that is no name, or stands for what was named before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragbase.text.asked_about import asked_about, is_small, is_unspaced, places_of_words, plain, words_in
from ragbase.text.korean_particles import has_case
from ragbase.text.question_words import QUESTION_WORDS, QuestionWords
from ragbase.text.scripts import script_language
from ragbase.text.telling_words import count_of

_ELLIPTICAL = 3
"""Words of a part that only names another thing: "And the Team plan?"."""
_is_korean = re.compile("[\uac00-\ud7af]").search
"""Korean has blanks between its words."""
_THING = 3
"""Words in which "which cities was it" comes to its verb."""
_ARTICLE_WORDS = """
the a an der die das den dem des ein eine einen einem einer le la les un une el los las una il lo gli uma o os as de het
een ett det en et
"""
_ARTICLES = frozenset(_ARTICLE_WORDS.split())


@dataclass(frozen=True, slots=True)
class StandalonePart:
    """A part of a question, as it stands alone. `own` is what it says itself, if it borrows its subject in brackets."""

    text: str
    own: str | None = None


def standing_alone(pieces: Sequence[str], language: str | None) -> list[StandalonePart]:
    """The pieces, each with what it lacks of another one; without those that ask nothing, or the same again."""
    pieces = [_without_join(piece, language) for piece in pieces]
    lends = [language is not None and _can_lend(piece, language) for piece in pieces]
    parts: dict[str, StandalonePart] = {}
    for place, piece in enumerate(pieces):
        text = _completed(place, pieces, lends, language) if language is not None else piece
        if asked_about(text, language):
            own = piece if text.startswith(f"{piece} (") else None
            parts.setdefault(" ".join(map(plain, words_in(text))), StandalonePart(text, own))
    return list(parts.values())


def _without_join(piece: str, language: str | None) -> str:
    words = QUESTION_WORDS.get(language or "")
    found = words.joins.match(piece) if words is not None else None
    rest = piece[found.end() :].strip(" ,،，、") if found is not None else ""
    return rest or piece


def _completed(place: int, pieces: Sequence[str], lends: Sequence[bool], language: str) -> str:
    piece, words = pieces[place], QUESTION_WORDS[language]
    lender = _lender(place, pieces, lends, words)
    if lender is None:
        return piece
    telling = asked_about(piece, language)
    if not telling or (place == 0 and _is_bare(piece, language)):
        rest = _without_question(lender, words, language)
        rest = _without_thing(rest, language) if telling else rest
        return f"{piece} {rest}" if words.asks_first else f"{rest} {piece}"
    if place == 0:
        return piece
    if words.asks.search(piece) is None and len(telling) <= _ELLIPTICAL:
        return _in_its_place(lender, piece, language)
    is_short = _tells_little(telling) and not _names(piece, telling[0], pieces[place - 1], words)
    if not is_short and not _points(piece, words):
        return piece
    return f"{piece} ({_subject(lender, words, language)})"


def _points(piece: str, words: QuestionWords) -> bool:
    return any(plain(word) in words.stands_for for word in words_in(piece))


def _can_lend(piece: str, language: str) -> bool:
    return bool(asked_about(piece, language)) and not _is_bare(piece, language)


def _lender(place: int, pieces: Sequence[str], lends: Sequence[bool], words: QuestionWords) -> str | None:
    """The piece that it can borrow from: the nearest one before it that needs nothing itself, or else after it."""
    others = [*reversed(range(place)), *range(place + 1, len(pieces))]
    telling = [pieces[other] for other in others if lends[other]]
    full = (one for one in telling if not _points(one, words))
    return next(full, next(iter(telling), None))


def _tells_little(telling: Sequence[str]) -> bool:
    if _has_no_blanks(telling):
        return count_of(["".join(telling)], script_language(telling[0])) <= 1
    return len(telling) == 1


def _has_no_blanks(telling: Sequence[str]) -> bool:
    return bool(telling) and is_unspaced(telling[0]) is not None and not _is_korean(telling[0])


def _is_bare(piece: str, language: str) -> bool:
    """ "In which countries" asks nothing on its own."""
    words = QUESTION_WORDS[language]
    found = words.asks.search(piece)
    if found is None:
        return False
    telling = asked_about(piece, language)
    if _has_no_blanks(telling):
        return len(telling) == 1 and _tells_little(telling)
    if any(map(has_case, telling)):
        return False
    beside = words_in(piece[found.end() :] if words.asks_first else words.asks.sub(" ", piece))
    return len(beside) <= 1 and len(telling) <= 1


def _without_question(lender: str, words: QuestionWords, language: str) -> str:
    """What it says beside its question word, and the small words before that."""
    found = words.asks.search(lender)
    if found is None:
        return lender
    before, after = lender[: found.start()].rstrip(), lender[found.end() :].strip()
    if words.asks_first and all(is_small(word, language) for word in words_in(before)):
        before = ""
    return f"{before} {after}".strip()


def _without_thing(rest: str, language: str) -> str:
    """Without the words right after "which", if others follow: "which cities was it sold in"."""
    for word in list(places_of_words(rest))[:_THING]:
        if is_small(word[0], language):
            return rest[word.start() :]
    return rest


def _subject(lender: str, words: QuestionWords, language: str) -> str:
    """The lender without the small words at its beginning, but for an article."""
    rest = _without_question(lender, words, language)
    before = ""
    for word in places_of_words(rest):
        if not is_small(word[0], language):
            return f"{before}{rest[word.start() :]}"
        before = f"{word[0]} " if plain(word[0]) in _ARTICLES else ""
    return rest


def _names(piece: str, word: str, before: str, words: QuestionWords) -> bool:
    """Whether the only telling word names a thing: it is written like a name, or follows an article, or the question
    before asks in the same way: "what is a counter and what is a gauge"."""
    given = words_in(piece)
    place = given.index(word) if word in given else 0
    article = place > 0 and plain(given[place - 1]) in _ARTICLES
    named = any(sign.isdigit() or sign in "._/" for sign in word) or (place > 0 and _has_capital(word))
    first, second = words.asks.search(before), words.asks.search(piece)
    alike = first is not None and second is not None and first[0].casefold() == second[0].casefold()
    return article or named or alike


def _has_capital(word: str) -> bool:
    return word != word.lower()


def _in_its_place(lender: str, piece: str, language: str) -> str:
    """The lender's question about the piece's thing, in the place of one with a word of it, or else of the last name or
    thing."""
    given = list(places_of_words(lender))
    asked = {plain(word) for word in asked_about(piece, language)}
    telling = [one for one in given if not is_small(one[0], language)]
    if not telling:
        return f"{piece} {lender}"
    shared = [one for one in telling if plain(one[0]) in asked]
    last = (shared or [one for one in telling if _has_capital(one[0])] or telling)[-1]
    first = given.index(last)
    while first > 0 and given[first - 1] in telling and (shared or _has_capital(given[first - 1][0])):
        first -= 1
    if first > 0 and plain(given[first - 1][0]) in _ARTICLES:
        first -= 1
    return f"{lender[: given[first].start()]}{piece}{lender[last.end() :]}"
