"""Files of this machine become documents of a profile, in this process or by its functions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from ragbase.domain.identity import document_id
from ragbase.engine.calibrate_when_due import calibrate_when_due
from ragbase.engine.ingest import Outcome, ingest
from ragbase.engine.recommend_embedder import recommended_once
from ragbase.formats.libraries import bring_libraries, missing_libraries
from ragbase.formats.table import format_of
from ragbase.sources.folder import object_name

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.chunk_size import ChunkSize
    from ragbase.domain.document import Document
    from ragbase.sources.folder import LocalFile


class ProfileIngestion:
    """Implements Ingestion. The chunks have the size of the settings, or `chunk_size`."""

    def __init__(self, profile: Profile, chunk_size: ChunkSize | None = None) -> None:
        self._profile = profile
        self._chunk_size = chunk_size
        self._made: list[Document] = []

    def missing(self, formats: Collection[str]) -> str | None:
        return missing_libraries(formats)

    def bring(self, files: Sequence[LocalFile], formats: Collection[str]) -> None:
        promised = {format.name for file in files if (format := format_of(str(file.path))) is not None}
        bring_libraries(promised & set(formats))

    def documents_among(self, files: Sequence[LocalFile]) -> Sequence[LocalFile]:
        bucket, folder = self._profile.bucket, self._profile.bucket_folder
        ids = {document_id(bucket.name, object_name(file.path, folder)): file for file in files}
        records = self._profile.documents.get_many(list(ids))
        return [file for id, file in ids.items() if id in records and not records[id].tombstone]

    def run(self, files: Sequence[LocalFile]) -> Iterator[Outcome]:
        for outcome in ingest(files, self._profile, chunk_size=self._chunk_size):
            if outcome.document is not None and not outcome.unchanged:
                self._made.append(outcome.document)
            yield outcome

    def finish(self, *, quiet: bool) -> Sequence[str]:
        """Calibrate the index if that is due. Another embedder is recommended once, so not to somebody who is not
        told."""
        calibrated = calibrate_when_due(self._profile)
        if quiet:
            return ()
        told = []
        if calibrated is not None and calibrated.cosines is not None:
            told.append(f"Fitted the scores to {calibrated.model}, from {calibrated.passages:,} passages.")
        if (recommended := recommended_once(self._profile, self._made)) is not None:
            told.append(str(recommended))
        return told
