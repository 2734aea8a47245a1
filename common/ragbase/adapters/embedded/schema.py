"""The tables of the embedded profile's one file. Each is read and written by the adapter that its comment names."""

_FIRST = """
-- folder_bucket.py: the live generation of each object, and the last generation of each deleted one
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

-- queue.py: what is to be done; `owner` is the worker that has a message in hand until `visible_at` (seconds)
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

-- document_store.py: the records; the columns beside `record` repeat what is searched for
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

-- vector_store.py: chunks with their terms (analysed text) and embeddings (little-endian float32).
-- A replaced chunk gets a new row id, so that readers find what is new by row id alone. Removals are logged for them:
-- the last 65,536, without a gap, so that a reader sees whether it has missed any.
CREATE TABLE chunks (
    row_id INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    document_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    part INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    text TEXT NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    header_path TEXT NOT NULL,
    page INTEGER,
    text_hash TEXT NOT NULL,
    terms TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX chunks_by_document ON chunks (document_id, generation, part, ordinal);
CREATE TABLE embedding_model (model TEXT NOT NULL);
CREATE TABLE removals (
    id INTEGER PRIMARY KEY,
    row_id INTEGER NOT NULL
);
CREATE TRIGGER log_removal AFTER DELETE ON chunks BEGIN INSERT INTO removals (row_id) VALUES (old.row_id); END;
CREATE TRIGGER forget_removal AFTER INSERT ON removals BEGIN DELETE FROM removals WHERE id = new.id - 65536; END;
"""

_SECOND = """
-- document_store.py: the records in the order of a bucket's listing, and the open ones by the time of their last change
ALTER TABLE documents ADD COLUMN bucket TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
UPDATE documents SET bucket = json_extract(record, '$.bucket'), name = json_extract(record, '$.name'),
    updated_at = rtrim(json_extract(record, '$.updated_at'), 'Z');
CREATE INDEX documents_by_name ON documents (bucket, name);
CREATE INDEX documents_open ON documents (updated_at) WHERE status IN ('PENDING', 'PROCESSING');

-- checkpoints.py: how far work has come that takes several runs
CREATE TABLE checkpoints (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;

-- dead_letters.py: what the queue gave up on
CREATE TABLE dead_letters (
    id TEXT PRIMARY KEY,
    document_id TEXT,
    last_seen TEXT NOT NULL,
    letter TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX dead_letters_by_time ON dead_letters (last_seen, id);
CREATE INDEX dead_letters_by_document ON dead_letters (document_id) WHERE document_id IS NOT NULL;

-- indexes.py: one row an index, whose tables are in index_tables.py. What the first version held becomes one of them;
-- in a file that never had any chunks its tables stay empty, and nobody asks for them.
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

SCHEMA = (_FIRST, _SECOND)
"""What each version of the file's format adds to the one before: a file of an older version is brought up to date."""
