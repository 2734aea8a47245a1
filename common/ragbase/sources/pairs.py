"""What a source has and what the bucket has, name by name, in memory that does not grow with either."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from ragbase.domain.errors import UnreadableSource
from ragbase.ports import Bucket, DocumentSource, SourceEntry, StoredObject


@dataclass(frozen=True, slots=True)
class Pair:
    """One name of the bucket: the entry that belongs there, and the live object. One of them may be None."""

    name: str
    entry: SourceEntry | None
    stored: StoredObject | None


def pairs(source: DocumentSource, bucket: Bucket, root: str, *, after: str = "") -> Iterator[Pair]:
    """Every entry with the object of its name below `root`, and every object there without an entry, by name. With
    `after`, which is a name that an earlier call gave, only those that come after it.

    Raises UnreadableSource if a source that should be in order is not: objects would seem to be gone that are not.
    """
    done = after.removeprefix(root)
    entries = _checked(source, done) if source.in_order else _sorted(source.entries(after=done), done)
    objects = bucket.list(root, after=after)
    entry, stored = next(entries, None), next(objects, None)
    while entry is not None or stored is not None:
        wanted = root + entry.name if entry is not None else None
        name = min(one for one in (wanted, stored.name if stored is not None else None) if one is not None)
        yield Pair(name, entry if wanted == name else None, stored if stored and stored.name == name else None)
        if wanted == name:
            entry = next(entries, None)
        if stored is not None and stored.name == name:
            stored = next(objects, None)


def _checked(source: DocumentSource, after: str) -> Iterator[SourceEntry]:
    last = after
    for entry in source.entries(after=after):
        if entry.name <= last:
            raise UnreadableSource(
                f"{source.address}: it lists {entry.name!r} after {last!r}, which is not the order of names that it "
                "promises. Nothing was deleted."
            )
        last = entry.name
        yield entry


def _sorted(entries: Iterable[SourceEntry], after: str) -> Iterator[SourceEntry]:
    """The entries after that name in order, each name once: the last one of a name. They wait in a file, which SQLite
    removes."""
    with closing(sqlite3.connect("")) as file:
        file.execute("CREATE TABLE entries (name TEXT PRIMARY KEY, mark TEXT, size INTEGER, url TEXT) WITHOUT ROWID")
        file.executemany(
            "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)",
            ((entry.name, entry.mark, entry.size, entry.url) for entry in entries if entry.name > after),
        )
        for name, mark, size, url in file.execute("SELECT name, mark, size, url FROM entries ORDER BY name"):
            yield SourceEntry(name=name, mark=mark, size=size, url=url)
