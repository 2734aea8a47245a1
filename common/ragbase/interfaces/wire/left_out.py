"""What was left out of a folder or another source, as JSON: one shape for all commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragbase.messages.api.sources import LeftOutFiles
from ragbase.sources.left_out_kinds import LeftOutKind


def left_out_files(
    kinds: Iterable[LeftOutKind], names: Sequence[Sequence[str]] = ()
) -> tuple[LeftOutFiles, ...] | None:
    """None if there are none. `names` are those of the files of each kind, if they are to be named."""
    all = tuple(
        LeftOutFiles(
            kind=kind.many,
            count=kind.count,
            endings=kind.endings,
            reason=kind.reason,
            files=tuple(names[number]) if names else None,
        )
        for number, kind in enumerate(kinds)
    )
    return all or None
