"""The passages as a model gets them, and its sentences as readers get them: what keeps an order in a passage from
becoming a part of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.adapters.chat.passages import text_of, title_of
from ragbase.adapters.chat.plain_text import plain_text, without_addresses
from ragbase.adapters.chat.reported import Reported
from ragbase.ports import DraftSentence
from ragbase.text.addressed import LEFT_OUT, ForModel, for_model, speaks_to_model
from ragbase.text.harmless import harmless

if TYPE_CHECKING:
    from ragbase.domain.evidence import EvidencePassage


@dataclass
class GuardedEvidence:
    """Counts what it drops: citations of passages that only have the sentence `reported`, those of sentences with
    `addresses` that no passage has, and `invented` ones, of passages that there are not."""

    evidence: Sequence[EvidencePassage]
    sentences: int = field(default=0, init=False)
    invented: int = field(default=0, init=False)
    reported: int = field(default=0, init=False)
    addresses: int = field(default=0, init=False)

    @cached_property
    def titles(self) -> list[str]:
        """The document and the headings of each, on one line."""
        named = [" ".join(harmless(title_of(passage)).split()) for passage in self.evidence]
        return [LEFT_OUT if speaks_to_model(title) else title for title in named]

    @cached_property
    def texts(self) -> list[str]:
        """What a model gets of each."""
        return [harmless(one.text) for one in self._for_model]

    @property
    def left_out(self) -> int:
        """Parts that no model gets."""
        return sum(one.left_out for one in self._for_model)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be an answer."""
        return all(one.is_empty for one in self._for_model)

    @property
    def counts(self) -> dict[str, int]:
        """For the log."""
        dropped = {"invented": self.invented, "reported": self.reported, "addresses": self.addresses}
        return {"left_out": self.left_out, "sentences": self.sentences, **dropped}

    def checked(self, draft: DraftSentence) -> DraftSentence | None:
        """The sentence as plain text, without addresses that no passage has, and with those of its citations that may
        hold. None if it has no word."""
        text, has_address = without_addresses(plain_text(draft.text), self.texts)
        if not any(map(str.isalnum, text)):
            return None
        self.sentences += 1
        self.addresses += has_address
        named = {one.passage for one in draft.citations}
        known = named & self._places.keys()
        reported = {one for one in known if self._reported.is_only_reported(draft.text, self._places[one])}
        if known - reported and self._reported.has_reported_word(draft.text):
            reported = known
        self.invented += len(named - known)
        self.reported += len(reported)
        held = (one for one in draft.citations if one.passage in known - reported)
        return DraftSentence(text, () if has_address else tuple(held))

    @cached_property
    def _for_model(self) -> list[ForModel]:
        return [for_model(text_of(passage)) for passage in self.evidence]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {passage.id: place for place, passage in enumerate(self.evidence)}

    @cached_property
    def _reported(self) -> Reported:
        return Reported(self.texts)
