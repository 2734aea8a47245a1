"""The SQL schema of the embedded profile's one file. The comment above a table names the file that uses it."""

_CHUNK_COLUMNS = """\
    row_id INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    document_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    part INTEGER NOT NULL, -- always 0
    ordinal INTEGER NOT NULL,
    text TEXT NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    header_path TEXT NOT NULL,
    page INTEGER,
    text_hash TEXT NOT NULL,
    terms TEXT NOT NULL,
    vector BLOB NOT NULL
"""
"""Those of the first three versions of the file's format."""

ADDED_COLUMNS = {
    4: ("row INTEGER", "table_header TEXT NOT NULL DEFAULT ''"),
    5: ("tenant TEXT NOT NULL DEFAULT ''",),
}
"""Those that each later version has added. The tables of the indexes that an older version has made get them, too
(database.py)."""

_FIRST = f"""
-- object_table.py: the live generation of each object, and the last generation of each deleted object
CREATE TABLE objects (
    name TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    live INTEGER NOT NULL,
    size INTEGER NOT NULL,
    md5 TEXT NOT NULL,
    content_type TEXT NOT NULL,
    metadata TEXT NOT NULL,
    modified_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL
) WITHOUT ROWID;

-- publisher.py: messages to deliver; `owner` is the worker that has taken a message, until `visible_at` (seconds)
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL,
    body TEXT NOT NULL,
    reason TEXT NOT NULL,
    visible_at REAL NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    owner TEXT
);
CREATE INDEX messages_by_time ON messages (topic, visible_at);

-- document_store.py: the records; the columns next to `record` repeat what queries compare
CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    tombstone INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    active_md5 TEXT,
    active_fingerprint TEXT,
    lease_worker TEXT,
    record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX documents_by_time ON documents (tombstone, created_at, id);
CREATE INDEX documents_by_content ON documents (active_md5, active_fingerprint) WHERE active_md5 IS NOT NULL;
CREATE INDEX documents_by_lease ON documents (lease_worker) WHERE lease_worker IS NOT NULL;

-- vector_store.py: the chunks of the only index that this version had; see index_schema()
CREATE TABLE chunks (
{_CHUNK_COLUMNS});
CREATE INDEX chunks_by_document ON chunks (document_id, generation, part, ordinal);
CREATE TABLE embedding_model (model TEXT NOT NULL);
CREATE TABLE removals (
    id INTEGER PRIMARY KEY,
    row_id INTEGER NOT NULL
);
CREATE TRIGGER log_removal AFTER DELETE ON chunks BEGIN INSERT INTO removals (row_id) VALUES (old.row_id); END;
CREATE TRIGGER forget_removal AFTER INSERT ON removals BEGIN DELETE FROM removals WHERE id = new.id - 65536; END;
"""  # noqa: S608 - our own constant

_SECOND = """
-- document_store.py: the records in the order of a bucket's listing, and those that need work by their last change
ALTER TABLE documents ADD COLUMN bucket TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
UPDATE documents SET bucket = json_extract(record, '$.bucket'), name = json_extract(record, '$.name'),
    updated_at = rtrim(json_extract(record, '$.updated_at'), 'Z');
CREATE INDEX documents_by_name ON documents (bucket, name);
CREATE INDEX documents_open ON documents (updated_at) WHERE status IN ('PENDING', 'PROCESSING');

-- checkpoints.py: the progress of work that takes several runs
CREATE TABLE checkpoints (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;

-- dead_letters.py: undeliverable messages; `letter` is a dead letter as JSON
CREATE TABLE dead_letters (
    id TEXT PRIMARY KEY,
    document_id TEXT,
    last_seen TEXT NOT NULL,
    letter TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX dead_letters_by_time ON dead_letters (last_seen, id);
CREATE INDEX dead_letters_by_document ON dead_letters (document_id) WHERE document_id IS NOT NULL;

-- indexes.py: one row for each index; `live` marks the current index. The chunks of the first version become an index
-- of the name `first`. If there never were any chunks, its tables stay empty and unused.
CREATE TABLE indexes (
    name TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    language TEXT NOT NULL,
    live INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX indexes_live ON indexes (live) WHERE live;
INSERT INTO indexes SELECT 'first', model, (SELECT length(vector) / 4 FROM chunks LIMIT 1), 'english', 1
    FROM embedding_model WHERE EXISTS (SELECT 1 FROM chunks);
UPDATE documents SET record = json_set(record, '$.active.index', 'first')
    WHERE json_type(record, '$.active') = 'object';
DROP TABLE embedding_model;
ALTER TABLE chunks RENAME TO chunks_first;
ALTER TABLE removals RENAME TO removals_first;
"""

_THIRD = """
-- object_table.py: when each generation was written, in microseconds since 1970. Until now its number said so
ALTER TABLE objects ADD COLUMN written_us INTEGER NOT NULL DEFAULT 0;
UPDATE objects SET written_us = generation;
"""

_FOURTH = "-- vector_store.py: the chunks of every index have ADDED_COLUMNS"

_FIFTH = """
-- indexes.py: how the index is split by tenant (domain/tenant.py), and vector_store.py: ADDED_COLUMNS
ALTER TABLE indexes ADD COLUMN tenancy TEXT NOT NULL DEFAULT 'none';

-- document_store.py: the first folder of the name, as domain/tenant.py says
ALTER TABLE documents ADD COLUMN tenant TEXT AS (substr(name, 1, max(instr(name, '/') - 1, 0))) VIRTUAL;
CREATE INDEX documents_by_tenant ON documents (tenant, tombstone, created_at, id);
"""

_SIXTH = """
-- given_texts.py: `written_us` is in microseconds since 1970
CREATE TABLE given_texts (
    document_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    written_us INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (document_id, generation)
) WITHOUT ROWID;
"""

_SEVENTH = """
-- part_texts.py: `written_us` is in microseconds since 1970
CREATE TABLE part_texts (
    document_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    name TEXT NOT NULL,
    written_us INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (document_id, generation, name)
) WITHOUT ROWID;
"""

_EIGHTH = """
-- snapshot_files.py: the file from which the searches of a tenant's chunks in an index start
CREATE TABLE snapshot_files (
    index_name TEXT NOT NULL,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (index_name, tenant)
) WITHOUT ROWID;

-- document_store.py: the records of the few documents that have failed, as a listing wants them
CREATE INDEX documents_failed ON documents (tombstone, created_at, id) WHERE status = 'FAILED';
"""

_NINTH = """
-- document_store.py: the records as before, but with row ids. Without them, a page of the tree by `id` has room for few
-- records: to read one of 223 took eight pages, and takes three
ALTER TABLE documents RENAME TO documents_before;
CREATE TABLE documents (
    id TEXT NOT NULL PRIMARY KEY,
    bucket TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    tombstone INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    active_md5 TEXT,
    active_fingerprint TEXT,
    lease_worker TEXT,
    record TEXT NOT NULL,
    tenant TEXT AS (substr(name, 1, max(instr(name, '/') - 1, 0))) VIRTUAL
);
INSERT INTO documents (
    id, bucket, name, status, tombstone, created_at, updated_at, active_md5, active_fingerprint, lease_worker, record
)
SELECT
    id, bucket, name, status, tombstone, created_at, updated_at, active_md5, active_fingerprint, lease_worker, record
FROM documents_before;
DROP TABLE documents_before;
CREATE INDEX documents_by_name ON documents (bucket, name);
CREATE INDEX documents_by_time ON documents (tombstone, created_at, id);
CREATE INDEX documents_by_tenant ON documents (tenant, tombstone, created_at, id);
CREATE INDEX documents_by_content ON documents (active_md5, active_fingerprint, id) WHERE active_md5 IS NOT NULL;
CREATE INDEX documents_by_lease ON documents (lease_worker) WHERE lease_worker IS NOT NULL;
CREATE INDEX documents_open ON documents (updated_at, id) WHERE status IN ('PENDING', 'PROCESSING');
CREATE INDEX documents_failed ON documents (tombstone, created_at, id) WHERE status = 'FAILED';

-- vector_store.py: the chunks of every index have a new chunks_by_document
DROP INDEX IF EXISTS chunks_by_document;
"""

_TENTH = """
-- upload_key.py: the key that signs the addresses of uploads is in a file of its own, and a new one. `fast` lets SQLite
-- overwrite the bytes of the deleted row, and not those of the pages that the steps before have freed
PRAGMA secure_delete = fast;
DELETE FROM checkpoints WHERE name = 'upload-key';
"""

_ELEVENTH = """
-- word_boxes.py: `written_us` is in microseconds since 1970
CREATE TABLE word_boxes (
    document_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    reader TEXT NOT NULL,
    written_us INTEGER NOT NULL,
    boxes BLOB NOT NULL,
    PRIMARY KEY (document_id, generation, reader)
);

-- changes.py: the number of the last change of a record. 0: there was none since an older version
ALTER TABLE documents ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_by_change ON documents (change);
"""

SCHEMA = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH, _SEVENTH, _EIGHTH, _NINTH, _TENTH, _ELEVENTH)
"""What each version of the file's format adds to the version before. An older file is brought up to date with these."""


CHUNKS_BY_DOCUMENT = 9
"""The version since which `chunks_by_document` is as it is. The tables of chunks that an older version has made get it
(database.py)."""


def chunks_by_document(table: str) -> str:
    """Makes the index of a table of chunks by their documents. To count the chunks of a document, no chunk is read."""
    return f"""
CREATE INDEX IF NOT EXISTS {table}_by_document ON {table} (document_id, generation, part, ordinal, tenant);
"""


def index_schema(index: str, *, is_split: bool) -> str:
    """The tables of one index, made when the index is. If it `is_split` by tenant, a search finds its tenant's new
    chunks and a listing its next ones without reading those of others."""
    columns = ", ".join(column for added in ADDED_COLUMNS.values() for column in added)
    by_tenant = f"""
CREATE INDEX IF NOT EXISTS chunks_{index}_by_tenant ON chunks_{index} (tenant);
CREATE INDEX IF NOT EXISTS chunks_{index}_of_tenant ON chunks_{index} (tenant, id);
"""
    return f"""
-- vector_store.py: chunks with their terms (analysed text) and embeddings (little-endian float32).
-- A replaced chunk gets a new row id, so that readers find new chunks by row id alone. Removals are logged for readers:
-- the last 65,536, without a gap, so that a reader sees whether it has missed any.
CREATE TABLE IF NOT EXISTS chunks_{index} (
{_CHUNK_COLUMNS}, {columns});
{chunks_by_document(f"chunks_{index}")}
CREATE TABLE IF NOT EXISTS removals_{index} (
    id INTEGER PRIMARY KEY,
    row_id INTEGER NOT NULL
);
CREATE TRIGGER IF NOT EXISTS log_removal_{index} AFTER DELETE ON chunks_{index}
    BEGIN INSERT INTO removals_{index} (row_id) VALUES (old.row_id); END;
CREATE TRIGGER IF NOT EXISTS forget_removal_{index} AFTER INSERT ON removals_{index}
    BEGIN DELETE FROM removals_{index} WHERE id = new.id - 65536; END;
{by_tenant if is_split else ""}"""  # noqa: S608 - our own name
