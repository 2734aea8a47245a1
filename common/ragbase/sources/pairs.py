"""What a source has and what the bucket has, name by name, in memory that does not grow with either."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice

from ragbase.domain.errors import UnreadableSource
from ragbase.domain.left_out import OTHER_FORM, LeftOutFile
from ragbase.domain.name_forms import has_other_forms, nfc, precedence
from ragbase.ports import Bucket, DocumentSource, SourceEntry, StoredObject

_FIELDS = [field.name for field in fields(SourceEntry) if field.name != "left_out"]
_PAGE = 500
"""Objects that are looked at together."""
_SORTED = "\0"
"""Stands before the place of a pair that comes from sorted names. No name has this character."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One name of the bucket: the entry that belongs there, and the live object. One of them may be None. With `place`,
    a later call goes on after this pair."""

    name: str
    entry: SourceEntry | None
    stored: StoredObject | None
    place: str


Named = tuple[str, SourceEntry, Iterable[str]]
"""An entry with its name in the bucket, and the other forms of this name that the source has."""


def pairs(source: DocumentSource, bucket: Bucket, root: str, *, after: str = "") -> Iterator[Pair]:
    """Every entry with the object of its name below `root`, and every object there without an entry, by name. With
    `after`, which is a place that an earlier call gave, only those that come after it.

    All forms of a name are one (domain/name_forms.py). Of several entries, one counts, and the others are left out.
    The source and the bucket list names by code points, in which forms of one name stand far apart. So as soon as a
    name has another form, or may have one, all names are sorted first: otherwise an object would seem to have no entry.

    Raises UnreadableSource if a source that should be in order is not: objects would seem to be gone that are not.
    """
    root = nfc(root)
    done = ""
    if source.in_order and not after.startswith(_SORTED):
        try:
            for pair in map(_plain, _merged(_plain_entries(source, root, after), _plain_objects(bucket, root, after))):
                after = pair.name
                yield replace(pair, place=pair.name)
        except _OtherForm:
            done, after = after, ""
        else:
            return
    after = after.removeprefix(_SORTED)
    for pair in _merged(_sorted(source.entries(), root, after), _sorted_objects(bucket, root, after)):
        # Up to here, all names were given but those that stand elsewhere.
        if pair.name > done or _is_kept_elsewhere(pair, root):
            yield pair


class _OtherForm(Exception):
    """A name has another form than NFC, or may have one."""


def _plain_entries(source: DocumentSource, root: str, after: str) -> Iterator[Named]:
    for entry in _checked(source, after.removeprefix(root)):
        name = root + entry.name
        if name != nfc(name):
            raise _OtherForm
        yield name, entry, ()


def _plain_objects(bucket: Bucket, root: str, after: str) -> Iterator[StoredObject]:
    for stored in bucket.list(root, after=after):
        if stored.spelling:
            raise _OtherForm
        yield stored


def _plain(pair: Pair) -> Pair:
    if pair.entry is None and has_other_forms(pair.name):
        raise _OtherForm
    return pair


def _is_kept_elsewhere(pair: Pair, root: str) -> bool:
    """Whether the source or the bucket has the name in another form than NFC."""
    if pair.stored is not None and pair.stored.spelling:
        return True
    return pair.entry is not None and root + pair.entry.name != nfc(root + pair.entry.name)


def _merged(entries: Iterator[Named], objects: Iterator[StoredObject]) -> Iterator[Pair]:
    named, stored = next(entries, None), next(objects, None)
    while named is not None or stored is not None:
        wanted = named[0] if named is not None else None
        name = min(one for one in (wanted, stored.name if stored is not None else None) if one is not None)
        place = _SORTED + name
        entry = named[1] if named is not None and wanted == name else None
        yield Pair(name, entry, stored if stored and stored.name == name else None, place)
        if named is not None and wanted == name:
            for form in named[2]:
                yield Pair(name, SourceEntry(name=form, mark="", left_out=OTHER_FORM), None, place)
            named = next(entries, None)
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


def _sorted(entries: Iterable[SourceEntry], root: str, after: str) -> Iterator[Named]:
    """The entries after that name in order, each name once: the last one of a name, and one that is left out only if
    there is no other. They wait in a file, which SQLite removes."""
    with closing(sqlite3.connect("")) as file:
        file.create_function("precedes", 2, lambda one, two: precedence(one) < precedence(two), deterministic=True)
        file.execute("CREATE TABLE entries (name TEXT PRIMARY KEY, form TEXT, left_out TEXT, entry TEXT) WITHOUT ROWID")
        file.execute("CREATE TABLE forms (name TEXT, form TEXT, PRIMARY KEY (name, form)) WITHOUT ROWID")
        for entry in entries:
            name = nfc(root + entry.name)
            if name <= after:
                continue
            if not entry.name.isascii():
                file.execute("INSERT OR IGNORE INTO forms VALUES (?, ?)", (name, entry.name))
            file.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET form = excluded.form, "
                "left_out = excluded.left_out, entry = excluded.entry WHERE excluded.form = form AND excluded.left_out "
                "IS NULL OR precedes(excluded.form, form)",
                (name, entry.name, *_row(entry)),
            )
        others = "(SELECT json_group_array(form) FROM forms WHERE name = entries.name AND form <> entries.form)"
        for name, left_out, entry, forms in file.execute(
            f"SELECT name, left_out, entry, {others} FROM entries ORDER BY name"  # noqa: S608 - our own
        ):
            why = LeftOutFile(**json.loads(left_out)) if left_out is not None else None
            yield name, SourceEntry(**json.loads(entry), left_out=why), json.loads(forms)


def _sorted_objects(bucket: Bucket, root: str, after: str) -> Iterator[StoredObject]:
    with closing(sqlite3.connect("")) as file:
        file.execute("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")
        listed = ((stored.name,) for stored in bucket.list(root) if stored.name > after)
        file.executemany("INSERT OR IGNORE INTO names VALUES (?)", listed)
        names = (name for (name,) in file.execute("SELECT name FROM names ORDER BY name"))
        while page := list(islice(names, _PAGE)):
            found = bucket.stat_many(page)
            yield from (found[name] for name in page if name in found)


def _row(entry: SourceEntry) -> tuple[str | None, str]:
    left_out = json.dumps(asdict(entry.left_out)) if entry.left_out is not None else None
    return left_out, json.dumps({field: getattr(entry, field) for field in _FIELDS})
