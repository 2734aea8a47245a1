"""Texts to vectors in as many calls as a service needs: a refused call is not a refused document.

A service refuses a call because it has too many texts, because they are too long together, or because of one of them,
and many do not say which. So a refused call is halved until its parts are taken. What was learned of the limit is kept
(call_limit.py). If a single text is refused, it is the one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragbase.adapters.answered_vectors import NoVector, TooFewVectors
from ragbase.adapters.call_limit import CallLimit, characters_of
from ragbase.adapters.refusal import CallRefused
from ragbase.adapters.service_words import About
from ragbase.domain.errors import ConfigurationError, NoTurn, Unavailable
from ragbase.ports import Embeddings, TextRefused, seconds_left

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

_HARMLESS = "ready"
"""A text that every service takes, if it takes any."""
_REMEDIES = {
    About.LENGTH: "Make passages shorter (the setting chunk_size), or let the service take longer texts",
    About.CONTENT: "Change the passage, or choose a model that takes it (the setting embedding_model)",
}
_REMEDY = "Change the passage, or make passages shorter (the setting chunk_size)"


@dataclass(frozen=True, slots=True)
class _Refused:
    """A call that was refused, perhaps because of one of its texts. `end` is the number of texts that are embedded when
    all of its own are: then it was its size."""

    texts: list[str]
    about: About
    end: int


@dataclass(slots=True)
class SplitCalls:
    """The vectors of some texts. `call` makes one call, and raises CallRefused or TooFewVectors if it may have
    to be smaller, and NoVector if a text has no vector."""

    call: Callable[[list[str]], Embeddings]
    limit: CallLimit
    _made: list[Vector] = field(default_factory=list)
    _billed: int = 0
    _refused: list[_Refused] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """The texts are embedded from the first to the last, and the first that is refused ends it: the others of its
        document would be paid for without use.

        Raises TextRefused if a text is not taken, with the vectors of those before it. Raises ConfigurationError if the
        service refuses any text, and what `call` raises; what was embedded before that is lost.
        """
        waiting, has_asked = deque([list(texts)]), False
        while waiting:
            part = waiting.popleft()
            smaller = self.limit.parts(part)
            if len(smaller) == 1:
                if has_asked and seconds_left() <= 0:
                    raise NoTurn("The time for this document was over before all calls were made that it needs.")
                smaller, has_asked = self._asked(part), True
            waiting.extendleft(reversed(smaller))
        return Embeddings(self._made, self._billed)

    def _asked(self, part: list[str]) -> list[list[str]]:
        """Embed these in one call. Returns the parts to ask for instead if that is refused."""
        try:
            answer = self.call(part)
        except (CallRefused, NoVector, TooFewVectors) as error:
            self._billed += error.billed_tokens if isinstance(error, TooFewVectors) else 0
            if len(part) == 1:
                raise self._of_text(error) from error
            return self._without(part, error) if isinstance(error, NoVector) else self._halved(part, error)
        self.limit.took(part)
        self._keep(answer)
        while self._refused and self._refused[-1].end <= len(self._made):
            refused = self._refused.pop()
            self.limit.refused_for_size(refused.texts, by_length=refused.about is About.LENGTH)
        return []

    def _halved(self, part: list[str], error: CallRefused | TooFewVectors) -> list[list[str]]:
        middle = (len(part) + 1) // 2
        halves = [part[:middle], part[middle:]]
        about, named = (error.about, error.limit) if isinstance(error, CallRefused) else (About.UNKNOWN, None)
        if about is About.COUNT:
            self.limit.at_most_texts(named if named is not None and named < len(part) else middle)
            return [part]
        if about is About.TOTAL:
            self.limit.at_most_characters(max(map(characters_of, halves)))
        else:
            self._refused.append(_Refused(part, about, len(self._made) + len(part)))
        return halves

    def _without(self, part: list[str], error: NoVector) -> list[list[str]]:
        """Keep what came before the text without a vector, and ask for it alone: it may have been a fault that has
        passed."""
        self._keep(error.made)
        alone, after = part[error.place : error.place + 1], part[error.place + 1 :]
        return [alone, after] if after else [alone]

    def _of_text(self, error: CallRefused | NoVector | TooFewVectors) -> Exception:
        """The error for a text that is refused alone."""
        is_known = isinstance(error, CallRefused) and error.about is not About.UNKNOWN
        if isinstance(error, TooFewVectors) or not (is_known or self._made or self._takes_others()):
            return _of_service(error)
        remedy = _REMEDIES.get(error.about, _REMEDY) if isinstance(error, CallRefused) else _REMEDY
        return TextRefused(f"{error}. {remedy}, then retry the document.", len(self._made), self._made, self._billed)

    def _takes_others(self) -> bool:
        """Whether the service embeds another text."""
        try:
            self._billed += self.call([_HARMLESS]).billed_tokens
        except (CallRefused, NoVector, TooFewVectors):
            return False
        return True

    def _keep(self, answer: Embeddings) -> None:
        self._made += answer.vectors
        self._billed += answer.billed_tokens


def _of_service(error: CallRefused | NoVector | TooFewVectors) -> Exception:
    """The error for a text that is refused as every other one is."""
    if not isinstance(error, CallRefused):
        return Unavailable(str(error))
    return ConfigurationError(
        f"{error}. It refuses every text, so it is not the document's fault. Check the settings of the embedder "
        "(embedding_model, embedding_dimension, and the service's URL), and the service itself."
    )
