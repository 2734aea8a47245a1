"""Which document a user means."""

from __future__ import annotations

from pathlib import Path

from ragbase.bootstrap.profile import Profile
from ragbase.domain.identity import document_id
from ragbase.sources.folder import object_name


def document_ids(identifier: str, profile: Profile) -> list[str]:
    """The ids of all documents that it may name: by id, by name in the bucket, or by the path it was ingested from."""
    names = (identifier, object_name(Path(identifier), profile.bucket_folder))
    ids = (identifier, *(document_id(profile.bucket.name, name) for name in names if _is_utf8(name)))
    return list(dict.fromkeys(id for id in ids if _is_utf8(id)))


def _is_utf8(name: str) -> bool:
    """Names of objects and ids of documents are in UTF-8. A path on the command line may be anything."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
