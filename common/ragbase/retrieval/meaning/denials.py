"""Words that deny: "disabled" is "not enabled", "unsupported" is "not supported"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragbase.retrieval.meaning.clauses import Terms
from ragbase.retrieval.meaning.numbers import numbers_in
from ragbase.retrieval.meaning.words import Antonym, antonyms, bounds
from ragbase.retrieval.negations import Language

_PREFIXES = {
    "en": "un in im il ir dis non de",
    "de": "un de nicht",
    "fr": "in im il ir dé dés non",
    "es": "in im des",
    "it": "in im dis",
    "pt": "in im des",
    "nl": "on de niet",
    "pl": "nie",
    "ru": "не",
    "ro": "ne in im de",
}
_LEAST = 5
"""Letters of a word that a prefix turns into its opposite."""
_ENDING = 2
"""Letters that its other form may end in differently."""
_WORD = re.compile(r"[^\W\d_][\w-]*")


@dataclass(frozen=True, slots=True)
class Denials:
    """What to write for words that deny, in the sentence and the texts that are compared."""

    language: Language
    antonyms: Sequence[Antonym]
    prefixed: frozenset[str]

    def resolved(self, clause: str) -> tuple[str, bool]:
        """The clause without what denies in it, and whether it is denied. Two denials of one kind are one, as many
        languages double them; a word that denies turns them round. "Not larger than 5" is "at most 5": modality.py
        compares bounds."""
        bound = bounds(self.language.code)
        is_bounded = bound is not None and bound.search(clause) and numbers_in(clause, self.language.code)
        clause = bound.sub(_without_denials(self.language), clause) if bound is not None else clause
        turns = 0
        for one in self.antonyms:
            clause, count = one.words.subn(one.base, clause)
            turns += count if one.denies else 0
        if self.prefixed:
            turns += sum(word.casefold() in self.prefixed for word in _WORD.findall(clause))
            clause = _WORD.sub(lambda match: self._without_prefix(match[0]), clause)
        affirmed, denials = self.language.denies.subn(" ", clause)
        return affirmed, (denials > 0 and not is_bounded) != (turns % 2 == 1)

    def _without_prefix(self, word: str) -> str:
        small = word.casefold()
        if small not in self.prefixed:
            return word
        return small.removeprefix(_prefix(small, self.language.code)).removeprefix("-")


def denials_of(sentence: str, texts: Sequence[str], language: Language, terms_of: Terms) -> Denials:
    """Those words that deny in the sentence what the texts affirm, or the other way round."""
    text = " | ".join(texts)
    listed = antonyms(language.code)
    active = {
        one.base for one in listed if one.whole or (one.denies and _is_active(one, listed, sentence, text, terms_of))
    }
    words = [{word.casefold() for word in _WORD.findall(one)} for one in (sentence, text)]
    prefixed = {
        word
        for ours, theirs in (words, reversed(words))
        for word in ours - theirs
        if _is_prefixed(word, theirs, language.code)
    }
    return Denials(language, [one for one in listed if one.base in active], frozenset(prefixed))


def _is_active(one: Antonym, listed: Sequence[Antonym], sentence: str, text: str, terms_of: Terms) -> bool:
    """Whether one side has the word that denies, and the other side what it denies."""
    ours, theirs = one.words.search(sentence) is not None, one.words.search(text) is not None
    if ours == theirs:
        return False
    other = text if ours else sentence
    others = (two for two in listed if two.base == one.base and not two.denies)
    return not terms_of(one.base).isdisjoint(terms_of(other)) or any(two.words.search(other) for two in others)


def _is_prefixed(word: str, others: set[str], code: str) -> bool:
    prefix = _prefix(word, code)
    rest = word.removeprefix(prefix).removeprefix("-") if prefix else ""
    if len(rest) < _LEAST:
        return False
    begin = rest[: max(_LEAST, len(rest) - _ENDING)]
    return any(one.startswith(begin) and len(one) <= len(rest) + _ENDING for one in others)


def _prefix(word: str, code: str) -> str:
    return max((one for one in _PREFIXES.get(code, "").split() if word.startswith(one)), key=len, default="")


def _without_denials(language: Language) -> Callable[[re.Match[str]], str]:
    """ "No more than 5" denies nothing."""
    return lambda match: language.denies.sub(" ", match[0])
