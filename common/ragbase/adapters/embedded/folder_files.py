"""The files below a bucket's folder: how they are read, written and removed. This file knows nothing of generations."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import stat
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from ragbase import telemetry
from ragbase.adapters.embedded.private_files import FOLDER, has_other_name, is_exposed, make_folder, tighten
from ragbase.domain.errors import ConfigurationError, InvalidObject, TransientError, Unavailable
from ragbase.formats.plain_text import HEAD
from ragbase.sources.open_inside import open_below, open_folder

_COARSEST_TICK_NS = 2_000_000_000
"""Nanoseconds within which two writes may get the same time: FAT counts in 2 s, HFS+ in 1 s, ext4 in about 4 ms."""

_ABANDONED = 3600.0
"""Seconds after which a file in the staging folder must be left over from a killed process."""

_DISCARDED_AT_ONCE = 8
"""Files whose bytes are freed at the same time: a busy disk lets each wait for some milliseconds."""

_LINKS_NAMED = 10
"""Links that a log entry names; it counts all."""

_NAME_ERRORS = frozenset(
    {errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR}
)
"""The name is to blame, or what the folder already holds. Another try would fail in the same way."""

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})

_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""No file can be at such a path. ELOOP and ENOTDIR: a folder on the way, or the file, is now a link."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Shows that a file has not changed, without reading it. `size` is in bytes."""

    size: int
    modified_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Mark:
        # SQLite's integers have 63 bits and a sign; some network file systems use all 64.
        return cls(status.st_size, status.st_mtime_ns, status.st_ino & 0x7FFF_FFFF_FFFF_FFFF)

    def to_remember(self, changed_ns: int) -> Mark:
        """The mark to store for the file, whose inode was changed last at that time (ctime).

        A file written a moment ago may be written again without a change of its time. For such a file this is a mark
        that no file has, so that the next check reads it again (as git does with its index).
        """
        written_ns = self.modified_ns
        if written_ns - changed_ns >= _COARSEST_TICK_NS:
            written_ns = changed_ns  # a program has set a time in the future: no later write gives the file the same
        # File times come from the system's clock, whatever the bucket's clock says.
        recent = time.time_ns() - written_ns < _COARSEST_TICK_NS
        return replace(self, modified_ns=-1) if recent else self


@dataclass(frozen=True, slots=True)
class FileDigest:
    """What reading a file found. `to_remember` is the mark to store for it, `head` is its first bytes, `md5` is over
    all its bytes, in lower-case hex."""

    mark: Mark
    to_remember: Mark
    md5: str
    head: bytes


class FolderFiles:
    """Regular files below `root`, named by their path below it. Symbolic links are neither followed nor listed.

    Files and folders that somebody has put there are made private, as ours are: they are in the data folder. If `root`
    is a link to a folder elsewhere, its files keep their modes.
    """

    def __init__(self, root: Path, staging: Path) -> None:
        """`staging` must be on the same file system and have no other use.

        Raises ConfigurationError if there can be no such folders.
        """
        for folder in (root, staging):
            try:
                make_folder(folder)
            except OSError as error:
                raise ConfigurationError(
                    f"{folder} cannot be used as a folder: {error.strerror}. Remove or mount what is there, or choose "
                    "another data folder with --home or RAGBASE_HOME."
                ) from error
        self._makes_private = not root.is_symlink()
        self.root = root.resolve()
        self._base = f"{self.root}/"
        self._staging = staging
        self._links: set[str] = set()
        self._inside: dict[str, tuple[int, int]] = {}

    def check_root(self) -> None:
        """Raise Unavailable if the folder is gone. A disk that is not mounted does not mean that all was deleted."""
        if not self.root.is_dir():
            raise Unavailable(f"{self.root}: the bucket's folder is gone. Mount or create it, and try again.")

    def mark(self, name: str) -> Mark | None:
        """The mark of the file; None if there is no file. Raises OSError if this cannot be found out."""
        path = self._base + name
        try:
            status = os.lstat(path)
        except OSError as error:
            if error.errno not in _NOTHING_THERE:
                raise
            self.check_root()
            return None
        return Mark.of(status) if stat.S_ISREG(status.st_mode) and self._is_inside(os.path.dirname(path)) else None

    def look(self, name: str) -> FileDigest | None:
        """Read the file; None if there is no file. A file that is written meanwhile has another mark afterwards.

        Raises OSError if it cannot be read.
        """
        descriptor = self._open(name)
        if descriptor is None:
            return None
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            self._make_private(self._base + name, status)
            mark = Mark.of(status)
            head = file.read(HEAD)
            file.seek(0)
            md5 = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
        return FileDigest(mark, mark.to_remember(status.st_ctime_ns), md5, head)

    def read(self, name: str, size: int) -> bytes | None:
        """The file's bytes; None if there is no file of this size. Raises OSError if it cannot be read."""
        descriptor = self._open(name)
        if descriptor is None:
            return None
        try:
            if os.fstat(descriptor).st_size != size:
                return None
            with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)

    @contextmanager
    def staged(self, data: bytes) -> Iterator[Path]:
        """A durable file with this content, for `place` to move. Raises Unavailable if it cannot be written."""
        path: Path | None = None
        try:
            descriptor, file_name = tempfile.mkstemp(dir=self._staging)
            path = Path(file_name)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                written = 0
                while written < len(data):
                    written += file.write(memoryview(data)[written:])
                # Dated back, so that any later write changes the file's time.
                modified = os.fstat(descriptor).st_mtime_ns - _COARSEST_TICK_NS
                os.utime(descriptor, ns=(modified, modified))
                os.fsync(descriptor)
        except OSError as error:
            if path is not None:
                path.unlink(missing_ok=True)
            raise Unavailable(_not_written(self._staging, error)) from error
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def place(self, staged: Path, name: str) -> tuple[Mark, set[str]]:
        """Move a staged file to its name. Returns its mark, and the folders to `sync` to make the move durable.

        Raises InvalidObject if there can be no file of this name.
        """
        path = self._base + name
        folder = os.path.dirname(path)
        changed = {folder}
        try:
            if not self._is_inside(folder):
                self._make_folder(Path(folder), changed)
            with self._folder_of(name) as (descriptor, file):
                os.replace(staged, file, dst_dir_fd=descriptor)
                return Mark.of(os.lstat(file, dir_fd=descriptor)), changed
        except OSError as error:
            if error.errno not in _NAME_ERRORS:
                raise TransientError(_not_written(path, error)) from error
            why = self._in_the_way(name) or f"{error.strerror}{self._place_of(error)}. Choose another name."
            raise InvalidObject(f"{name!r} cannot be stored: {why}") from error

    def remove(self, name: str) -> tuple[str, str]:
        """Move the file away if it is still there, and remove the folders that become empty. Returns the folder to
        `sync` to make that durable, and what to `discard` then: to free the bytes of a file takes longer than to move
        it, and no lock is needed for it. Raises TransientError if the file cannot be removed."""
        path = self._base + name
        moved = str(self._staging / uuid.uuid4().hex)
        try:
            if self.mark(name) is not None:
                with suppress(FileNotFoundError), self._folder_of(name) as (descriptor, file):
                    _move_or_unlink(file, descriptor, moved)
        except OSError as error:
            raise TransientError(f"{path} cannot be removed: {error.strerror}. Make its folder writable.") from error
        root, folder = str(self.root), os.path.dirname(path)
        while folder != root:
            try:
                os.rmdir(folder)
            except FileNotFoundError:
                pass  # already removed
            except OSError:
                break  # not empty
            folder = os.path.dirname(folder)
        return folder, moved

    def put_back(self, name: str, moved: str) -> None:
        """Undo `remove`, unless there is another file of this name by now, or nothing was moved."""
        path = Path(self._base + name)
        try:
            self._make_folder(path.parent, set())
            with self._folder_of(name) as (descriptor, file):
                _move_if_free(moved, file, descriptor)
        except (FileNotFoundError, FileExistsError):
            pass
        except OSError as error:
            _warn(name, f"Its deletion failed, and it cannot be put back from {moved}: {error.strerror}.")

    def discard(self, moved: Sequence[str]) -> None:
        """Free the bytes of files that were moved away. What a killed process leaves of them is left to `sweep`."""
        if len(moved) == 1:
            _discard(moved[0])
            return
        with ThreadPoolExecutor(_DISCARDED_AT_ONCE, thread_name_prefix="discard") as threads:
            for _ in threads.map(_discard, moved):
                pass

    def sync(self, folders: Iterable[str]) -> None:
        """Wait until the current state of these folders is on the disk."""
        for folder in folders:
            try:
                descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError as error:
                if error.errno not in _NOTHING_THERE:
                    raise
                continue  # removed again by somebody else
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def walk(self) -> dict[str, Mark]:
        """All files by name, except hidden ones, in one pass. What cannot be read or named is logged and left out.

        Raises Unavailable if the folder is gone.
        """
        self.check_root()
        found: dict[str, Mark] = {}
        links: list[str] = []
        folders = [""]
        while folders:
            prefix = folders.pop()
            try:
                with os.scandir(self.root / prefix) as entries:
                    for entry in entries:
                        name = prefix + entry.name
                        if entry.name.startswith("."):
                            continue
                        if not _is_utf8(entry.name):
                            _warn(name, "The name is not valid UTF-8. Rename it.")
                            continue
                        try:
                            if entry.is_dir(follow_symlinks=False):
                                folders.append(name + "/")
                                self._make_private(entry.path, entry.stat(follow_symlinks=False))
                            elif entry.is_file(follow_symlinks=False):
                                status = entry.stat(follow_symlinks=False)
                                self._make_private(entry.path, status)
                                found[name] = Mark.of(status)
                            elif entry.is_symlink():
                                links.append(name)
                        except FileNotFoundError:
                            continue  # removed since the folder was read
            except OSError as error:
                _warn(prefix, str(error.strerror))
        self._tell_of_links(links)
        return found

    def sweep(self) -> None:
        """Remove files that killed processes have left in the staging folder."""
        for path in self._staging.iterdir():
            try:
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
            except FileNotFoundError:
                continue  # its process was alive, or another one has removed it
            except OSError as error:
                _warn(path.name, str(error.strerror))

    def _in_the_way(self, name: str) -> str | None:
        """What keeps a file of this name out: a file and a folder cannot have the same name here."""
        for folder in accumulate(name.split("/")[:-1], "{}/{}".format):
            if os.path.isfile(self._base + folder):
                return f"{folder!r} is a file here, so nothing can be in a folder of that name. Rename one of them."
        if os.path.isdir(self._base + name):
            return "there is a folder of that name here, and files in it. Rename the file or the folder."
        return None

    def _place_of(self, error: OSError) -> str:
        """What is in the way, by its name in the bucket: the sender of a file is told."""
        path = str(error.filename or "")
        return f" ({path.removeprefix(self._base)})" if path.startswith(self._base) else ""

    def _tell_of_links(self, names: Sequence[str]) -> None:
        """Once of each: a folder is walked again and again."""
        if new := sorted(set(names) - self._links):
            telemetry.log(
                "bucket.links_left_out",
                level=logging.WARNING,
                count=len(new),
                names=list(map(ascii, new[:_LINKS_NAMED])),
                reason="No link is followed here. Copy the file, or sync the folder that it is in.",
            )
        self._links = set(names)

    def _make_private(self, path: str, status: os.stat_result) -> None:
        if self._makes_private and is_exposed(status) and not has_other_name(status):
            tighten(path)

    def _is_inside(self, folder: str) -> bool:
        """Whether the folder exists and is really below the root: no symbolic link on the way leads elsewhere."""
        try:
            status = os.stat(folder)
        except OSError as error:
            if error.errno not in _NOTHING_THERE:
                raise
            return False
        identity = (status.st_dev, status.st_ino)
        if self._inside.get(folder) == identity:  # checked before, and still the same folder
            return True
        inside = stat.S_ISDIR(status.st_mode) and os.path.realpath(folder) == folder
        if inside:
            self._inside[folder] = identity
        return inside

    def _make_folder(self, folder: Path, changed: set[str]) -> None:
        """Make the folder and those on the way to it. `changed` gets the folders that hold a new one."""
        self.check_root()
        for below in accumulate(folder.relative_to(self.root).parts, os.path.join):
            level = self.root / below
            if not level.exists():
                changed.add(str(level.parent))
            level.mkdir(FOLDER, exist_ok=True)
            if level.is_symlink():
                raise NotADirectoryError(errno.ENOTDIR, "A symbolic link leads elsewhere", str(level))

    @contextmanager
    def _folder_of(self, name: str) -> Iterator[tuple[int, str]]:
        """The descriptor of the folder that the file is in, and the file's name there: what is done with these is done
        below the root, whatever links come meanwhile. Raises OSError."""
        *folders, file = name.split("/")
        descriptor = open_folder(str(self.root), folders)
        try:
            yield descriptor, file
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int | None:
        try:
            descriptor = open_below(str(self.root), name.split("/"))
        except OSError as error:
            if error.errno not in _NOTHING_THERE and error.errno != errno.ENXIO:  # gone, or now a link or a socket
                raise
            self.check_root()
            return None
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        return None


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # another process has swept, or it was not there
    except OSError as error:
        _warn(os.path.basename(path), str(error.strerror))


def _move_or_unlink(file: str, folder: int, to: str) -> None:
    try:
        os.rename(file, to, src_dir_fd=folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        os.unlink(file, dir_fd=folder)  # somebody has mounted another file system below the bucket's folder


def _move_if_free(moved: str, file: str, folder: int) -> None:
    """A link replaces nothing, and a rename does. Not every file system has links."""
    try:
        os.link(moved, file, dst_dir_fd=folder)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with suppress(FileNotFoundError):
            os.stat(file, dir_fd=folder, follow_symlinks=False)
            return
        os.rename(moved, file, dst_dir_fd=folder)
    else:
        os.unlink(moved)


def _not_written(path: Path | str, error: OSError) -> str:
    return f"{path} cannot be written: {error.strerror}. Make the folder writable, or free space on its disk."


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _warn(name: str, reason: str) -> None:
    telemetry.log("bucket.ignored", level=logging.WARNING, name=ascii(name), reason=reason)
