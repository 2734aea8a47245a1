"""A folder of this machine as a source."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from ragbase.domain.errors import EntryChanged, UnreadableFile, UnreadableSource
from ragbase.domain.program_files import ProgramFiles
from ragbase.ports import SourceEntry
from ragbase.sources.folder import object_name
from ragbase.sources.open_inside import open_file
from ragbase.sources.walk import Problem, reason, walk

_BLOCK = 1024 * 1024


class FolderSource:
    """Implements the DocumentSource port: the files of the folder, under the names that `ragbase ingest` gives them."""

    in_order = True

    def __init__(
        self,
        folder: Path,
        bucket_folder: Path | None = None,
        *,
        program_files: ProgramFiles | None = None,
        follow_links: bool = False,
    ) -> None:
        """`bucket_folder` is the folder of a bucket that is one. No link leads out of the folder, unless `follow_links`
        is set. Raises UnreadableSource if there is no such folder."""
        self._folder = os.path.abspath(folder).rstrip("/")  # noqa: PTH100 - the name that the user knows, links and all
        if not os.path.isdir(f"{self._folder}/"):  # noqa: PTH112 - Path.is_dir raises some errors
            raise UnreadableSource(f"{folder}: there is no such folder. Check the path.")
        self._program_files = program_files or ProgramFiles()
        self._follows = follow_links
        self._within = None if follow_links else os.path.realpath(self.address)
        self._root = object_name(Path(f"{self._folder}/-"), bucket_folder).removesuffix("-")

    @property
    def address(self) -> str:
        return f"{self._folder}/"

    @property
    def root(self) -> str:
        return self._root

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        problems: list[Problem] = []
        for found in walk(self.address, problems, self._program_files.has_folder, follow_links=self._follows):
            if problems:
                break
            name = found.path.removeprefix(self.address)
            if name <= after:
                continue
            if found.left_out is not None:
                yield SourceEntry(name=name, mark="", left_out=found.left_out)
                continue
            try:
                status = Path(found.path).stat()
            except FileNotFoundError:
                continue  # removed since it was listed
            except OSError:
                yield SourceEntry(name=name, mark="unknown", path=found.path)  # to read it will say why
            else:
                yield SourceEntry(name=name, mark=_mark(status), size=status.st_size, path=found.path)
        if problems:
            raise UnreadableSource(problems[0].message)

    def read(self, entry: SourceEntry) -> Iterator[bytes]:
        path = self.address + entry.name
        try:
            with FileIO(open_file(path, self._within)) as file:
                while block := file.read(_BLOCK):
                    yield block
                if _mark(os.fstat(file.fileno())) != entry.mark:
                    raise EntryChanged(f"{path}: it was changed while it was read. Run the sync again.")
        except FileNotFoundError as error:
            raise EntryChanged(f"{path}: it was removed while it was read. Run the sync again.") from error
        except OSError as error:
            raise UnreadableFile(f"{path}: the file cannot be read: {reason(error)}") from error

    def close(self) -> None:
        """Nothing is open."""


def _mark(status: os.stat_result) -> str:
    """Every write changes the time of the inode (ctime), which no program can set, even if it sets back the other."""
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}"
