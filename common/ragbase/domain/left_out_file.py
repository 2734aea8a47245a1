"""A file that is there and is not taken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutFile:
    """Why a file of a folder or of another source becomes no document.

    `one` and `many` name its kind as people do ("picture", "pictures"), `reason` says the rule and the remedy. Files of
    the same kind and reason are counted together; `ending` is that of this one's name if it tells more than the kind,
    or the whole name of a link. `files` counts the files that it stands for: a hidden folder is one of these, with all
    that is in it.
    """

    one: str
    many: str
    reason: str
    ending: str = ""
    files: int = 1
