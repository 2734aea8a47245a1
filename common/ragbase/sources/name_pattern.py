"""Which names in a bucket a path means, by the rules of an ingest (expand.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_MAGIC = frozenset("*?[")


def names_of(path: str) -> Callable[[str], bool]:
    """Whether a name is below this folder, or if the path is a pattern (`*`, `?`, `[…]`, and `**` for any folders),
    matches it or is below a folder that does. A pattern means no hidden names, unless it names hidden ones itself."""
    folder = path.rstrip("/")
    if _MAGIC.isdisjoint(folder):
        return lambda name: name.startswith(f"{folder}/")
    parts = folder.split("/")
    first = next(index for index, part in enumerate(parts) if not _MAGIC.isdisjoint(part))
    wants_hidden = any(part.startswith(".") for part in parts[first:])
    pattern = re.compile("".join(_regex(parts)) + "(?:/.*)?", re.DOTALL)

    def matches(name: str) -> bool:
        is_hidden = any(part.startswith(".") for part in name.split("/")[first:])
        return (wants_hidden or not is_hidden) and pattern.fullmatch(name) is not None

    return matches


def _regex(parts: list[str]) -> Iterator[str]:
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if part == "**":
            yield "(?:[^/]+/)*[^/]+" if is_last else "(?:[^/]+/)*"
        else:
            yield "".join(_of_part(part)) + ("" if is_last else "/")


def _of_part(part: str) -> Iterator[str]:
    """The characters of a part of a pattern (https://docs.python.org/3.11/library/fnmatch.html)."""
    for piece in re.findall(r"\[!?\]?[^\]]*\]|.", part, re.DOTALL):
        if piece == "*":
            yield "[^/]*"
        elif piece == "?":
            yield "[^/]"
        elif len(piece) > 1:
            chosen = piece[1:-1].replace("\\", r"\\").replace("[", r"\[")
            yield f"[^{chosen[1:]}]" if chosen.startswith("!") else f"[{chosen}]"
        else:
            yield re.escape(piece)
