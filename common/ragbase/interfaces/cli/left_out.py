"""What a command says of the files that it has left out: their kinds with their counts, or each file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import click

from ragbase.domain.left_out import LeftOutFile
from ragbase.formats.libraries import missing_libraries
from ragbase.interfaces.cli.screen import counted, visible
from ragbase.interfaces.wire.left_out import left_out_files
from ragbase.messages.api.sources import LeftOutFiles
from ragbase.sources.left_out_kinds import LeftOutKind, LeftOutKinds

_MOST_ENDINGS = 8


def tell_missing_libraries(formats: Collection[str]) -> None:
    """Says which of these formats are not read here, and how to install what reads them."""
    if missing := missing_libraries(formats):
        click.echo(missing, err=True)


class LeftOutReport:
    """The files that a command leaves out. With `verbose`, it names each."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._kinds = LeftOutKinds()
        self._names: dict[tuple[str, str], list[str]] = {}

    @property
    def count(self) -> int:
        return sum(kind.count for kind in self._kinds.all())

    def add(self, source: str, file: LeftOutFile) -> None:
        self._kinds.add(file)
        if self._verbose:
            files = f"{source} ({counted(file.files, 'file')})" if source.endswith("/") else source
            self._names.setdefault((file.many, file.reason), []).append(files)

    def messages(self) -> tuple[LeftOutFiles, ...] | None:
        kinds = self._kinds.all()
        names = [self._names[(kind.many, kind.reason)] for kind in kinds] if self._verbose else ()
        return left_out_files(kinds, names)

    def print(self) -> None:
        if not self._verbose:
            print_left_out(self._kinds.all())
            return
        for kind in self._kinds.all():
            for name in self._names[(kind.many, kind.reason)]:
                click.echo(f"left out: {visible(name)}: {kind.one}. {kind.reason}")


def print_left_out(kinds: Iterable[LeftOutKind]) -> None:
    """A line for each kind."""
    for line in _lines(kinds):
        click.echo(line)


def _lines(kinds: Iterable[LeftOutKind]) -> Iterator[str]:
    for kind in kinds:
        more = "…" if len(kind.endings) > _MOST_ENDINGS else ""
        endings = f" ({', '.join(map(visible, kind.endings[:_MOST_ENDINGS]))}{more})" if kind.endings else ""
        yield f"left out: {kind.count:,} {kind.one if kind.count == 1 else kind.many}{endings}. {kind.reason}"
