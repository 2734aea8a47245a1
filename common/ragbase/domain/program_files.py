"""Which files programs keep for themselves: locks, backups of editors, halves of downloads, what systems leave behind.

Nobody means such a file when they name the folder that it is in. The rule is a pure function of a document's name, and
the same on every way in: such a name becomes no document. One that has a document already keeps it.

The lists come from what others leave out for the same reason:
https://github.com/github/gitignore/tree/main/Global (Emacs, Linux, macOS, MicrosoftOffice, Vim, Windows),
https://github.com/nextcloud/desktop/blob/master/sync-exclude.lst,
https://github.com/syncthing/syncthing/blob/main/lib/fs/tempname.go and
https://rclone.org/docs/#partial-suffix-string. What people use for files of their own, too, is not among them: `*.bak`,
`*.tmp`, `*.old`, `*.lnk`, `*_conflict-*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.left_out import LeftOutFile

SETTING = "program_files"
_WITHOUT = "!"

_LOCKS = ("~$*", ".~lock.*#", "*.laccdb", "*.idlk", "*.dwl", "*.dwl2")
"""Of Microsoft Office, LibreOffice, Access, InDesign and AutoCAD, while somebody has the document open."""

_BACKUPS = (
    *("*~", "#*#", ".#*", ".*.sw?", "*.swp", "*.swo", "*.kate-swp"),  # Emacs and its like, Vim, Kate
    *("~WRL*.tmp", "~WRD*.tmp", "~WRA*.wbk", "*.~vsd", "*.~vsdx"),  # Word, Visio
    *(".goutputstream-*", ".fuse_hidden*", ".nfs*", ".smbdelete*"),  # GNOME, and file systems
)

_DOWNLOADS = (
    *("*.part", "*.crdownload", "*.partial", "*.filepart", "*.opdownload", "*.aria2"),  # browsers, rclone, WinSCP
    *("*.!ut", "*.!qb", "*.!sync", "~syncthing~*", ".syncthing.*.tmp"),
)

_SYSTEMS = (
    *("Thumbs.db", "Thumbs.db:encryptable", "ehthumbs.db", "ehthumbs_vista.db", "desktop.ini"),  # Windows
    *("pagefile.sys", "hiberfil.sys", "swapfile.sys"),
    *(".DS_Store", "._*", ".localized", ".apdisk", ".LSOverride", ".VolumeIcon.icns", "Icon\r"),  # macOS
    *(".directory", ".dropbox", ".dropbox.attr", ".sync_*.db*", "._sync_*.db*"),  # KDE, Dropbox, Nextcloud
)

_FOLDERS = (
    *("$RECYCLE.BIN/", "RECYCLER/", "System Volume Information/"),  # Windows
    *("__MACOSX/", ".AppleDouble/", ".Spotlight-V100/", ".Trashes/", ".fseventsd/", ".TemporaryItems/"),  # macOS
    *(".DocumentRevisions-V100/", "Network Trash Folder/"),
    *("lost+found/", ".Trash/", ".Trash-*/"),  # Linux
    *("@eaDir/", "#recycle/", "#snapshot/", "@Recycle/", "@Recently-Snapshot/", ".@__thumb/"),  # Synology, QNAP
    *("~snapshot/", ".snapshot/", ".dropbox.cache/", ".stversions/"),  # NetApp, Dropbox, Syncthing
)

PATTERNS = (*_LOCKS, *_BACKUPS, *_DOWNLOADS, *_SYSTEMS, *_FOLDERS)
"""Patterns of one part of a name between slashes, whether in capitals or not. Those that end with a slash are of
folders, with all that is in them; all others of files."""


class ProgramFiles:
    """The patterns in force: ours, those that the setting adds, and without those that it takes away."""

    def __init__(self, setting: str = "") -> None:
        """`setting` has patterns with commas between them. "!" before one takes away what matches it.

        Raises ConfigurationError for a pattern that could be meant otherwise."""
        said = [pattern for one in setting.split(",") if (pattern := one.strip())]
        for pattern in said:
            _check(pattern)
        taken_away = [pattern.removeprefix(_WITHOUT) for pattern in said if pattern.startswith(_WITHOUT)]
        added = [pattern for pattern in said if not pattern.startswith(_WITHOUT)]
        self.patterns: Sequence[str] = (*(one for one in PATTERNS if one not in taken_away), *added)
        self.rules: Sequence[str] = (*self.patterns, *(f"{_WITHOUT}{one}" for one in taken_away))
        self._files, self._folders = _of_files(self.patterns), _of_folders(self.patterns)
        self._kept_files, self._kept_folders = _of_files(taken_away), _of_folders(taken_away)

    def has(self, name: str) -> bool:
        """Whether it is the name of such a file, or of one in such a folder."""
        *folders, file = name.split("/")
        return self._is_file(file) or any(map(self.has_folder, folders))

    def has_folder(self, folder: str) -> bool:
        """Whether a folder that is called so is a program's own, with all that is in it."""
        return _match(self._folders, folder) and not _match(self._kept_folders, folder)

    def left_out(self, name: str) -> LeftOutFile | None:
        """Why this file is not taken; None if no program keeps it for itself."""
        part = self._part(name)
        if part is None:
            return None
        return LeftOutFile(
            one="program's own file",
            many="programs' own files",
            reason="Programs keep such files for themselves. The setting program_files can have some of them read.",
            ending=part,
        )

    def refusal(self, name: str) -> str | None:
        """What to say to somebody who names such a file; None if no program keeps it for itself."""
        part = self._part(name)
        if part is None:
            return None
        pattern = next(one for one in self.patterns if one.endswith("/") == part.endswith("/") and _fits(one, part))
        return (
            f"{name!r} becomes no document: programs keep files called {pattern} for themselves. Give it another name, "
            f"or add {_WITHOUT}{pattern} to the setting {SETTING}."
        )

    def _part(self, name: str) -> str | None:
        """The part of the name that decides; a folder's ends with a slash."""
        *folders, file = name.split("/")
        folder = next(filter(self.has_folder, folders), None)
        if folder is not None:
            return f"{folder}/"
        return file if self._is_file(file) else None

    def _is_file(self, file: str) -> bool:
        return _match(self._files, file) and not _match(self._kept_files, file)


def _check(pattern: str) -> None:
    bare = pattern.removeprefix(_WITHOUT)
    if not bare.strip("/") or "/" in bare.removesuffix("/"):
        raise ConfigurationError(
            f"{SETTING}: {pattern!r} is no pattern of a file's name. Write one such as *.bak, or with a slash at its "
            "end for a folder."
        )


def _of_files(patterns: Iterable[str]) -> re.Pattern[str] | None:
    return _compiled([pattern for pattern in patterns if not pattern.endswith("/")])


def _of_folders(patterns: Iterable[str]) -> re.Pattern[str] | None:
    return _compiled([pattern.removesuffix("/") for pattern in patterns if pattern.endswith("/")])


def _compiled(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(translate, patterns)), re.IGNORECASE) if patterns else None


def _match(patterns: re.Pattern[str] | None, part: str) -> bool:
    return patterns is not None and patterns.match(part) is not None


def _fits(pattern: str, part: str) -> bool:
    return re.compile(translate(pattern), re.IGNORECASE).match(part) is not None
