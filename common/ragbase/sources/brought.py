"""What is written with an object about the source that has brought it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from ragbase.domain.job import CHUNK_SIZE_KEY, MIN_TEXT_LENGTH_KEY, SOURCE_KEY
from ragbase.domain.name_forms import nfc
from ragbase.ports import DocumentSource, SourceEntry, StoredObject
from ragbase.sources.folder import is_ingested

ADDRESS_KEY = "ragbase-sync-source"
ROOT_KEY = "ragbase-sync-root"
MARK_KEY = "ragbase-sync-mark"
MD5_KEY = "ragbase-sync-md5"
"""Object metadata: the source that brought the object, the folder that it was brought to, the mark of its entry, and
the MD5 of what was brought."""


@dataclass(frozen=True, slots=True)
class BroughtBy:
    """A source, and the folder of the bucket that its entries are brought to."""

    source: DocumentSource
    root: str

    def has(self, stored: StoredObject) -> bool:
        """Whether this source brought exactly these bytes to this root. In a bucket that is a folder, somebody can edit
        a file, and its metadata stays."""
        return is_brought(stored, self.source.address, self.root)

    def takes_over(self, stored: StoredObject, entry: SourceEntry) -> bool:
        """Whether `ragbase ingest` brought the object, from the very file that the entry is."""
        is_own_root = self.root == self.source.root
        return is_own_root and ADDRESS_KEY not in stored.metadata and is_ingested(stored, entry.path)

    def metadata(self, data: bytes, entry: SourceEntry, source: str, before: StoredObject | None) -> Mapping[str, str]:
        """What is written with these bytes of the entry, which people know as `source`. The size of chunks that
        somebody asked for stays."""
        asked = before.metadata.get(CHUNK_SIZE_KEY) if before is not None else None
        return {
            SOURCE_KEY: source,
            ADDRESS_KEY: self.source.address,
            ROOT_KEY: self.root,
            MARK_KEY: entry.mark,
            MD5_KEY: hashlib.md5(data, usedforsecurity=False).hexdigest(),
            MIN_TEXT_LENGTH_KEY: "1",  # as `ragbase ingest`: somebody published this text, however short it is
            **({CHUNK_SIZE_KEY: asked} if asked is not None else {}),
        }


def is_brought(stored: StoredObject, address: str, root: str) -> bool:
    """Whether the source at this address brought exactly these bytes to this root."""
    said = [nfc(stored.metadata.get(key, "")) for key in (ADDRESS_KEY, ROOT_KEY)]
    return said == [nfc(address), nfc(root)] and stored.metadata.get(MD5_KEY) == stored.md5
