"""How much a service takes in one call: what the settings say, and what this process has found out."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Lock

from ragbase import telemetry


class CallLimit:
    """The most texts of a call, and the most characters of all of them. It only ever gets smaller: a process that
    starts again asks the service again. Any thread may use it, and several may find the limit at the same time."""

    def __init__(self, model: str, texts: int) -> None:
        """`texts` are the most to begin with. `model` names the service in the log."""
        self._model = model
        self._changing = Lock()
        self._texts = texts
        self._characters: int | None = None
        self._taken_texts = 0
        self._taken_characters = 0

    @property
    def texts(self) -> int:
        return self._texts

    @property
    def characters(self) -> int | None:
        """None as long as no call was too long."""
        return self._characters

    def parts(self, texts: Sequence[str]) -> list[list[str]]:
        """The texts in their order, in as few calls as the limit allows. A text that is longer alone has its own."""
        parts: list[list[str]] = []
        room = 0
        for text in texts:
            if not parts or len(parts[-1]) >= self._texts or (self._characters is not None and len(text) > room):
                parts.append([])
                room = self._characters or 0
            parts[-1].append(text)
            room -= len(text)
        return parts

    def took(self, texts: Sequence[str]) -> None:
        """The service has embedded these in one call."""
        self._taken_texts = max(self._taken_texts, len(texts))
        self._taken_characters = max(self._taken_characters, characters_of(texts))

    def at_most_texts(self, count: int) -> None:
        """The service takes no more than this."""
        with self._changing:
            if count >= self._texts:
                return
            self._texts = max(1, count)
        self._log()

    def at_most_characters(self, count: int) -> None:
        """As `at_most_texts`, for all texts of a call together."""
        with self._changing:
            if self._characters is not None and count >= self._characters:
                return
            self._characters = max(1, count)
        self._log()

    def refused_for_size(self, texts: Sequence[str], *, by_length: bool) -> None:
        """The service has refused these in one call, and then taken them in several: they were too many, or with
        `by_length` too long together.

        A call of as many texts that it took shows that it is not their number, and one of as many characters that it is
        not those. If it is neither, it was a fault that has passed.
        """
        if len(texts) > self._taken_texts and not by_length:
            self.at_most_texts(self._taken_texts)
        elif characters_of(texts) > self._taken_characters:
            self.at_most_characters(self._taken_characters)

    def _log(self) -> None:
        most = {"texts": self._texts, "characters": self._characters}
        telemetry.log("embedder.limit", level=logging.WARNING, model=self._model, **most)


def characters_of(texts: Sequence[str]) -> int:
    return sum(map(len, texts))
