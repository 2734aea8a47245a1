"""The ways in which people write a question: in a hurry, with a mistake, as one word, politely, as a long request.
scripts/bench/odd-questions asks in all of them."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragbase.text.function_words import FUNCTION_WORDS
from scripts.bench.corpus import rows

LANGUAGES = {"de": "german", "en": "english", "es": "spanish", "ru": "russian", "vi": "vietnamese"}
"""Those that have frames, by the names of the function words."""
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_LONGEST_PHRASE = 6
"""Words."""


@dataclass(frozen=True)
class Asked:
    """A question as it was asked. `beside` are questions on the same subject, and `elsewhere` is one on another."""

    text: str
    language: str
    beside: Sequence[str]
    elsewhere: str


Kind = Callable[[Asked, random.Random], str | None]
"""The question in other words; None if it cannot be asked in this way."""


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _content_words(text: str, language: str) -> list[str]:
    function_words = FUNCTION_WORDS[LANGUAGES[language]]
    return [word for word in _words(text) if word.casefold() not in function_words]


def _longest(asked: Asked) -> str | None:
    words = _content_words(asked.text, asked.language)
    return max(words, key=len) if words else None


def phrase(text: str, language: str) -> str | None:
    """The longest run of words without a function word."""
    function_words = FUNCTION_WORDS[LANGUAGES[language]]
    runs: list[list[str]] = [[]]
    for word in _words(text):
        if word.casefold() in function_words:
            runs.append([])
        else:
            runs[-1].append(word)
    return " ".join(max(runs, key=len)[:_LONGEST_PHRASE]) or None


def _name(asked: Asked, chance: random.Random) -> str | None:
    """The longest run of words with a capital. The first word has one anyway."""
    runs: list[list[str]] = [[]]
    for word in _words(asked.text)[1:]:
        if word[0].isupper():
            runs[-1].append(word)
        else:
            runs.append([])
    name = max(runs, key=len)
    return " ".join(name) or None


def _unmarked(asked: Asked, chance: random.Random) -> str | None:
    text = asked.text.strip("¿?. ")
    return text if text != asked.text else None


def _swapped(asked: Asked, chance: random.Random) -> str | None:
    def swap(word: str) -> str:
        at = chance.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return _misspelt(asked, swap)


def _missing(asked: Asked, chance: random.Random) -> str | None:
    def drop(word: str) -> str:
        at = chance.randrange(1, len(word) - 1)
        return word[:at] + word[at + 1 :]

    return _misspelt(asked, drop)


def _misspelt(asked: Asked, wrong: Callable[[str], str]) -> str | None:
    word = _longest(asked)
    return asked.text.replace(word, wrong(word), 1) if word is not None and len(word) > 3 else None


def _without_accents(asked: Asked, chance: random.Random) -> str | None:
    letters = unicodedata.normalize("NFD", asked.text)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    plain = plain.replace("đ", "d").replace("Đ", "D")
    return plain if plain != asked.text else None


def _quoted(asked: Asked, chance: random.Random) -> str | None:
    quoted = phrase(asked.text, asked.language)
    return asked.text.replace(quoted, f'"{quoted}"') if quoted is not None and quoted in asked.text else None


def _framed(kind: str) -> Kind:
    def frame(asked: Asked, chance: random.Random) -> str | None:
        frames = FRAMES.get((asked.language, kind))
        about, other = phrase(asked.text, asked.language), phrase(asked.elsewhere, asked.language)
        examples = [found for text in asked.beside if (found := phrase(text, asked.language))]
        if frames is None or about is None or other is None:
            return None
        return chance.choice(frames).format(
            question=asked.text,
            phrase=about,
            other=other,
            examples=", ".join(chance.sample(examples, min(3, len(examples)))),
        )

    return frame


FRAMES: dict[tuple[str, str], list[str]] = {}
for _language, _kind, _frame in rows("question_frames"):
    FRAMES.setdefault((_language, _kind), []).append(_frame)
"""Frames round a question by language and kind. An English question gets another language's frame in `mixed`."""

KINDS: Mapping[str, Kind] = {
    "as asked": lambda asked, chance: asked.text,
    "one word": lambda asked, chance: _longest(asked),
    "a name": _name,
    "content words": lambda asked, chance: " ".join(_content_words(asked.text, asked.language)) or None,
    "no question mark": _unmarked,
    "letters swapped": _swapped,
    "letter missing": _missing,
    "all capitals": lambda asked, chance: asked.text.upper(),
    "no capitals": lambda asked, chance: asked.text.lower(),
    "no accents": _without_accents,
    "phrase quoted": _quoted,
    "with a ticket's number": lambda asked, chance: f"[#{chance.randrange(10000, 99999)}] {asked.text}",
    "with emoji": lambda asked, chance: f"{asked.text} 🤔🙏",
    "twice": lambda asked, chance: f"{asked.text} {asked.text}",
    "mixed languages": _framed("mixed"),
    "polite": _framed("polite"),
    "request": _framed("request"),
    "request with a focus": _framed("focus"),
    "not interested in": _framed("exclusion"),
    "with examples": _framed("examples"),
    "some 200 words": _framed("long"),
}
"""They ask for the same as the question."""

NOTHING: Mapping[str, Kind] = {
    "function words alone": lambda asked, chance: (
        " ".join(word for word in _words(asked.text) if word.casefold() in FUNCTION_WORDS[LANGUAGES[asked.language]])
        or None
    ),
    "punctuation alone": lambda asked, chance: chance.choice(("?", "???", "...", "?!", "- - -", "¿?", "(…)")),
    "emoji alone": lambda asked, chance: chance.choice(("🤔", "🙏🙏", "👍", "😀 😀 😀", "🚀", "❤️")),
    "a code that nobody has": lambda asked, chance: (
        f"{''.join(chance.choices('BCDFGHJKLMNPQRSTVWXZ', k=3))}-{chance.randrange(1000, 9999)}"
    ),
    "a word that nobody has": lambda asked, chance: "".join(
        chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(4)
    ),
}
"""They ask for nothing that a passage has."""
