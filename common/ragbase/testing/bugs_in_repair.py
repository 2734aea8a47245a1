"""Bugs in what goes over everything: reconcile, the janitor, backfill, reindex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragbase.domain.document import Active
from ragbase.pipeline import backfill as backfill_module
from ragbase.pipeline import compare as compare_module
from ragbase.pipeline import process as process_module
from ragbase.pipeline import repair as repair_module
from ragbase.pipeline.reindex_passes import Passes
from ragbase.pipeline.reindexing import Phase
from ragbase.testing.planting import Patch, bug


@bug("reconcile-routes-nothing", "what reconcile finds missing or stale, it counts as repaired and leaves")
def _routes_nothing() -> Sequence[Patch]:
    return [(repair_module, "_route", lambda sight, stores: None)]


@bug("stuck-not-published", "the job of a stuck document is not sent again")
def _stuck_not_published() -> Sequence[Patch]:
    return [(repair_module, "_publish", lambda *_: None)]


@bug("wanted-taken-for-orphans", "reconcile takes the chunks of a generation in work for nobody's")
def _wanted_are_orphans() -> Sequence[Patch]:
    right = compare_module._orphans

    def wrong(sight: Any) -> Any:
        record = sight.record
        if record is None or record.tombstone:
            return right(sight)
        return right(replace(sight, record=replace(record, tombstone=True)))

    return [(compare_module, "_orphans", wrong), (compare_module.Sight, "is_in_motion", lambda *_: False)]


@bug("backfill-routes-nothing", "backfill takes objects without a record for known")
def _backfill_routes_nothing() -> Sequence[Patch]:
    return [(backfill_module, "route", lambda event, **ports: None), (repair_module, "route", lambda *_, **__: None)]


@bug("reindex-flips-unbuilt", "the new index becomes the live one before it is built")
def _flips_unbuilt() -> Sequence[Patch]:
    right = Passes.over_all

    def wrong(self: Passes, phase: Phase) -> None:
        if phase is not Phase.BUILDING:
            right(self, phase)

    return [(Passes, "over_all", wrong)]


@bug("reindex-not-followed", "a lane goes on in the index that was the live one when it began")
def _not_followed() -> Sequence[Patch]:
    right = process_module._Attempt._flip

    def wrong(self: Any, active: Active, *arguments: Any) -> None:
        worker, live = self.worker, self.worker.indexes.live()
        self.worker = replace(worker, index=live)
        right(self, replace(active, index=live.name), *arguments)
        self.worker = worker

    return [(process_module._Attempt, "_flip", wrong)]
