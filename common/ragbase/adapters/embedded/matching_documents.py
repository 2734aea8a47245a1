"""Which documents a filter leaves, asked of the records in the one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

from ragbase.adapters.embedded.document_store import seen_condition
from ragbase.adapters.record_json import read_record
from ragbase.domain.name_forms import stored_forms

if TYPE_CHECKING:
    from ragbase.domain.reach import Reach
    from ragbase.domain.search_filter import SearchFilter

_NO_CHARACTER_AFTER = chr(0x10FFFF)


def matching_documents(connection: sqlite3.Connection, within: SearchFilter, tenant: str) -> list[str]:
    """The ids of the tenant's documents that match, and with the tenant "" those of all documents. SQL leaves out most
    of the others; the filter decides, and reading a record takes longer than asking SQL."""
    seen, seen_values = seen_condition(tenant or None, within.reach)
    where, values = [f"tombstone = 0{seen}"], [*seen_values]
    if within.document_ids:
        where.append("id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(sorted(within.document_ids)))
    if within.path_prefixes:
        folders = stored_forms(within.folders)
        where.append(f"({' OR '.join(['name BETWEEN ? AND ?'] * len(folders))})")
        values += [bound for folder in folders for bound in (folder, f"{folder}/{_NO_CHARACTER_AFTER}")]
    if within.formats:
        where.append(f"({' OR '.join(['active_fingerprint GLOB ?'] * len(within.formats))})")
        values += [f"{format}|*" for format in sorted(within.formats)]
    asked = {"tags[0]": within.tags, "title": within.title, "url": within.url_prefix, "date": any(within.days)}
    where += [
        f"json_extract(record, '$.active.metadata.{said}') IS NOT NULL" for said, is_asked in asked.items() if is_asked
    ]
    front_matter = "json_extract(record, '$.active.metadata.front_matter')" if within.where else "'[]'"
    query = f"SELECT record, {front_matter} FROM documents WHERE {' AND '.join(where)}"  # noqa: S608 - our own conditions
    records = (
        read_record(record)
        for record, said in connection.execute(query, values)
        if within.is_met_by(json.loads(said or "[]"))
    )
    return [record.id for record in records if within.matches(record)]


def documents_within(connection: sqlite3.Connection, reach: Reach) -> list[str]:
    """The ids of all documents within reach, whatever is known of them."""
    seen, values = seen_condition(None, reach)
    return [id for (id,) in connection.execute(f"SELECT id FROM documents WHERE 1{seen}", values)]  # noqa: S608 - as above
