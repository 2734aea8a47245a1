"""The parts of a question that asks for several things, each as a question that stands alone.

    When was the bridge built and by whom?      ──▶   When was the bridge built?  ·  by whom was the bridge built?
    What is X, and how much does Y cost?        ──▶   What is X?  ·  how much does Y cost?
    What is the difference between A and B?     ──▶   A  ·  B

A question is split where it asks again: at several question marks, at the numbers of a list, where an "and" leads to a
question word, and between two things that are compared. No other "and" splits it: a "research and development budget"
is one thing. A part that lacks its subject borrows it (borrowed_subject.py). No part has a word that the question has
not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ragbase.text.asked_about import asked_about, is_small, plain, words_in
from ragbase.text.borrowed_subject import StandalonePart, standing_alone
from ragbase.text.framing_words import FRAMING_WORDS
from ragbase.text.languages import language_of
from ragbase.text.question_words import NEVER_RELATIVE, QUESTION_WORDS, QuestionWords, ending_thing


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """The parts are in their order; there are none if the question is one. With `compares`, one passage may speak of
    all of them, so the whole is searched for, too."""

    parts: tuple[StandalonePart, ...] = ()
    compares: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(part.text for part in self.parts)


NONE = QuestionParts()
_in_brackets = re.compile(r"\s*(\([^()]+\))\s*([?？؟]?)\s*\Z").search
"""What a follow-up borrows of the questions before it (retrieval/conversation/)."""


@lru_cache(maxsize=256)
def question_parts(question: str) -> QuestionParts:
    """The parts of the question by rules; none if it asks for one thing. What stands in brackets at its end belongs to
    all of them."""
    found = _in_brackets(question)
    if found is None:
        return _parts(question)
    whole = _parts(question[: found.start()] + found[2])
    parts = (
        StandalonePart(f"{one.text.rstrip(_SIGNS)} {found[1]}{found[2]}", one.own or one.text) for one in whole.parts
    )
    return QuestionParts(tuple(parts), whole.compares)


def _parts(question: str) -> QuestionParts:
    pieces, language = _listed(question), _language(question)
    if not pieces:
        pieces = _asking(question)
    if len(pieces) <= 1 and (things := _compared(question, language)):
        return QuestionParts(tuple(map(StandalonePart, things)), compares=True)
    split = [part for piece in pieces or [question] for part in _coordinated(piece, language)]
    alone = standing_alone([piece.strip(_AROUND) for piece in split], language) if len(split) > 1 else []
    if len(alone) <= 1:
        return NONE
    opens = "¿" if "¿" in question else ""
    sign = _sign(question)
    return QuestionParts(tuple(StandalonePart(f"{opens}{one.text}{sign}", one.own) for one in alone))


_SIGNS = "?？؟"
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
"""Its question mark is a semicolon."""
_signs = re.compile(rf"[?？؟]|(?<=[{_GREEK}]);").findall
_ends = re.compile(rf"(?<=[?？؟])[\"'”»)]*\s*|(?<=[{_GREEK}];)\s+|(?<=[^\s.]{{3}}[.!])\s+|(?<=[。！])|\n+").split
_marker = re.compile(r"(?:(?<=\s)|\A)\(?(\d{1,2}|[a-h])[).]\s+|^[ \t]*[-*•][ \t]+", re.MULTILINE)
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
    return next((name for name in _possible(question) if _may_split(question, QUESTION_WORDS[name])), None)


def _possible(question: str) -> list[str]:
    text = question.casefold()
    return [name for name, words in QUESTION_WORDS.items() if words.may_join(text)]


def _may_split(question: str, words: QuestionWords) -> bool:
    return words.asks.search(question) is not None and words.joins.search(question) is not None


def _listed(question: str) -> list[str]:
    """The items of a list of questions, with what leads to them if they do not ask on their own."""
    found = list(_marker.finditer(question))
    if len(found) <= 1 or not _counts_up([one[1] for one in found]):
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
    return found is not None and all(is_small(word, language) for word in words_in(text[: found.start()]))


def _asking(question: str) -> list[str]:
    """The sentences that ask, each with what was said before it; what follows the last one belongs to that."""
    sentences = [one for one in _ends(question) if one and one.strip(_AROUND)]
    if len(sentences) <= 1:
        return []
    pieces, said = list[str](), ""
    for sentence in sentences:
        said = f"{said} {sentence}".strip()
        if _asks(sentence) and words_in(said):
            pieces.append(said)
            said = ""
    if said and pieces:
        pieces[-1] = f"{pieces[-1]} {said}"
    return pieces if len(pieces) > 1 else []


def _compared(question: str, language: str | None) -> list[str]:
    """The things that it compares, in the language that it is clearly in, or else in any."""
    for name in [language] if language is not None else _possible(question):
        for pattern in QUESTION_WORDS[name].compares:
            if things := _things(pattern, question, name):
                return things
    return []


def _things(pattern: re.Pattern[str], question: str, language: str) -> list[str]:
    found = pattern.search(question)
    if found is None:
        return []
    before = found if "a" in pattern.groupindex else ending_thing(question[: found.start()])
    if before is None:
        return []
    first = re.split(r"\s*,\s*|、", before["a" if before is found else 0].strip(_AROUND))
    things = [one.strip(_AROUND) for one in (*first, found["b"])]
    if not all(asked_about(one, language) for one in things) or len(set(map(str.casefold, things))) < len(things):
        return []
    head = found["head"].strip() if "head" in pattern.groupindex else ""
    return [f"{head} {one}".strip() for one in things]


_AUXILIARY_WORDS = "is are was were do does did can could will would should has have may must"
_AUXILIARIES = frozenset(_AUXILIARY_WORDS.split())
_WHO_IN_ARABIC = "من"
"""Inside of a question, it nearly always means "from"."""
_BETWEEN = 3
"""Words between "and" and the question word: "and in about which"."""
_COMMA_BEFORE_CLAUSES = ("german", "russian", "ukrainian", "polish", "czech", "hungarian", "finnish", "danish")
"""Languages that put a comma before each subordinate clause: a question word after one may be a conjunction."""


_LEADS = frozenset({"can you", "do you", "czy", "чи", "هل", "האם"})
"""Before a comma, they ask whether somebody can tell."""


def _coordinated(piece: str, language: str | None) -> list[str]:
    """The piece, divided where "and" leads to another question. Of several sentences, only the one that asks is."""
    if language is None or not _may_split(piece, QUESTION_WORDS[language]):
        return [piece]
    sentences = [one for one in _ends(piece) if one and one.strip(_AROUND)]
    asking = [one for one in sentences if _signs(one)] if len(sentences) > 1 else sentences
    if len(asking) != 1:
        return [piece]
    before, _, after = piece.partition(asking[0])
    first, *others = _divided(asking[0], language)
    return [before + first, *others[:-1], others[-1] + after] if others else [piece]


def _divided(sentence: str, language: str) -> list[str]:
    words = QUESTION_WORDS[language]
    divides = _asks_again if words.asks_first else _both_ask
    cuts = [(0, 0)]
    for join in words.joins.finditer(sentence):
        left, right = sentence[cuts[-1][1] : join.start()], sentence[join.end() :]
        if join.start() >= cuts[-1][1] and divides(left, right, language):
            cuts.append((join.start(), join.end()))
    texts = [sentence[before[1] : after[0]] for before, after in pairwise([*cuts, (len(sentence), len(sentence))])]
    return [part for text in texts for part in _after_commas(text, language)] if len(texts) > 1 else [sentence]


def _both_ask(left: str, right: str, language: str) -> bool:
    asks = QUESTION_WORDS[language].asks
    return asks.search(left) is not None and asks.search(right) is not None


def _asks_again(left: str, right: str, language: str) -> bool:
    asks = QUESTION_WORDS[language].asks
    found = asks.search(right)
    if found is None or (asks.search(left) is None and not _opens(left, language)):
        return False
    between = words_in(right[: found.start()])
    if len(between) > _BETWEEN or not all(is_small(word, language) for word in between):
        return False
    return found[0].casefold() in NEVER_RELATIVE or not any(
        one[0].casefold() == found[0].casefold() and _goes_on(left[: one.start()], language)
        for one in asks.finditer(left)
    )


def _goes_on(before: str, language: str) -> bool:
    """Whether a question word after this belongs to the words before it: "the man who", "happens when"."""
    if before.rstrip().endswith((",", ":")) and language not in _COMMA_BEFORE_CLAUSES:
        return False
    return bool(asked_about(before, language))


def _opens(text: str, language: str) -> bool:
    """Whether it asks without a question word: for an explanation, or for a yes or no."""
    opener = next(iter(words_in(text)), "")
    if (language == "english" and plain(opener) in _AUXILIARIES) or opener == _WHO_IN_ARABIC:
        return True
    frames = FRAMING_WORDS.get(language, frozenset())
    return any(plain(word) in frames for word in words_in(text)[:4])


def _asks_itself(left: str, words: QuestionWords) -> bool:
    """Whether it asks something, and does not only lead to what is asked: "Hello", "Can you tell me"."""
    asked = (" ".join(found[0].lower().split()) for found in words.asks.finditer(left))
    return any(one not in _LEADS for one in asked)


def _after_commas(text: str, language: str) -> Iterator[str]:
    """ "When, where" has two questions, if another one follows. "Hello, when" has one."""
    words = QUESTION_WORDS[language]
    start = 0
    if words.asks_first:
        for comma in re.finditer(r"[,،]\s*", text):
            left, right = text[start : comma.start()], text[comma.end() :]
            if right and _asks_itself(left, words) and _asks_again(left, right, language):
                yield left
                start = comma.end()
    yield text[start:]
