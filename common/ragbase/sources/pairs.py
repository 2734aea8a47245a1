"""What a source has and what the bucket has, name by name, in memory that does not grow with either."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, fields

from ragbase.domain.errors import UnreadableSource
from ragbase.domain.left_out import LeftOutFile
from ragbase.ports import Bucket, DocumentSource, SourceEntry, StoredObject

_FIELDS = [field.name for field in fields(SourceEntry) if field.name != "left_out"]


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
    last = after or None  # the first name of a bucket's folder may be empty: the folder itself
    for entry in source.entries(after=after):
        if last is not None and entry.name <= last:
            raise UnreadableSource(
                f"{source.address}: it lists {entry.name!r} after {last!r}, which is not the order of names that it "
                "promises. Nothing was deleted."
            )
        last = entry.name
        yield entry


def _sorted(entries: Iterable[SourceEntry], after: str) -> Iterator[SourceEntry]:
    """The entries after that name in order, each name once: the last one of a name, and one that is left out only if
    there is no other. They wait in a file, which SQLite removes."""
    with closing(sqlite3.connect("")) as file:
        file.execute("CREATE TABLE entries (name TEXT PRIMARY KEY, left_out TEXT, entry TEXT) WITHOUT ROWID")
        file.executemany(
            "INSERT INTO entries VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET left_out = excluded.left_out, "
            "entry = excluded.entry WHERE excluded.left_out IS NULL",
            (_row(entry) for entry in entries if entry.name > after),
        )
        for left_out, entry in file.execute("SELECT left_out, entry FROM entries ORDER BY name"):
            why = LeftOutFile(**json.loads(left_out)) if left_out is not None else None
            yield SourceEntry(**json.loads(entry), left_out=why)


def _row(entry: SourceEntry) -> tuple[str, str | None, str]:
    left_out = json.dumps(asdict(entry.left_out)) if entry.left_out is not None else None
    return entry.name, left_out, json.dumps({field: getattr(entry, field) for field in _FIELDS})
