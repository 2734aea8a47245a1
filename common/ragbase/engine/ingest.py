"""Local files go through the whole pipeline, and the outcome of each is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from ragbase.bootstrap.profile import Profile
from ragbase.domain.cause import Cause, causes
from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import InvalidObject, RagbaseError
from ragbase.domain.identity import document_id
from ragbase.domain.job import CHUNK_SIZE_KEY, MIN_TEXT_LENGTH_KEY, SOURCE_KEY
from ragbase.domain.object_name import check_object, is_unicode
from ragbase.engine.check_embedder import check_embedder
from ragbase.engine.lanes import lanes
from ragbase.engine.retry import retry_document
from ragbase.engine.standstill import Standstill, WaitLimit
from ragbase.engine.wait import PATIENCE, Mailbox, is_held_up, is_in_step, is_replaced, outcome_of
from ragbase.formats.document_notes import notes_of
from ragbase.pipeline.add_document import check_program_file
from ragbase.pipeline.named_records import records_of
from ragbase.ports import StoredObject
from ragbase.sources.brought import ADDRESS_KEY
from ragbase.sources.folder import LocalFile, is_same, object_name, upload

_UPLOADERS = 4
"""Files put into the bucket at once: enough to keep the disk busy while others wait for it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a file ended. `error` names the file, the rule and the remedy, and is None if the document is COMPLETED.

    `unchanged` says that the index already held exactly this file, so that nothing was done. `before` is the record as
    the ingest found it.
    """

    source: str
    document: Document | None
    error: str | None = None
    unchanged: bool = False
    before: Document | None = None

    @property
    def chunks(self) -> int | None:
        """How many chunks of the document search shows; None if it shows none."""
        active = self.document.active if self.document is not None else None
        return active.chunk_count if active is not None else None

    @property
    def read_again(self) -> Sequence[Cause]:
        """Why the file was read again though search had shown the same bytes before; nothing if it was not."""
        before = self.before.active if self.before is not None else None
        after = self.document.active if self.document is not None and self.error is None else None
        if before is None or after is None or not after.same_content(before):
            return ()
        return causes(before.fingerprint, after.fingerprint)

    @property
    def embedded_texts(self) -> int:
        """How many texts the embedder got for the document since then, also if it has FAILED."""
        after, before = (one.usage.embedded_texts if one is not None else 0 for one in (self.document, self.before))
        return max(0, after - before)

    @property
    def notes(self) -> Sequence[str]:
        """What was doubtful, damaged or left out in the file, if it was processed just now."""
        is_new = self.document is not None and self.error is None and not self.unchanged
        return tuple(notes_of(self.document)) if self.document is not None and is_new else ()


def ingest(
    files: Sequence[LocalFile], profile: Profile, *, min_text_length: int = 1, chunk_size: ChunkSize | None = None
) -> Iterator[Outcome]:
    """Upload files and yield the outcome of each as soon as it has settled, in no particular order. Their chunks have
    the size of the settings, or `chunk_size`.

    A caller that stops early loses nothing: uploaded files are processed when the pipeline next runs here. A file that
    FAILED in an earlier run is tried again. Raises ConfigurationError, before any file is uploaded, if no text can be
    embedded, or later, if nobody can work with the data folder any more, and Unavailable if the pipeline stands still,
    or on a full disk.
    """
    metadata = {MIN_TEXT_LENGTH_KEY: str(min_text_length)}
    if chunk_size is not None:
        metadata[CHUNK_SIZE_KEY] = str(chunk_size)
    ingestion = _Ingestion(profile, metadata)
    yield from ingestion.unchanged(files)
    yield from ingestion.run()


@dataclass(frozen=True, slots=True)
class _Upload:
    """What became of one upload: an object, or the reason why there is none."""

    file: LocalFile
    object: StoredObject | None
    error: str | None = None


class _Ingestion:
    def __init__(self, profile: Profile, metadata: Mapping[str, str]) -> None:
        """Every object gets the metadata."""
        self._profile = profile
        self._metadata = metadata
        self._changed: list[LocalFile] = []
        self._new = set[str]()
        self._before: dict[str, Document] = {}
        self._awaited: dict[str, tuple[LocalFile, int]] = {}
        self._mailbox = Mailbox[_Upload | str]()
        self._standstill = Standstill(profile)
        self._patience = WaitLimit(PATIENCE.total_seconds())

    def unchanged(self, files: Sequence[LocalFile]) -> Iterator[Outcome]:
        """Settle the files that the index holds as they are, without any work. Keep the others for `run`."""
        bucket, documents = self._profile.bucket, self._profile.documents
        objects = bucket.stat_many([self._name(file) for file in files])
        records = records_of([object.place for object in objects.values()], documents, bucket.name)
        for file in files:
            object = objects.get(self._name(file))
            record = records.get(object.place) if object else None
            if object and record and self._is_indexed(record, object) and self._is_same(file, object):
                yield Outcome(file.source, record, unchanged=True, before=record)
            else:
                self._changed.append(file)
                if object is None:
                    self._new.add(self._name(file))
                elif record is not None:
                    self._before[record.id] = record
        # A name that was deleted has its record still, with what it has cost.
        self._before |= documents.get_many([document_id(bucket.name, name) for name in self._new if is_unicode(name)])

    def run(self) -> Iterator[Outcome]:
        """Upload the changed files while the pipeline works on them. Raises ConfigurationError if none can be embedded:
        then none is uploaded."""
        if not self._changed:
            return
        if self._profile.runs_lanes:
            check_embedder(self._profile.open_index().embedder)
        self._profile.expect(list(map(self._name, self._changed)))
        with (
            lanes(self._profile, self._mailbox.put),
            ThreadPoolExecutor(_UPLOADERS, thread_name_prefix="upload") as uploaders,
        ):
            try:
                for file in self._changed:
                    uploaders.submit(self._upload, file)
                yield from self._settle(len(self._changed))
            finally:
                uploaders.shutdown(wait=True, cancel_futures=True)

    def _settle(self, open_uploads: int) -> Iterator[Outcome]:
        while open_uploads or self._awaited:
            mails = self._mailbox.get_many(open_uploads + len(self._awaited))
            news = set() if mails else set(self._awaited)
            if not mails and not open_uploads:
                self._standstill.check(len(self._awaited))
            for mail in mails:
                if isinstance(mail, str):
                    news.add(mail)
                    continue
                open_uploads -= 1
                if mail.object is None:
                    self._profile.check_storage()  # if it is full, or of no use any more, no other file ends better
                    yield Outcome(mail.file.source, None, mail.error)
                    continue
                id = document_id(mail.object.bucket, mail.object.name)
                self._awaited[id] = (mail.file, mail.object.generation)
                news.add(id)
            for record in self._profile.documents.get_many(list(news & self._awaited.keys())).values():
                yield from self._outcome(record)

    def _outcome(self, record: Document) -> Iterator[Outcome]:
        file, generation = self._awaited[record.id]
        if not self._is_over(record, generation):
            return
        del self._awaited[record.id]
        yield Outcome(file.source, record, _error(file, record), before=self._before.get(record.id))

    def _is_over(self, record: Document, generation: int) -> bool:
        """Whether nobody waits for it any longer: also after a while of later uploads of others, which may come faster
        than the lanes are."""
        is_ours = record.generation == generation or is_in_step(record, self._profile.bucket)
        if is_ours and (is_held_up(record) or not record.needs_work):
            return True
        return is_replaced(record, generation, self._profile.bucket) and self._patience.is_over(record.id)

    def _upload(self, file: LocalFile) -> None:
        """Put one file into the bucket, in a thread of its own."""
        try:
            name, profile = self._name(file), self._profile
            check_object(name, {})
            id = document_id(profile.bucket.name, name)
            check_program_file(name, id, profile.documents, profile.program_files)  # nobody would ever route it
            # A new file is not looked for once more. Should somebody have uploaded it meanwhile, this is a generation
            # of its own.
            is_new = name in self._new
            record = None if is_new else profile.documents.get(id)
            again = is_new or (record is not None and self._needs_another_upload(record))
            object = upload(file, name, profile.bucket, metadata=self._metadata_of(file), again=again)
            if record is not None and record.is_of(object.generation):  # no new event announces it to the pipeline
                retry_document(record, profile)
            self._mailbox.put(_Upload(file, object))
        except InvalidObject as error:
            self._mailbox.put(_Upload(file, None, f"{file.source}: {error}"))
        except RagbaseError as error:
            self._mailbox.put(_Upload(file, None, str(error)))
        except Exception as error:  # noqa: BLE001 - one bad file does not stop the others; its outcome says why
            self._mailbox.put(_Upload(file, None, f"{file.source}: {type(error).__name__}: {error}"))

    def _needs_another_upload(self, record: Document) -> bool:
        """Whether the same bytes have to be routed again: they were refused, or processed with another fingerprint."""
        refused = record.status is Status.FAILED and record.lane is None
        return refused or (record.status is Status.COMPLETED and self._profile.maker().is_outdated(record))

    def _is_indexed(self, record: Document, object: StoredObject) -> bool:
        return (
            record.is_of(object.generation)
            and record.status is Status.COMPLETED
            and record.active is not None
            and not self._profile.maker().is_outdated(record)
        )

    def _is_same(self, file: LocalFile, object: StoredObject) -> bool:
        return self._asks_for_same(file, object) and is_same(file, object)

    def _asks_for_same(self, file: LocalFile, object: StoredObject) -> bool:
        """Whether the object was brought with the same wishes. One that `ragbase sync` has brought stays the sync's."""
        wanted = self._metadata_of(file)
        if ADDRESS_KEY not in object.metadata:
            return object.metadata == wanted
        return all(object.metadata.get(key) == wanted.get(key) for key in (CHUNK_SIZE_KEY, MIN_TEXT_LENGTH_KEY))

    def _name(self, file: LocalFile) -> str:
        return object_name(file.path, self._profile.bucket_folder)

    def _metadata_of(self, file: LocalFile) -> dict[str, str]:
        return {SOURCE_KEY: file.source, **self._metadata}


def _error(file: LocalFile, record: Document) -> str | None:
    if record.tombstone:
        return f"{file.source}: it was deleted while it was ingested. Ingest it again if it should be searchable."
    return outcome_of(replace(record, source=file.source))
