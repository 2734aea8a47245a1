"""Bugs in how the parts of a long document are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragbase.domain.claim_transitions import part_claimed
from ragbase.domain.document import Document, Transition
from ragbase.domain.job import ProcessingConfig
from ragbase.pipeline import claim as claim_module
from ragbase.pipeline import make_document as document_module
from ragbase.pipeline import read_part as read_part_module
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.publish_job import publish_parts
from ragbase.pipeline.read_part import ReadPart
from ragbase.testing.part_texts import MemoryPartTexts
from ragbase.testing.word_boxes import MemoryWordBoxes
from tests.simulated_world.bugs_in_work import Replaced
from tests.simulated_world.planted_bug import Patch, bug


@bug("part-noted-before-stored", "a part counts as read before its text is stored")
def _noted_before_stored() -> Sequence[Patch]:
    right = ReadPart.attempt

    def wrong(self: Any) -> None:
        ports, texts = self.claim.ports, list[Any]()
        later = Replaced(ports.part_texts, put=lambda *text: texts.append(text))
        self.claim.worker = replace(self.claim.worker, ports=Replaced(ports, part_texts=later))
        right(self)
        for text in texts:
            ports.part_texts.put(*text)

    return [(ReadPart, "attempt", wrong)]


@bug("no-part-is-the-last", "each part leaves it to another one to go on with the document", found_by=6)
def _no_part_is_the_last() -> Sequence[Patch]:
    return [(ReadPart, "_publish_if_complete", lambda self: None)]


@bug("part-texts-without-generation", "the texts of parts do not say of which generation they are", found_by=15)
def _without_generation() -> Sequence[Patch]:
    put, read = MemoryPartTexts.put, MemoryPartTexts.read

    def wrong_put(self: MemoryPartTexts, document_id: str, generation: int, name: str, text: str) -> None:
        put(self, document_id, 1, name, text)

    def wrong_read(self: MemoryPartTexts, document_id: str, generation: int, name: str) -> str | None:
        return read(self, document_id, 1, name)

    return [(MemoryPartTexts, "put", wrong_put), (MemoryPartTexts, "read", wrong_read)]


@bug("lost-part-forgotten", "a part whose job is lost is not published again")
def _forgotten() -> Sequence[Patch]:
    right = publish_parts
    published: set[tuple[str, int]] = set()

    def wrong(record: Document, ports: Any) -> Document:
        key = record.id, record.wanted
        if key in published:
            return record
        published.add(key)
        return right(record, ports)

    return [(document_module, "publish_parts", wrong)]


@bug("readers-mixed", "the parts of a document are read by different versions of a reader", found_by=14)
def _readers_mixed() -> Sequence[Patch]:
    def wrong(self: Maker, format: str, config: ProcessingConfig) -> str:
        return format

    return [(Maker, "reader", wrong)]


@bug("part-lease-ignored", "two workers read a part at the same time", found_by=6)
def _lease_ignored() -> Sequence[Patch]:
    right = part_claimed

    def wrong(generation: int, part: int, *arguments: Any, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            free = record.with_part(part, lease=None) if record is not None else None
            after = right(generation, part, *arguments, **named)(free)
            return record if after is free else after

        return changed

    return [(read_part_module, "part_claimed", wrong)]


@bug("part-texts-left", "the texts of parts are left when the chunks are made", found_by=27)
def _texts_left() -> Sequence[Patch]:
    return [(claim_module, "remove_part_texts", lambda *_: None)]


@bug("word-boxes-left", "word boxes stay when their generation goes", found_by=2)
def _boxes_left() -> Sequence[Patch]:
    return [(MemoryWordBoxes, "delete", lambda *_: None)]
