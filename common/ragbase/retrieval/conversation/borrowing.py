"""The rule that completes a follow-up without a model: it borrows the words of the question before.

    How are backups encrypted?
    And on Windows?                  ──▶   And on Windows (backups encrypted)?
    Who wrote the tool for it?       ──▶   Who wrote the tool for it (Windows backups encrypted)?

A question is completed if it says little itself, or if it points at what was said before. One that names its subject is
left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile, takewhile

from ragbase.domain.conversation import FollowUp, Role, Turn
from ragbase.text.follow_up_words import (
    ARTICLES,
    ASKING,
    LIGHT,
    OPENERS,
    PRONOUN_ENDINGS,
    PRONOUNS,
    TELLING_AFTER_ARTICLE,
    without_politeness,
)
from ragbase.text.framing_words import without_framing
from ragbase.text.function_words import FUNCTION_WORDS, WITHOUT_BLANKS
from ragbase.text.korean_particles import without_particle
from ragbase.text.languages import LATIN_SCRIPT, language_of
from ragbase.text.scripts import script_language
from ragbase.text.small_letters import small_letters
from ragbase.text.telling_words import count_of, parts_of_word, telling_words, words_of

_FEW = 2
"""A question of so few telling words is completed."""
_FEW_GOING_ON = 4
"""One that goes on from what was said before, by a pronoun or by its first word, may have so many."""
_MOST_BACK = 5
"""Questions before it that are looked at for the subject."""
_MOST_BORROWED = 24
"""Words. More would be heavier than the question."""
_WITHIN = 3
"""Words after a preposition in which its phrase begins."""
_ENDS = "?？؟;；.!。！ "
_NONE = frozenset[str]()
_AND = {"arabic": "و", "hebrew": "ו"}
"""It is written as one with the word after it."""


@dataclass(frozen=True)
class Borrowing:
    """A question, and what it may borrow: the questions before it, oldest first, and the documents that the last answer
    cites. A few words do not show their language: `language` is that of the questions before."""

    question: str
    before: Sequence[str]
    documents: frozenset[str]
    language: str | None

    @classmethod
    def of(cls, question: str, history: Sequence[Turn]) -> Borrowing:
        before = [turn.text for turn in history if turn.role == Role.USER][-_MOST_BACK:]
        cited = next((turn.documents for turn in reversed(history) if turn.role == Role.ASSISTANT), ())
        return cls(question, before, frozenset(cited), _language_of(question, before))

    def completed(self) -> str | None:
        """The question with what it borrows; None if it makes sense alone, or if there is nothing to borrow."""
        if not self.before or not self._asked(self.question).needs_more:
            return None
        borrowed = self._borrowed()
        if not borrowed:
            return None
        stem = self.question.rstrip(_ENDS)
        return f"{stem} ({' '.join(borrowed)}){self.question[len(stem) :].strip()}"

    def follow_up(self) -> FollowUp:
        asked = self._asked(self.question)
        return FollowUp(tuple(asked.telling), asked.points_back, asked.asks, self.documents)

    def _asked(self, question: str) -> _Words:
        return _Words(question, self.language)

    def _borrowed(self) -> list[str]:
        """The telling words of the questions before, the last one first, back to one that makes sense alone."""
        own = {word.lower() for word in words_of(self.question)} | self._replaced(self.before[-1])
        found: dict[str, str] = {}
        for before in reversed(self.before):
            asked = self._asked(before)
            for word in asked.telling:
                if word.lower() not in own:
                    found.setdefault(word.lower(), word)
            if not asked.needs_more:
                break
        return list(found.values())[:_MOST_BORROWED]

    def _replaced(self, before: str) -> set[str]:
        """The words of the question before in whose place this one puts others: after "How do I share state with a
        mutex?", "and with channels?" is not about a mutex."""
        own = self._asked(self.question)
        place = own.place_named
        if place is None:
            return set()
        with_digits = _has_digit(" ".join(own.telling))
        phrases = self._asked(before).phrases_after(place)
        return {word for phrase in phrases if _has_digit(" ".join(phrase)) == with_digits for word in phrase}


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _language_of(question: str, before: Sequence[str]) -> str | None:
    """The language of the questions before, which are longer; if it is not written in the letters of this one, the one
    that most often is."""
    spoken = language_of(" ".join(before)) or language_of(" ".join((question, *before)))
    script = script_language(question)
    return spoken if script is None or (spoken is not None and spoken not in LATIN_SCRIPT) else script


@dataclass(frozen=True)
class _Words:
    text: str
    language: str | None

    @cached_property
    def telling(self) -> list[str]:
        """The words that say what it is about, without those that point at something else."""
        empty = self._empty
        text = without_politeness(without_framing(self.text, self.language), self.language)
        if self.language in WITHOUT_BLANKS:
            text = re.sub("|".join(map(re.escape, sorted(empty, key=len, reverse=True))), " ", text)
        words = telling_words(text, self.language)
        function = FUNCTION_WORDS.get(self.language or "", _NONE)
        return [word for word in words if (listed := self._listed(word)) not in empty and listed not in function]

    @cached_property
    def _empty(self) -> frozenset[str]:
        return frozenset[str]().union(*map(self._words, (PRONOUNS, OPENERS, ASKING, LIGHT)))

    def _listed(self, word: str) -> str:
        """The word as lists have it: in small letters, and without a Korean particle or an Arabic or Hebrew "and" if
        lists have it so."""
        small = small_letters(word, self.language)
        if self.language == "korean":
            bare = without_particle(small)
        else:
            bare = small.removeprefix(_AND.get(self.language or "", ""))
        known = bare in self._empty or bare in FUNCTION_WORDS.get(self.language or "", _NONE)
        return bare if known and small not in self._empty else small

    @property
    def needs_more(self) -> bool:
        if self._opens or self.points_back:
            return count_of(self.telling, self.language) <= _FEW_GOING_ON
        if self._names and len(self.telling) > 1:  # it says something of what it names
            return False
        return count_of(self.telling, self.language) <= _FEW

    @property
    def points_back(self) -> bool:
        """Whether a pronoun stands for something that this question does not name before it: in "When did Tesla leave
        his home?", it does."""
        if self.language in WITHOUT_BLANKS:
            return self._has(PRONOUNS)
        pronouns, endings = self._words(PRONOUNS), PRONOUN_ENDINGS.get(self.language or "", ())
        for place, word in enumerate(self._written):
            if word in self._names:
                return False
            if self._is_article(place):
                continue
            small = self._listed(word)
            parts = {small, *parts_of_word(small)}
            if not pronouns.isdisjoint(parts) or (endings and word.endswith(endings)):
                return True
        return False

    def _is_article(self, place: int) -> bool:
        """Whether a pronoun is an article here, as its noun follows: "das alte Tor", "het Rijksmuseum"."""
        if self._all[place] not in ARTICLES.get(self.language or "", _NONE):
            return False
        after = self._written[place + 1 : place + 3]
        nouns = after if self.language == "german" else after[:1]
        if any(word[:1].isupper() for word in nouns):
            return True
        following = takewhile(self.telling.__contains__, after)
        return len(list(following)) >= TELLING_AFTER_ARTICLE.get(self.language or "", 2)

    @property
    def asks(self) -> bool:
        return self._has(ASKING)

    @property
    def place_named(self) -> str | None:
        """The function word before its only phrase: the "with" of "And with channels?"."""
        if not self._opens or self.asks or self.points_back or self.language in WITHOUT_BLANKS or not self._all[2:]:
            return None
        word = self._all[1]
        return word if word in FUNCTION_WORDS.get(self.language or "", _NONE) else None

    def phrases_after(self, place: str) -> list[list[str]]:
        """The telling words that stand together after each of this function word."""
        telling = {word.lower() for word in self.telling}
        found: list[list[str]] = []
        for start in [number for number, word in enumerate(self._all, start=1) if word == place]:
            following = list(dropwhile(lambda word: word not in telling, self._all[start : start + _WITHIN]))
            rest = self._all[start + _WITHIN :] if following else []
            found.append(list(takewhile(telling.__contains__, [*following, *rest])))
        return found

    @property
    def _opens(self) -> bool:
        openers = self._words(OPENERS)
        if self.language in WITHOUT_BLANKS:
            return self.text.startswith(tuple(openers))
        return bool(self._all) and self._all[0] in openers

    def _has(self, lists: dict[str, frozenset[str]]) -> bool:
        wanted = self._words(lists)
        if self.language in WITHOUT_BLANKS:
            return any(word in self.text for word in wanted)
        return not wanted.isdisjoint(self._all)

    def _words(self, lists: dict[str, frozenset[str]]) -> frozenset[str]:
        return lists.get(self.language or "", _NONE)

    @cached_property
    def _names(self) -> frozenset[str]:
        """Words that begin with a capital, but for the first one. In German, nouns do, and in capitals, all."""
        if self.language == "german" or self.text.isupper():
            return frozenset()
        return frozenset(word for word in self._written[1:] if word[:1].isupper()).intersection(self.telling)

    @cached_property
    def _all(self) -> list[str]:
        return [self._listed(word) for word in self._written]

    @cached_property
    def _written(self) -> list[str]:
        return words_of(self.text)
