"""The parts of a question that asks for several things, each as a question that stands alone.

    When was the bridge built and by whom?      ──▶   When was the bridge built?  ·  by whom was the bridge built?
    What is X, and how much does Y cost?        ──▶   What is X?  ·  how much does Y cost?
    What is the difference between A and B?     ──▶   A  ·  B

A question is split where it asks again: at several question marks, at the numbers of a list, where an "and" leads to a
question word, and between two things that are compared. No other "and" splits it: a "research and development budget"
is one thing. A part that lacks its subject borrows it. No part has a word that the question has not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ragbase.text.framing_words import FRAMING_WORDS
from ragbase.text.function_words import FUNCTION_WORDS
from ragbase.text.languages import language_of
from ragbase.text.question_words import QUESTION_WORDS, QuestionWords, is_unspaced
from ragbase.text.scripts import MARKS


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """`texts` are the parts, in their order; none if the question is one. With `compares`, one passage may speak of
    all of them, so the whole is searched for, too."""

    texts: tuple[str, ...] = ()
    compares: bool = False


NONE = QuestionParts()


@lru_cache(maxsize=256)
def question_parts(question: str) -> QuestionParts:
    """The parts of the question by rules; none if it asks for one thing."""
    pieces, language = _listed(question), _language(question)
    if not pieces:
        pieces = _asking(question)
    if len(pieces) < 2 and (things := _compared(question, language)):
        return QuestionParts(tuple(things), compares=True)
    split = [part for piece in pieces or [question] for part in _coordinated(piece, language)]
    parts = _standing_alone(split, language or "", _sign(question)) if len(split) > 1 else []
    return QuestionParts(tuple(parts)) if len(parts) > 1 else NONE


_signs = re.compile(r"[?？؟]").findall
_ends = re.compile(r"(?<=[?？؟])[\"'”»)]*\s*|(?<=[^\s.]{3}[.!])\s+|(?<=[。！])|\n+").split
_marker = re.compile(r"(?:(?<=\s)|\A)\(?(\d{1,2}|[a-h])[).]\s+|^[ \t]*[-*•][ \t]+", re.MULTILINE)
_WORD = rf"[^\W_](?:[^\W_]|[{MARKS}])*"
_words = re.compile(rf"{_WORD}(?:[-_.'’/]{_WORD})*").findall
_places = re.compile(rf"{_WORD}(?:[-_.'’/]{_WORD})*").finditer
_AROUND = ' \t\r\n,;:.!?？؟，、；。！¿¡"“”«»()-–—*•'


def _sign(question: str) -> str:
    found = _signs(question)
    return found[-1] if found else ""


def _language(question: str) -> str | None:
    """The language that the question is split in: its own, or else the one that has a word that asks and one that
    joins."""
    own = language_of(question)
    if own in QUESTION_WORDS:
        return own
    return next((name for name, words in QUESTION_WORDS.items() if _may_split(question, words)), None)


def _may_split(question: str, words: QuestionWords) -> bool:
    return words.asks.search(question) is not None and words.joins.search(question) is not None


def _listed(question: str) -> list[str]:
    """The items of a list of questions, with what leads to them if they do not ask on their own."""
    found = list(_marker.finditer(question))
    if len(found) < 2 or not _counts_up([one[1] for one in found]):
        return []
    places = [*(one.start() for one in found), len(question)]
    lead = question[: places[0]].strip()
    items = [question[one.end() : end] for one, end in zip(found, places[1:], strict=True)]
    if all(_asks(item) for item in items):
        return items
    return [f"{lead.rstrip(_AROUND)} {item.strip(_AROUND)}" for item in items] if lead.endswith(":") else []


def _counts_up(numbers: Sequence[str | None]) -> bool:
    given = [int(one) if one.isdigit() else ord(one) - ord("a") + 1 for one in numbers if one is not None]
    return given == list(range(1, len(given) + 1)) and len(given) in (0, len(numbers))


def _asks(text: str) -> bool:
    if _signs(text):
        return True
    language = _language(text)
    return language is not None and _is_first(text, language)


def _is_first(text: str, language: str) -> bool:
    """Whether the text begins with a question word, perhaps after a preposition."""
    words = QUESTION_WORDS[language]
    found = words.asks.search(text)
    return found is not None and all(_is_small(word, language) for word in _words(text[: found.start()]))


def _asking(question: str) -> list[str]:
    """The sentences that ask, each with what was said before it; what follows the last one belongs to that."""
    sentences = [one for one in _ends(question) if one and one.strip(_AROUND)]
    if len(sentences) < 2:
        return []
    pieces, said = list[str](), ""
    for sentence in sentences:
        said = f"{said} {sentence}".strip()
        if _asks(sentence) and (said_words := _words(said)):
            if pieces and not any(len(word) > 1 for word in said_words):
                continue
            pieces.append(said)
            said = ""
    if said and pieces:
        pieces[-1] = f"{pieces[-1]} {said}"
    return pieces if len(pieces) > 1 else []


def _compared(question: str, language: str | None) -> list[str]:
    """The things that it compares, in the language that it is clearly in, or else in any."""
    for name, words in QUESTION_WORDS.items() if language is None else [(language, QUESTION_WORDS[language])]:
        for pattern in words.compares:
            if things := _things(pattern, question, name):
                return things
    return []


def _things(pattern: re.Pattern[str], question: str, language: str) -> list[str]:
    found = pattern.search(question)
    if found is None:
        return []
    first = re.split(r"\s*,\s*|、", found["a"].strip(_AROUND))
    things = [one.strip(_AROUND) for one in (*first, found["b"])]
    if not all(_telling(one, language) for one in things) or len(set(map(str.casefold, things))) < len(things):
        return []
    head = found["head"].strip() if "head" in pattern.groupindex else ""
    return [f"{head} {one}".strip() for one in things]


_BETWEEN = 3
"""Words between "and" and the question word: "and in about which"."""
_CLAUSES_AFTER_COMMA = frozenset(
    {"german", "russian", "ukrainian", "polish", "czech", "hungarian", "finnish", "danish"}
)
"""Languages that put a comma before each subordinate clause: a question word after one may be a conjunction."""


def _coordinated(piece: str, language: str | None) -> list[str]:
    """The piece, divided where "and" leads to another question."""
    if language is None or not _may_split(piece, words := QUESTION_WORDS[language]):
        return [piece]
    cuts = [(0, 0)]
    for join in words.joins.finditer(piece):
        left, right = piece[cuts[-1][1] : join.start()], piece[join.end() :]
        divides = _asks_again if words.asks_first else _both_ask
        if join.start() > cuts[-1][1] and divides(left, right, language):
            cuts.append((join.start(), join.end()))
    if len(cuts) == 1:
        return [piece]
    texts = [piece[before[1] : after[0]] for before, after in pairwise([*cuts, (len(piece), len(piece))])]
    return [part for text in texts for part in _after_commas(text, language)]


def _both_ask(left: str, right: str, language: str) -> bool:
    asks = QUESTION_WORDS[language].asks
    return asks.search(left) is not None and asks.search(right) is not None


def _asks_again(left: str, right: str, language: str) -> bool:
    asks = QUESTION_WORDS[language].asks
    found, before = asks.search(right), asks.search(left)
    if found is None or (before is None and not _is_framing(left, language)):
        return False
    between = _words(right[: found.start()])
    if len(between) > _BETWEEN or not all(_is_small(word, language) for word in between):
        return False
    return not any(
        one[0].casefold() == found[0].casefold() and _goes_on(left[: one.start()], language)
        for one in asks.finditer(left)
    )


def _goes_on(before: str, language: str) -> bool:
    """Whether a question word after this belongs to the words before it: "the man who", "happens when"."""
    if before.rstrip().endswith((",", ":")) and language not in _CLAUSES_AFTER_COMMA:
        return False
    return bool(_telling(before, language))


def _is_framing(text: str, language: str) -> bool:
    frames = FRAMING_WORDS.get(language, frozenset())
    return any(_plain(word) in frames for word in _words(text)[:4])


def _after_commas(text: str, language: str) -> Iterator[str]:
    """ "When, where" has two questions, if another one follows."""
    words = QUESTION_WORDS[language]
    start = 0
    if words.asks_first:
        for comma in re.finditer(r"[,،]\s*", text):
            right = text[comma.end() :]
            if right and _asks_again(text[start : comma.start()], right, language):
                yield text[start : comma.start()]
                start = comma.end()
    yield text[start:]


def _plain(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _is_small(word: str, language: str) -> bool:
    word = _plain(word)
    return (
        word in FUNCTION_WORDS.get(language, frozenset())
        or word in FRAMING_WORDS.get(language, frozenset())
        or QUESTION_WORDS[language].joins.fullmatch(word) is not None
    )


def _telling(text: str, language: str) -> list[str]:
    """The words that say what a question is about."""
    words = QUESTION_WORDS.get(language)
    if words is None:
        return [word for word in _words(text) if len(word) > 1]
    text = words.asks.sub(" ", text)
    if is_unspaced(text):
        small = sorted(FUNCTION_WORDS.get(language, ()), key=lambda word: -len(word))
        text = re.sub("|".join(map(re.escape, small)), " ", text) if small else text
        return _words(words.joins.sub(" ", text))
    return [word for word in _words(text) if not _is_small(word, language) and _plain(word) not in words.stands_for]


def _standing_alone(pieces: Sequence[str], language: str, sign: str) -> list[str]:
    """The pieces, each with what it lacks of another one; without those that ask nothing."""
    pieces = [_without_join(piece, language) for piece in pieces]
    texts: dict[str, str] = {}
    for place, piece in enumerate(pieces):
        lent = _borrowed(place, pieces, language)
        text = lent if lent is not None else piece
        if _telling(text, language):
            texts.setdefault(" ".join(map(_plain, _words(text))), f"{text}{sign}")
    return list(texts.values())


def _without_join(piece: str, language: str) -> str:
    piece = piece.strip(_AROUND)
    words = QUESTION_WORDS.get(language)
    found = words.joins.match(piece) if words is not None else None
    rest = piece[found.end() :].strip(_AROUND) if found is not None else ""
    return rest or piece


def _borrowed(place: int, pieces: Sequence[str], language: str) -> str | None:
    """The piece with what it lacks; None if it stands alone, or nobody has it."""
    piece, words = pieces[place], QUESTION_WORDS.get(language)
    lender = _lender(place, pieces, language)
    if words is None or lender is None:
        return None
    telling = _telling(piece, language)
    if not telling or (_is_bare(piece, language) and place == 0):
        rest = _without_question(lender, words, language)
        rest = _without_thing(rest, language) if telling else rest
        return f"{piece} {rest}" if words.asks_first else f"{rest} {piece}"
    if place == 0:
        return None
    if words.asks.search(piece) is None and len(telling) <= _ELLIPTICAL:
        return _in_its_place(lender, piece, language)
    is_led = any(_plain(word) in words.stands_for for word in _words(piece))
    is_short = _tells_little(telling) and not _names(piece, telling[0], pieces[place - 1], words, language)
    return f"{piece} ({_subject(lender, words, language)})" if is_led or is_short else None


def _lender(place: int, pieces: Sequence[str], language: str) -> str | None:
    """The piece that it can borrow from: the nearest one before it that needs nothing itself, or else after it."""
    words = QUESTION_WORDS.get(language)
    if words is None:
        return None
    others = [*reversed(pieces[:place]), *pieces[place + 1 :]]
    telling = [one for one in others if _telling(one, language) and not _is_bare(one, language)]
    full = (one for one in telling if not any(_plain(word) in words.stands_for for word in _words(one)))
    return next(full, next(iter(telling), None))


def _tells_little(telling: Sequence[str]) -> bool:
    """One word; or some characters of a script without blanks."""
    if is_unspaced(telling[0]):
        return len("".join(telling)) <= _FEW_CHARACTERS
    return len(telling) == 1


_FEW_CHARACTERS = 4


_ELLIPTICAL = 3


def _is_bare(piece: str, language: str) -> bool:
    """ "In which countries" asks nothing on its own."""
    words = QUESTION_WORDS[language]
    found = words.asks.search(piece)
    after = _words(piece[found.end() :]) if found is not None and words.asks_first else None
    return after is not None and len(after) <= 1 and len(_telling(piece, language)) <= 1


def _without_question(lender: str, words: QuestionWords, language: str) -> str:
    """What it says beside its question word, and the small words before that."""
    found = words.asks.search(lender)
    if found is None:
        return lender
    before, after = lender[: found.start()].rstrip(), lender[found.end() :].strip()
    if words.asks_first and all(_is_small(word, language) for word in _words(before)):
        before = ""
    return f"{before} {after}".strip()


def _without_thing(rest: str, language: str) -> str:
    """Without the words right after "which", if others follow: "which cities was it sold in"."""
    for word in list(_places(rest))[:3]:
        if _is_small(word[0], language):
            return rest[word.start() :]
    return rest


def _subject(lender: str, words: QuestionWords, language: str) -> str:
    """The same without the small words at its beginning, but for an article."""
    rest = _without_question(lender, words, language)
    before = ""
    for word in _places(rest):
        if not _is_small(word[0], language):
            return f"{before}{rest[word.start() :]}"
        before = f"{word[0]} " if _plain(word[0]) in _ARTICLES else ""
    return rest


_ARTICLES = frozenset(
    [
        "the",
        "a",
        "an",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "ein",
        "eine",
        "einen",
        "einem",
        "einer",
        "le",
        "la",
        "les",
        "un",
        "une",
        "el",
        "los",
        "las",
        "una",
        "il",
        "lo",
        "gli",
        "uma",
        "o",
        "os",
        "as",
        "de",
        "het",
        "een",
        "ett",
        "det",
        "en",
        "et",
    ]
)


def _names(piece: str, word: str, before: str, words: QuestionWords, language: str) -> bool:
    """Whether the only telling word names a thing: it is written like a name, or follows an article, or the question
    before asks in the same way: "what is a counter and what is a gauge"."""
    given = _words(piece)
    place = given.index(word) if word in given else 0
    article = place > 0 and _plain(given[place - 1]) in _ARTICLES
    named = any(sign.isdigit() or sign in "._/" for sign in word) or (place > 0 and word != word.lower())
    first, second = words.asks.search(before), words.asks.search(piece)
    alike = first is not None and second is not None and first[0].casefold() == second[0].casefold()
    return article or named or alike


def _in_its_place(lender: str, piece: str, language: str) -> str:
    """The lender's question about the piece's thing: "How much is the Pro plan? And the Team plan?"."""
    given = list(_places(lender))
    asked = {_plain(word) for word in _telling(piece, language)}
    telling = [one for one in given if not _is_small(one[0], language)]
    last = next((one for one in reversed(telling) if _plain(one[0]) in asked), None)
    last = last or next(
        (one for one in reversed(telling) if one[0] != one[0].lower()), telling[-1] if telling else None
    )
    if last is None:
        return f"{piece} {lender}"
    first = given.index(last)
    is_shared = _plain(last[0]) in asked
    while (
        first > 0 and given[first - 1] in telling and (is_shared or given[first - 1][0] != given[first - 1][0].lower())
    ):
        first -= 1
    if first > 0 and _plain(given[first - 1][0]) in _ARTICLES:
        first -= 1
    return f"{lender[: given[first].start()]}{piece}{lender[last.end() :]}"
