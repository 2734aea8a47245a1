"""Bugs in the use cases that go through all documents: reconcile, the janitor, backfill, reindex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ragbase.domain import claim_transitions, transitions
from ragbase.domain.document import IndexedGeneration, Transition, Usage
from ragbase.pipeline import copy_duplicate as copy_module
from ragbase.pipeline import make_chunks as make_module
from ragbase.pipeline import make_document as document_module
from ragbase.pipeline.make_document import MakeDocument
from ragbase.upkeep import backfill as backfill_module
from ragbase.upkeep.reconcile import compare as compare_module
from ragbase.upkeep.reconcile import repair as repair_module
from ragbase.upkeep.reindex import passes as passes_module
from ragbase.upkeep.reindex.passes import Passes
from tests.simulated_world.planted_bug import Patch, bug


@bug(
    "reconcile-routes-nothing",
    "reconcile counts missing and stale documents as repaired, but does nothing",
    found_by=26,
)
def _routes_nothing() -> Sequence[Patch]:
    return [(repair_module, "_route", lambda sight, ports: None)]


@bug("stuck-not-published", "the job of a stuck document is not sent again")
def _stuck_not_published() -> Sequence[Patch]:
    return [(repair_module, "ask_lanes", lambda *_: None)]


@bug("wanted-taken-as-orphans", "reconcile takes the chunks of a generation in work as orphans", found_by=6)
def _wanted_are_orphans() -> Sequence[Patch]:
    right = compare_module._orphans

    def wrong(sight: Any) -> Any:
        record = sight.record
        if record is None or record.tombstone:
            return right(sight)
        return right(replace(sight, record=replace(record, tombstone=True)))

    return [(compare_module, "_orphans", wrong), (compare_module.Sight, "is_in_motion", lambda *_: False)]


@bug("age-from-number", "the number of a generation is taken as the time at which it was written")
def _age_from_number() -> Sequence[Patch]:
    right = compare_module.Sight.is_in_motion

    def wrong(self: Any, now: datetime, grace: timedelta) -> bool:
        settled = int((now - grace).timestamp() * 1_000_000)
        return right(self, now, grace) or (self.stored is not None and self.stored.generation > settled)

    return [(compare_module.Sight, "is_in_motion", wrong)]


@bug("backfill-routes-nothing", "backfill takes objects without a record as known", found_by=26)
def _backfill_routes_nothing() -> Sequence[Patch]:
    return [(backfill_module, "route", lambda event, ports: None), (repair_module, "route", lambda event, ports: None)]


@bug("failed-repair-hides", "search no longer shows a document whose repair has failed", found_by=34)
def _failed_repair_hides() -> Sequence[Patch]:
    right = transitions.failed

    def wrong(*arguments: Any, **named: Any) -> Transition:
        return right(*arguments, **named | {"index_name": "no index"})

    return [(module, "failed", wrong) for module in (transitions, claim_transitions)]


@bug("repair-removes-first", "a repair removes the chunks that search still finds, before it makes them again")
def _removes_first() -> Sequence[Patch]:
    right = repair_module._reprocess

    def wrong(id: str, generation: int, sight: Any, ports: Any, vectors: Any) -> None:
        vectors.delete(id, generation=generation)
        right(id, generation, sight, ports, vectors)

    return [(repair_module, "_reprocess", wrong)]


@bug("surplus-kept", "a repair leaves the chunks of a generation that are too many")
def _surplus_kept() -> Sequence[Patch]:
    modules = (make_module, copy_module)
    return [(module, "remove_surplus_chunks", lambda *_: None) for module in modules]


@bug("reindex-switches-unbuilt", "the new index becomes the current one before it is built", found_by=6)
def _switches_unbuilt() -> Sequence[Patch]:
    return [(Passes, "build", lambda self: None), (Passes, "build_the_rest", lambda self: None)]


@bug("reindex-holds-nothing", "lanes flip in the old index until the switch", found_by=729)
def _holds_nothing() -> Sequence[Patch]:
    return [(document_module, "is_held", lambda *_: False)]


@bug(
    "reindex-waits-for-quiet",
    "a reindex waits until a pass finds nothing new: with uploads it never ends",
    found_by=50563,
)
def _waits_for_quiet() -> Sequence[Patch]:
    return [(passes_module, "_STEADY", math.inf)]


@bug("reindex-not-followed", "after a switch, a lane finishes its work in the old index", found_by=170)
def _not_followed() -> Sequence[Patch]:
    right = MakeDocument._flip

    def wrong(self: Any, indexed: IndexedGeneration, usage: Usage) -> None:
        claim, ports = self.claim, self.claim.ports
        current = ports.indexes.current()
        if current == self.maker.index.index:
            right(self, indexed, usage)
        else:
            there = replace(indexed, index_name=current.name)
            claim.update(claim_transitions.completed(there, claim.lease, usage=usage, now=ports.clock.now()))

    return [(MakeDocument, "_flip", wrong)]
