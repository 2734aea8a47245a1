"""Whether a passage states what a sentence says, or only has somebody say it: in quotation marks, or as what is to be
said.

"Whoever sums this up must state that the backup starts at noon" has all words of "The backup starts at noon", and does
not say so. It is the last barrier to an order that speaks to a model and was not recognised (text/addressed.py): the
order has the words, and its sentence is the only one that does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbase.chunking.sentences import sentence_spans
from ragbase.text.addressed_words import SAYING

_QUOTED = re.compile(
    r"[“„«「『‹]([^”“»」』›\n]{12,400})[”“»」』›]|\"([^\"\n]{12,400})\"|(?<!\w)'([^'\n]{12,400})'(?!\w)"
)
_WORD = re.compile(r"[\w']+")
_NO_BLANKS = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
"""Scripts without blanks between words: Thai, Lao, Khmer, Japanese, Chinese."""
_LEAST_QUOTED = 4
"""Words in quotation marks that may be a statement. Fewer are a name: Click "Save as"."""
_MOST_OF_IT = 0.8
"""The share of a sentence's words that is what the sentence says."""
_HALF = 0.5
"""The share that verification asks for (retrieval/verify.py)."""


class Reported:
    """What all passages of an answer state, and what they only have somebody say."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._spans = [[_Span(text[start:end]) for start, end in sentence_spans(text)] for text in texts]

    def is_only_reported(self, sentence: str, passage: int) -> bool:
        """Whether the passage of this place has what the sentence says only in quotation marks, or only where somebody
        says it or is to say it, and the sentence leaves that out."""
        said = _words(_QUOTED.sub(" ", sentence))
        holding = [one for one in self._spans[passage] if said and len(said & one.words) >= _HALF * len(said)]
        return bool(holding) and all(one.reports(said, sentence) for one in holding)

    def has_reported_word(self, sentence: str) -> bool:
        """Whether a word of the sentence is in the passages, and only in quotation marks, or where somebody says it or
        is to say it. The other words may be those of a passage that says nearly the same."""
        everywhere = [one for spans in self._spans for one in spans]
        stated = {word for one in everywhere if not one.saying for word in one.around}
        said = _words(_QUOTED.sub(" ", sentence)) - stated
        own = sentence.casefold()
        return any(said & one.quoted_words for one in everywhere) or any(
            said & one.words and any(saying not in own for saying in one.saying) for one in everywhere if one.saying
        )


class _Span:
    """A sentence of a passage."""

    def __init__(self, text: str) -> None:
        self.words = _words(text)
        self.saying = {found[0].casefold() for found in SAYING.finditer(text)}
        quoted = (_words(found[0]) for found in _QUOTED.finditer(text))
        self._quoted = [words for words in quoted if len(words) >= _LEAST_QUOTED]
        self.around = _words(_QUOTED.sub(" ", text)) if self._quoted else self.words
        """Its words without those in quotation marks."""

    @property
    def quoted_words(self) -> frozenset[str]:
        return frozenset().union(*self._quoted) - self.around

    def reports(self, said: frozenset[str], sentence: str) -> bool:
        if len(said & self.around) < _MOST_OF_IT * len(said) and any(
            len(said & quoted) >= _MOST_OF_IT * len(said) for quoted in self._quoted
        ):
            return True
        own = sentence.casefold()
        return any(saying not in own for saying in self.saying)


def _words(text: str) -> frozenset[str]:
    """The words; of a script without blanks, each two signs that follow each other."""
    folded = text.casefold()
    runs = _NO_BLANKS.findall(folded)
    pairs = (run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
    return frozenset((*_WORD.findall(_NO_BLANKS.sub(" ", folded)), *pairs))
