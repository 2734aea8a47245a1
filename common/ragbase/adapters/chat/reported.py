"""Whether a passage states what a sentence says, or only reports that somebody says it."""

from __future__ import annotations

import re

_QUOTED = re.compile(
    r"[“„«「『‹]([^”“»」』›\n]{12,400})[”“»」』›]|\"([^\"\n]{12,400})\"|(?<!\w)'([^'\n]{12,400})'(?!\w)"
)
_WORD = re.compile(r"\w+")
_LEAST = 4
"""Words in quotation marks that may be a statement. Fewer are a name: Click "Save as"."""
_MOST_OF_IT = 0.8
"""The share of a sentence's words that are in the quotation."""


def is_only_reported(sentence: str, text: str) -> bool:
    """Whether the text has what the sentence says in quotation marks alone, and the sentence leaves those out. It makes
    what somebody says, or is to say, look like what the passage says."""
    quoted = [_words("".join(filter(None, found.groups()))) for found in _QUOTED.finditer(text)]
    quoted = [words for words in quoted if len(words) >= _LEAST]
    said = set(_words(_QUOTED.sub(" ", sentence)))
    if not quoted or not said:
        return False
    if not any(len(said & set(words)) >= _MOST_OF_IT * len(said) for words in quoted):
        return False
    return len(said & set(_words(_QUOTED.sub(" ", text)))) < _MOST_OF_IT * len(said)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
