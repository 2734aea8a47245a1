"""The documents' bucket, with an entry of the audit log for everything that is written to it or deleted from it.

All ways to change a document lead through here: the HTTP API, the commands, the library and the scheduled sources. What
others do to the bucket does not, such as an upload by a signed address of Cloud Storage: then an entry says that the
address was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.access.audit import Audit, begun_in
from ragbase.domain.audit import Action, AuditOutcome, Deed
from ragbase.domain.errors import RagbaseError
from ragbase.domain.identity import document_id
from ragbase.domain.name_forms import nfc
from ragbase.ports import Bucket, SignedRequest, StoredObject
from ragbase.ports.bucket import DelegatingBucket

if TYPE_CHECKING:
    from ragbase.adapters.embedded.bucket import FolderChange

_TOGETHER = 100
"""Objects that are deleted between two steps of the log."""


class RecordedBucket(DelegatingBucket):
    """Raises TransientError, and changes nothing, if the log cannot be written."""

    def __init__(self, bucket: Bucket, audit: Audit, tenant_of: Callable[[str], str]) -> None:
        """`tenant_of` says whose a document of this name is."""
        super().__init__(bucket)
        self._audit = audit
        self._tenancy = tenant_of

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        if replaces is None:
            live = self._bucket.stat(name)
            known = live.generation if live is not None else 0
        else:
            known = replaces
        action, details = _written(known)
        with self._audit.changing(action, self._id(name), tenant=self._tenant(name), details=details) as end:
            stored = super().put(name, data, content_type=content_type, metadata=metadata, replaces=replaces)
            end["generation"] = str(stored.generation)
        return stored

    def sign_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        seconds: int,
    ) -> SignedRequest | None:
        _, details = _written(replaces or 0)
        details["seconds"] = str(seconds)
        with self._audit.changing(Action.SIGN_UPLOAD, self._id(name), tenant=self._tenant(name), details=details):
            return super().sign_upload(
                name, size=size, content_type=content_type, metadata=metadata, replaces=replaces, seconds=seconds
            )

    def begin_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        origin: str | None,
    ) -> str | None:
        _, details = _written(replaces or 0)
        with self._audit.changing(Action.SIGN_UPLOAD, self._id(name), tenant=self._tenant(name), details=details):
            return super().begin_upload(
                name, size=size, content_type=content_type, metadata=metadata, replaces=replaces, origin=origin
            )

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        removed: dict[str, StoredObject] = {}
        remaining = iter(generations)
        while names := list(islice(remaining, _TOGETHER)):
            begun = self._audit.record(*(self._deletion(name, AuditOutcome.BEGUN) for name in names), durable=True)
            first = {name: begun_in(begun[place:]) for place, name in enumerate(names)}
            try:
                gone = self._bucket.delete_many({name: generations[name] for name in names})
            except Exception as error:
                failed = {"error": type(error).__name__}  # some may be deleted
                with suppress(RagbaseError):
                    self._audit.record(
                        *(self._deletion(one, AuditOutcome.FAILED, first[one] | failed) for one in names)
                    )
                raise
            self._audit.record(*(self._end_of_deletion(one, gone.get(one), first[one]) for one in names))
            removed |= gone
        return removed

    def _tenant(self, name: str) -> str:
        return self._tenancy(nfc(name))

    def _id(self, name: str) -> str:
        return document_id(self.name, name)

    def _deletion(self, name: str, outcome: AuditOutcome, details: Mapping[str, str] | None = None) -> Deed:
        return self._audit.deed(
            Action.DELETE, outcome, document_id=self._id(name), tenant=self._tenant(name), details=details
        )

    def _end_of_deletion(self, name: str, stored: StoredObject | None, begun: Mapping[str, str]) -> Deed:
        if stored is None:
            return self._deletion(name, AuditOutcome.FAILED, {**begun, "error": "NotThere"})
        return self._deletion(name, AuditOutcome.DONE, {**begun, "generation": str(stored.generation)})


def _written(replaced: int) -> tuple[Action, dict[str, str]]:
    return (Action.REPLACE, {"replaces": str(replaced)}) if replaced else (Action.UPLOAD, {})


def found_in_folder(change: FolderChange, audit: Audit, tenant_of: Callable[[str], str]) -> Deed:
    """What somebody has done to a file of the bucket's folder."""
    if change.after is None:
        action, details = Action.DELETE, {"generation": str(change.before)}
    else:
        action, details = _written(change.before or 0)
        details["generation"] = str(change.after)
    id = document_id(change.bucket, change.name)
    return audit.found_in_folder(action, document_id=id, tenant=tenant_of(nfc(change.name)), details=details)
