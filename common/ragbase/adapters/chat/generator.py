"""Answers from any chat model: the passages with numbers, the sentences with the marks that name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.adapters.chat.passages import NOTHING, message_of
from ragbase.ports import Billed, CutOff, DraftCitation, DraftSentence

if TYPE_CHECKING:
    from ragbase.adapters.chat.sentences import MarkedSentence
    from ragbase.domain.evidence import EvidencePassage
    from ragbase.ports import ChatModel


class ChatGenerator:
    """Implements the Generator port with a chat model.

    The model does not get what speaks to it in a passage (text/addressed.py). Of what it writes, a mark that names no
    passage is dropped, and so is one of a passage that only reports the sentence (reported.py), and every mark of a
    sentence with an address that the passages do not have: such an address could carry away what was asked. A sentence
    without marks is never supported. May be used by several threads at once.
    """

    def __init__(self, chat_model: ChatModel, *, most_tokens: int) -> None:
        """`most_tokens` are those of one answer."""
        self._chat_model = chat_model
        self._most_tokens = most_tokens

    @property
    def model(self) -> str:
        return self._chat_model.model

    def generate(self, question: str, evidence: Sequence[EvidencePassage]) -> Iterator[DraftSentence | Billed]:
        # A function that answers makes the generator when it starts, and asks it later or never.
        from ragbase.adapters.chat.guarded import GuardedEvidence
        from ragbase.adapters.chat.sentences import MarkedSentences

        guarded, sentences = GuardedEvidence(evidence), MarkedSentences()

        def drafts(marked: Iterator[MarkedSentence]) -> Iterator[DraftSentence]:
            found = (guarded.checked(_draft(one, evidence)) for one in marked if not _is_nothing(one))
            return filter(None, found)

        cut_off, billed = "", None
        if not guarded.is_empty:
            message = message_of(question, guarded.titles, guarded.texts)
            written = self._chat_model.write(message.instructions, message.text, most_tokens=self._most_tokens)
            with closing(written):  # type: ignore[type-var]
                for part in written:
                    if isinstance(part, str):
                        yield from drafts(sentences.take(part))
                    elif isinstance(part, CutOff):
                        cut_off = part.reason
                    else:
                        billed = part
        yield from drafts(sentences.rest(cut_off=bool(cut_off)))
        telemetry.log("answer.drafted", model=self.model, cut_off=cut_off or None, **guarded.counts)
        if billed is not None:
            yield billed


def _is_nothing(sentence: MarkedSentence) -> bool:
    """Whether the model says that the passages have no answer."""
    return sentence.text.strip(" .*_`\"'") == NOTHING


def _draft(sentence: MarkedSentence, evidence: Sequence[EvidencePassage]) -> DraftSentence:
    """The number of a passage is its place in the message. One that names none is kept, to be counted."""
    ids = {place: passage.id for place, passage in enumerate(evidence, start=1)}
    said = (DraftCitation(ids.get(number, f"{number}?"), words) for number, words in sentence.said)
    return DraftSentence(sentence.text, tuple(said))
