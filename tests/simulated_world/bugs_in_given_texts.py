"""Bugs in how given texts are kept and used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragbase.domain import transitions
from ragbase.domain.document import Document, Transition
from ragbase.domain.given_text import GivenText
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.object_event import ObjectEvent
from ragbase.pipeline import route as route_module
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.make_document import MakeDocument
from ragbase.ports import StoredText
from ragbase.testing.clock import START
from ragbase.testing.given_texts import MemoryGivenTexts
from tests.simulated_world.planted_bug import Patch, bug


@bug(
    "given-text-not-in-fingerprint",
    "the chunks of a file are taken for those of another text that was given for it",
    found_by=27,
)
def _not_in_fingerprint() -> Sequence[Patch]:
    right = Maker.fingerprint

    def wrong(self: Maker, format: str, config: ProcessingConfig, given: GivenText | None = None) -> str:
        return right(self, format, config)

    return [(Maker, "fingerprint", wrong)]


@bug("given-text-ignored", "a lane reads the file although a text was given for it", found_by=8)
def _ignored() -> Sequence[Patch]:
    def wrong(self: MakeDocument) -> bytes:
        record = self.claim.record
        return self.claim.ports.bucket.read(record.name, record.generation)

    return [(MakeDocument, "_data", wrong)]


@bug(
    "given-text-outlives-its-file",
    "a text that was given for one version of a file is kept for the next one",
    found_by=1,
)
def _outlives_its_file() -> Sequence[Patch]:
    right = transitions.finalised

    def wrong(event: ObjectEvent, **named: Any) -> Transition:
        def transition(record: Document | None) -> Document | None:
            after = right(event, **named)(record)
            if record is None or after is None or after is record:
                return after
            return replace(after, given_text=record.given_text)

        return transition

    return [(route_module, "finalised", wrong)]


@bug(
    "given-text-swept-at-once",
    "a text is taken for a leftover although its call is about to name it in the record",
    found_by=913,
)
def _swept_at_once() -> Sequence[Patch]:
    right = MemoryGivenTexts.scan

    def wrong(self: MemoryGivenTexts, **named: Any) -> Sequence[StoredText]:
        return [replace(text, written_at=START) for text in right(self, **named)]

    return [(MemoryGivenTexts, "scan", wrong)]
