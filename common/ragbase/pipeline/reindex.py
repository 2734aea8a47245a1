"""Another model or other chunks for all documents, while searching and ingesting go on.

    live index ──────────────────────────────────── flip ──▶ nobody asks it: dropped
                  ╲ pass, pass, … until one finds no work
    new index      ╰─────── built beside ────────── flip ──▶ asked and written

Why a search never mixes, and no document is lost:

- A record's active generation decides what search shows, and a generation has the same number in every index. So the
  same filter is right in both: what the new index holds of a generation is the same text as what the old one holds of
  it, and what either holds of any other generation is not shown. The flip changes nothing in the records.
- A document is noted as built (`beside`) while its record shows that generation. A pass compares all records with what
  was noted, so that documents that were added or changed meanwhile are work for the next pass.
- A lane works in the index that was live when it claimed. If another is by the time it has flipped its document, it
  opens the document again (pipeline/process.py). What it flipped before, and the last pass has not seen, the passes
  after the flip find: its record still names the old index.
- Nothing is remembered but in the records and the indexes: the new index's name follows from the settings. So whoever
  runs a reindex again goes on where the last one stopped.
"""

from __future__ import annotations

from collections.abc import Callable

from ragbase import telemetry
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.index import Index
from ragbase.pipeline.reindex_passes import Passes
from ragbase.pipeline.reindexing import Phase, Progress, Reindexed, Reindexing


def reindex(work: Reindexing, *, told: Callable[[Progress], None] = lambda _: None, discard: bool = False) -> Reindexed:
    """Make all documents anew as the settings say, in an index that takes the live one's place at once.

    `discard` drops what a reindex with other settings has left half built. Raises ConfigurationError where there is
    such a one, and TransientError where nothing gets on for long, or another reindex has flipped meanwhile. Interrupted
    at any point, it goes on when it is called again.
    """
    live = work.indexes.live()
    if live is None:
        return Reindexed(index=None)
    # What an earlier one may have left to do after its flip.
    Passes(work, live, None, told).over_all(Phase.SWITCHING)
    if not work.is_due(live):
        dropped, kept = _drop_others(work, live, discard=discard)
        return Reindexed(index=live, dropped=dropped, kept=kept)
    target = work.target(live)
    _clear_way(work, live, target, discard=discard)
    passes = Passes(work, target, live, told)
    passes.over_all(Phase.BUILDING)
    work.indexes.make_live(target)
    telemetry.log("reindex.flipped", index=target.name, before=live.name, documents=passes.documents)
    work.sleep(work.grace)
    passes.over_all(Phase.SWITCHING)
    dropped, kept = _drop_others(work, target, discard=False)
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


def _clear_way(work: Reindexing, live: Index, target: Index, *, discard: bool) -> None:
    others = work.half_built(live, target)
    if others and not discard:
        listed = ", ".join(f"{one.name} ({one.model}, {one.dimension} dimensions, {one.language})" for one in others)
        raise ConfigurationError(
            f"A reindex with other settings is half built: {listed}. Run it again with those settings to finish it, or "
            "add --discard to drop what it has built."
        )
    for other in others:
        work.indexes.drop(other)


def _drop_others(work: Reindexing, live: Index, *, discard: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Drop the indexes that nobody asks any more, but for those that somebody is building; the names of both."""
    others = [index for index in work.indexes.all() if index.name != live.name]
    if not others:
        return (), ()
    work.sleep(work.grace)  # the flip may have been just now, by one that was interrupted
    kept = [] if discard else work.half_built(live)
    dropped = [index for index in others if index not in kept]
    for index in dropped:
        work.indexes.drop(index)
        telemetry.log("reindex.dropped", index=index.name)
    return tuple(index.name for index in dropped), tuple(index.name for index in kept)
