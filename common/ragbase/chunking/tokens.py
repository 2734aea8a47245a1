"""Tokens of OpenAI's encoding cl100k_base. Its vocabulary comes with the package: nothing is downloaded."""

from __future__ import annotations

from functools import cache
from typing import Protocol, cast

_LONGEST_TOKEN = 128
"""Bytes, and so characters. A longer text may be as long as a file, and is not counted to know that it does not fit."""

_SHORT_TOKEN = 5
"""Characters, the average of English text. A piece of text that has too few tokens is taken twice as long."""


class Cl100kTokens:
    """Tokens, as they are counted in a text of its own: a piece of a word may have more tokens than the word."""

    name = "tokens"
    mark = "-cl100k"

    def count(self, text: str) -> int:
        return len(_encode(text))

    def reach(self, text: str, start: int, size: int) -> int:
        window = size * _SHORT_TOKEN
        while True:
            piece = text[start : start + window]
            tokens = _encode(piece)
            if len(tokens) > size:
                return start + len(_decode(tokens[:size]))
            if start + window >= len(text):
                return len(text)
            window *= 2

    def reach_back(self, text: str, end: int, size: int) -> int:
        window = size * _SHORT_TOKEN
        while size:
            piece = text[max(end - window, 0) : end]
            tokens = _encode(piece)
            if len(tokens) > size:
                return end - len(_decode(tokens[-size:]))
            if end <= window:
                return 0
            window *= 2
        return end

    def fits(self, text: str, start: int, end: int, size: int) -> bool:
        if end - start > size * _LONGEST_TOKEN:
            return False
        piece = text[start:end]
        if end - start <= size and len(piece.encode("utf-8", "replace")) <= size:  # a token has at least one byte
            return True
        return self.reach(piece, 0, size) == len(piece)


TOKENS = Cl100kTokens()


def _encode(text: str) -> list[int]:
    """A lone surrogate, which has no UTF-8, counts as the mark for an unknown character."""
    return _encoding().encode_ordinary(text.encode("utf-8", "replace").decode())


def _decode(tokens: list[int]) -> str:
    """Without the halves of a character at either end."""
    return _encoding().decode_bytes(tokens).decode("utf-8", "ignore")


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...

    def decode_bytes(self, tokens: list[int]) -> bytes: ...


@cache
def _encoding() -> _Encoding:
    """Loading it takes about half a second."""
    import quicktok  # type: ignore[import-untyped]  # it has no types

    return cast(_Encoding, quicktok.get_encoding("cl100k_base"))
