"""Language models without a model: they read a message of ours as one would, and write by rules."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragbase.adapters.chat.passages import NOTHING
from ragbase.chunking.sentences import sentence_spans

_BLOCK = re.compile(
    r"^=== (?P<mark>[0-9a-f]{12}) (?P<name>passage (?P<number>\d+)|question) ===\n"
    r"(?P<text>.*?)\n=== (?P=mark) end of (?P=name) ===$",
    re.S | re.M,
)


@dataclass(frozen=True)
class Read:
    """A message as its marks divide it."""

    question: str
    passages: dict[int, str]
    mark: str


def read(instructions: str, message: str) -> Read:
    """By the mark that the instructions name, and no other."""
    found = re.search(r"the mark ([0-9a-f]{12})\.", instructions)
    assert found is not None
    blocks = [block for block in _BLOCK.finditer(message) if block["mark"] == found[1]]
    passages = {int(block["number"]): block["text"].partition("\n\n")[2] for block in blocks if block["number"]}
    (question,) = (block["text"] for block in blocks if not block["number"])
    return Read(question, passages, found[1])


def quoting(instructions: str, message: str) -> str:
    """The sentence with the most words of the question, and its mark."""
    given = read(instructions, message)
    asked = set(_words(given.question))
    sentences = [
        (number, text[start:end]) for number, text in given.passages.items() for start, end in sentence_spans(text)
    ]
    best = max(sentences, key=lambda one: len(asked & set(_words(one[1]))), default=None)
    if best is None or not asked:
        return NOTHING
    return f"{best[1]} [{best[0]}]\n"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
