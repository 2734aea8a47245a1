"""Remove texts, parts and indexes that no row needs any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragbase.csv_service.cut_parts import text_ids
from ragbase.csv_service.loaded_rows import LoadedRows
from ragbase.csv_service.shown_rows import GENERATION, ShownRows
from ragbase.domain.identity import chunk_id
from ragbase.domain.index import Index
from ragbase.ports import Indexes, OpenIndex


def remove_unshown(
    loaded: LoadedRows,
    indexes: Indexes,
    open_index: Callable[[Index], OpenIndex],
    *,
    before_remove: Callable[[], None],
) -> None:
    """Remove what the index holds for parts that search does not show.

    From the first removal on, no such part counts as done: if this is interrupted and its rows come back, its texts are
    written again. A part is removed after its texts, and the list of the parts at the end: so a call that was
    interrupted is simply done again.

    A search that has begun before finds that another version is shown, and searches again: nothing has to be kept for
    it. `before_remove` is called before each removal; what it raises ends the work.
    """
    unshown = loaded.unshown()
    if not unshown:
        return
    version = loaded.version()
    kept = {part.id for part in version.parts} if version is not None else set()
    before_remove()
    for one in unshown.values():
        one.doubt()
    loaded.save_unshown(unshown.values())
    for one in unshown.values():
        parts = sorted(one.parts - kept)
        before_remove()
        if version is not None and one.index != version.index:
            indexes.drop(one.index)
        elif parts:
            shown = ShownRows(version, loaded) if version is not None else None
            _remove_texts(parts, loaded, open_index(one.index), shown, before_remove)
        for part in parts:
            before_remove()
            loaded.remove_part(part)
    loaded.save_unshown([])


def _remove_texts(
    parts: Sequence[str],
    loaded: LoadedRows,
    index: OpenIndex,
    shown: ShownRows | None,
    before_remove: Callable[[], None],
) -> None:
    for part in parts:
        texts = [id for id in text_ids(loaded.keys(part) or b"") if shown is None or not shown.has(id)]
        held = index.vectors().held(texts) if texts else {}
        chunks = [
            chunk_id(text, GENERATION, ordinal, index.index.name)
            for text, generations in held.items()
            for ordinal in range(generations.get(GENERATION, 0))
        ]
        if chunks:
            before_remove()
            index.vectors().delete_chunks(chunks)
