"""Answers from any chat model: the passages with numbers, the sentences with the marks that name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.adapters.chat.passages import NOTHING, message_of, text_of
from ragbase.adapters.chat.plain_text import addresses_in
from ragbase.ports import Billed, CutOff, DraftCitation, DraftSentence

if TYPE_CHECKING:
    from ragbase.adapters.chat.sentences import MarkedSentence
    from ragbase.domain.evidence import EvidencePassage
    from ragbase.ports import ChatModel


class ChatGenerator:
    """Implements the Generator port with a chat model.

    A mark that names no passage is dropped, and so are all marks of a sentence with an address that the passages do not
    have: it is never supported. An address could carry away what was asked. May be used by several threads at once.
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
        from ragbase.adapters.chat.sentences import MarkedSentences

        texts = [text_of(passage) for passage in evidence]
        message = message_of(question, evidence, texts)
        drafts, sentences = _Drafts(evidence, texts), MarkedSentences()
        cut_off, billed = "", None
        written = self._chat_model.write(message.instructions, message.text, most_tokens=self._most_tokens)
        with closing(written):  # type: ignore[type-var]
            for part in written:
                if isinstance(part, str):
                    yield from drafts.of(sentences.take(part))
                elif isinstance(part, CutOff):
                    cut_off = part.reason
                else:
                    billed = part
        yield from drafts.of(sentences.rest(cut_off=bool(cut_off)))
        telemetry.log(
            "answer.drafted",
            model=self.model,
            sentences=drafts.sentences,
            invented=drafts.invented,
            addresses=drafts.addresses,
            cut_off=cut_off or None,
        )
        if billed is not None:
            yield billed


@dataclass(slots=True)
class _Drafts:
    """Sentences to drafts, and what was dropped of them: `invented` marks, and sentences with `addresses` that no
    passage has."""

    evidence: Sequence[EvidencePassage]
    texts: Sequence[str]
    sentences: int = 0
    invented: int = 0
    addresses: int = 0
    _ids: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self._ids = {place: passage.id for place, passage in enumerate(self.evidence, start=1)}

    def of(self, sentences: Iterator[MarkedSentence]) -> Iterator[DraftSentence]:
        for one in sentences:
            if one.text.strip(" .*_`\"'") == NOTHING:
                continue
            self.sentences += 1
            self.invented += len({number for number, _ in one.said if number not in self._ids})
            said = [(self._ids[number], words) for number, words in one.said if number in self._ids]
            if any(not self._has(address) for address in addresses_in(one.text)):
                self.addresses += 1
                said = []
            yield DraftSentence(one.text, tuple(DraftCitation(passage, words) for passage, words in said))

    def _has(self, address: str) -> bool:
        return any(address in text for text in self.texts)
