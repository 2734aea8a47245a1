"""Which document a user means."""

from __future__ import annotations

from pathlib import Path

from ragbase.bootstrap.profile import Profile
from ragbase.domain.identity import document_id
from ragbase.sources.folder import object_name


def document_ids(identifier: str, profile: Profile) -> list[str]:
    """The ids of all documents that it may name: by id, by name in the bucket, or by the path it was ingested from."""
    names = (identifier, object_name(Path(identifier), profile.bucket_folder))
    return list(dict.fromkeys((identifier, *(document_id(profile.bucket.name, name) for name in names))))
