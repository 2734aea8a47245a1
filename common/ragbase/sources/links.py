"""Which files of a folder are its own: a link may be somebody's way to show what is elsewhere on this machine."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ragbase.domain.left_out import LeftOutFile
from ragbase.sources.open_inside import parts_inside

HIDDEN = "Names that begin with a dot are not read: name such a file or folder itself."


class Inside:
    """What belongs to a folder: regular files, and links to those below it. With `follow_links`, all links do."""

    def __init__(self, root: str, *, follow_links: bool = False) -> None:
        self._given = root
        self.root = os.path.realpath(root)
        self._follows = follow_links
        self._entered: set[tuple[int, int]] = set()

    def left_out(self, path: str) -> LeftOutFile | None:
        """Why this file is not taken; None if it is. If that cannot be found out, it is taken: the upload says why it
        cannot be read."""
        try:
            if not self._follows and (left_out := self._away(path)) is not None:
                return left_out
            mode = Path(path).stat().st_mode
        except FileNotFoundError:
            return _named(_BROKEN, path)
        except OSError:
            return None
        return None if stat.S_ISREG(mode) else _FOLDER if stat.S_ISDIR(mode) else _SPECIAL

    def enters(self, path: str) -> LeftOutFile | None:
        """Why this folder, or link to one, is not read; None if it is. A link to a folder is read if links are
        followed, unless it was read before: so loops end, and no folder is read again and again."""
        is_link = os.path.islink(path)  # noqa: PTH114 - Path.is_link raises some errors
        if not self._follows:
            return self._away(path) or (_FOLDER if is_link else None)
        try:
            status = Path(path).stat()
        except OSError:
            return None  # to list it will say why
        identity = (status.st_dev, status.st_ino)
        if is_link and identity in self._entered:
            return _AGAIN
        self._entered.add(identity)
        return None

    def _away(self, path: str) -> LeftOutFile | None:
        """Why a path is not followed to where it leads; None if it leads to what could be read there, too."""
        real = os.path.realpath(path)
        parts = [] if real == self.root else parts_inside(self.root, real)
        if parts is None:
            return _named(_OUTSIDE if os.path.lexists(real) else _BROKEN, path)
        # Kubernetes mounts each file as a link to "..data/", which is a link, too.
        is_hidden = any(map(_is_hidden, parts)) and not any(
            map(_is_hidden, os.path.relpath(path, self._given).split("/"))
        )
        return _named(_TO_HIDDEN, path) if is_hidden else None


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and not name.startswith("..")


def _named(kind: LeftOutFile, path: str) -> LeftOutFile:
    return LeftOutFile(one=kind.one, many=kind.many, reason=kind.reason, ending=Path(path).name)


_OUTSIDE = LeftOutFile(
    one="link out of the folder",
    many="links out of the folder",
    reason="A link is followed only to what is in the same folder: name the file that it leads to, or add "
    "--follow-links (setting follow_links).",
)
_TO_HIDDEN = LeftOutFile(one="link to a hidden file", many="links to hidden files", reason=HIDDEN)
_BROKEN = LeftOutFile(
    one="broken link", many="broken links", reason="It leads to nothing that is there: correct or remove it."
)
_FOLDER = LeftOutFile(
    one="link to a folder",
    many="links to folders",
    reason="It is not followed: name the folder to have its files read.",
)
_AGAIN = LeftOutFile(
    one="link to a folder that is read already",
    many="links to folders that are read already",
    reason="Each folder is followed to once.",
)
_SPECIAL = LeftOutFile(
    one="special file", many="special files", reason="It is a pipe, a socket or a device: copy its content into a file."
)
