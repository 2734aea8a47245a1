"""Rebuild the index with the current settings, while search and uploads go on.

    current index ─────────────────────────────────────────────── switch ──▶ no longer asked: dropped
                  ╲ pass, pass, …           │ the last passes, while
    new index      ╰─── documents rebuilt ──┴ no document flips ── switch ──▶ asked and written

Why a search never mixes two states, and no document is lost:

- A record's active generation decides what search shows, and a generation has the same number in every index. So the
  same filter is right in both: both indexes hold the same text of a generation, and search shows no other generation.
  The switch changes nothing in the records.
- A document is noted as rebuilt while its record shows that generation. Each pass compares all records with these
  notes, so documents that were added or changed in the meantime are work for the next pass.
- While uploads go on, each pass finds work, however many there are. So when the passes find no less any more, the
  reindex holds all flips (pipeline/hold.py), makes what is left, and switches. A held document waits: search shows
  what it showed before, and its attempt does not count. The hold lasts for about two passes and two times the grace.
- After the switch, nothing is missing that the bucket holds and search showed. What may be missing is a document that
  was overwritten twice during the last two passes: the bucket no longer holds its active generation, so no pass can
  make it, and its newest one is not active yet. The lanes make that first.
- A lane works in the index that was current when it claimed. If another index is current by the time it flips its
  document, it hands the document back (pipeline/make_document.py). Only a worker that stands still between its look at
  the hold and its flip can still flip in the old index; the passes after the switch find that its record names it.
- All state is in the records and the indexes: the new index's name follows from the settings. So a second run goes on
  where the last one stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ragbase import telemetry
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.domain.index import Index
from ragbase.upkeep.reindex.passes import Passes
from ragbase.upkeep.reindex.plan import ReindexPlan
from ragbase.upkeep.reindex.progress import Reindexed, ReindexProgress


def reindex(
    plan: ReindexPlan,
    *,
    on_progress: Callable[[ReindexProgress], None] = lambda _: None,
    discard: bool = False,
    before_switch: Callable[[Index, Index], object] = lambda current, built: None,
) -> Reindexed:
    """Make all documents with the current settings, in a new index that replaces the current one in one step.

    `discard` drops what a reindex with other settings has left half built. `before_switch` is called with the current
    index and the one that is built, all but for what the lanes complete meanwhile. If it raises an error, the current
    index stays, and the next call goes on. Raises ConfigurationError if there is such
    an index, and TransientError if nothing moves for long, or another reindex has switched in the meantime.
    After an interruption at any point, the next call goes on.
    """
    current = plan.ports.indexes.current()
    if current is None:
        return Reindexed(index=None)
    # What an earlier reindex may have left to do after its switch.
    Passes(plan, current, None, on_progress).switch()
    if not plan.is_due(current):
        dropped, kept = _drop_others(plan, current, discard=discard)
        return Reindexed(index=current, dropped=dropped, kept=kept)
    target = plan.target(current)
    _clear_way(plan, current, target, discard=discard)
    passes = Passes(plan, target, current, on_progress)
    passes.build()
    before_switch(current, target)
    try:
        passes.build_the_rest()
        plan.ports.indexes.make_current(target)
        telemetry.log("reindex.switched", index=target.name, before=current.name, documents=passes.documents)
        plan.sleep(plan.grace)
    except (Exception, KeyboardInterrupt):
        with suppress(TransientError):
            passes.end_hold()
        raise
    passes.end_hold()
    passes.switch()
    dropped, kept = _drop_others(plan, target, discard=False)
    return Reindexed(
        index=target,
        made=True,
        documents=passes.documents,
        chunks=passes.chunks,
        refused=len(passes.refused),
        usage=passes.usage,
        dropped=dropped,
        kept=kept,
    )


def _clear_way(plan: ReindexPlan, current: Index, target: Index, *, discard: bool) -> None:
    others = plan.half_built(current, target)
    if others and not discard:
        listed = ", ".join(f"{one.name} ({one.model}, {one.dimension} dimensions, {one.language})" for one in others)
        raise ConfigurationError(
            f"A reindex with other settings is half built: {listed}. Run it again with those settings to finish it, or "
            "add --discard to drop what it has built."
        )
    for other in others:
        plan.ports.indexes.drop(other)


def _drop_others(plan: ReindexPlan, current: Index, *, discard: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Drop the indexes that nobody asks any more, except those that somebody is building. Returns the names of both."""
    others = [index for index in plan.ports.indexes.all() if index.name != current.name]
    if not others:
        return (), ()
    plan.sleep(plan.grace)  # an interrupted reindex may have switched just now
    kept = [] if discard else plan.half_built(current)
    dropped = [index for index in others if index not in kept]
    for index in dropped:
        plan.ports.indexes.drop(index)
        telemetry.log("reindex.dropped", index=index.name)
    return tuple(index.name for index in dropped), tuple(index.name for index in kept)
