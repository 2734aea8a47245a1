"""The rule that completes a follow-up without a model: it borrows the words of the question before.

    How are backups encrypted?
    And on Windows?                  ──▶   And on Windows (backups encrypted)?
    Who wrote the tool for it?       ──▶   Who wrote the tool for it (Windows backups encrypted)?

A question is completed if it says little itself, or if it points at what was said before. One that names its subject is
left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.domain.conversation import Role, Turn
from ragbase.text.framing_words import without_framing
from ragbase.text.function_words import WITHOUT_BLANKS
from ragbase.text.languages import language_of
from ragbase.text.pronouns import OPENERS, PRONOUNS
from ragbase.text.telling_words import count_of, telling_words, words_of

_FEW = 2
"""A question of so few telling words is completed."""
_FEW_POINTING = 4
"""One that points at what was said before, by a pronoun or by its first word, may have so many."""
_MOST_BACK = 5
"""Questions before it that are looked at for the subject."""
_MOST_BORROWED = 24
"""Words. More would be heavier than the question."""
_ENDS = "?？؟.!。！ "
_NONE = frozenset[str]()


def completed(question: str, history: Sequence[Turn]) -> str | None:
    """The question with what it borrows; None if it makes sense alone, or if there is nothing to borrow."""
    asked = [turn.text for turn in history if turn.role is Role.USER][-_MOST_BACK:]
    if not asked:
        return None
    language = language_of(" ".join((question, *reversed(asked))))
    if not is_follow_up(question, language):
        return None
    borrowed = _borrowed(question, asked, language)
    if not borrowed:
        return None
    stem = question.rstrip(_ENDS)
    return f"{stem} ({' '.join(borrowed)}){question[len(stem) :].strip()}"


def is_follow_up(question: str, language: str | None) -> bool:
    """Whether it needs what was said before."""
    count = count_of(telling_words(without_framing(question), language), language)
    return count <= (_FEW_POINTING if _points_back(question, language) else _FEW)


def _points_back(question: str, language: str | None) -> bool:
    pronouns, openers = PRONOUNS.get(language or "", _NONE), OPENERS.get(language or "", _NONE)
    if language in WITHOUT_BLANKS:
        return any(word in question for word in pronouns) or question.startswith(tuple(openers))
    words = [word.casefold() for word in words_of(question)]
    return bool(words) and (words[0] in openers or any(word in pronouns for word in words))


def _borrowed(question: str, asked: Sequence[str], language: str | None) -> list[str]:
    """The telling words of the questions before, the last one first, back to one that makes sense alone."""
    own = {word.casefold() for word in words_of(question)}
    found: dict[str, str] = {}
    for before in reversed(asked):
        for word in telling_words(without_framing(before), language):
            if word.casefold() not in own:
                found.setdefault(word.casefold(), word)
        if not is_follow_up(before, language):
            break
    return list(found.values())[:_MOST_BORROWED]
