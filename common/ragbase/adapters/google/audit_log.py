"""The audit log in Firestore: a chain for each process, and a chain that announces them.

One chain of all processes would have one end that all of them write, and Firestore sustains about one write a second
to a document (https://cloud.google.com/firestore/quotas#soft_limits). So each process has a chain of its own. Its first
entries come in one batch with an entry in the chain `registry`, which has the hash of the first: a whole chain cannot
vanish unnoticed, either. Only the start of a process writes to the registry.

    audit/CHAIN-NUMBER      text and hash of an entry, and `at`, by which the newest are found
    audit_chains/NUMBER     the same of the registry, and `number`

Each is created, on condition that it is not there, and never written again. Names of a chain's documents are in its
order, and chains have random names, so that writes are spread
(https://cloud.google.com/firestore/docs/best-practices#document_ids). The index of `at` takes 500 entries a second.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.adapters.google.temporary_errors import PATIENCE, passing_faults, patient_retry
from ragbase.adapters.grouped_appends import GroupedAppends
from ragbase.domain.audit import BEGINNING, REGISTRY, Action, AuditEntry, AuditOutcome, Deed
from ragbase.domain.errors import Unavailable
from ragbase.ports import EntryPlace

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, DocumentSnapshot

COLLECTION, CHAINS = "audit", "audit_chains"
_ROUNDS = 8
"""How often a write is tried if others write, or if an earlier one comes late."""
_PAGE = 300


class FirestoreAuditLog:
    """Implements the AuditLog port. The client is made when it is first used, and talks to FIRESTORE_EMULATOR_HOST
    if that is set."""

    def __init__(
        self, project: str, *, database: str = "(default)", collection: str = COLLECTION, chains: str = CHAINS
    ) -> None:
        self._project = project
        self._database = database
        self._collection = collection
        self._chains = chains
        self._groups = GroupedAppends(self._write)
        self._chain = secrets.token_hex(8)
        self._number, self._previous = 0, BEGINNING
        self._is_sure = True

    @property
    def can_append(self) -> bool:
        return True

    def append(self, deeds: Sequence[Deed], *, durable: bool = True) -> Sequence[AuditEntry]:
        """Every write of Firestore is durable."""
        return self._groups.append(deeds, durable=durable)

    def chains(self) -> Sequence[str]:
        """It reads one entry of each: the first behind all of the chain before."""
        entries = self._client.collection(self._collection)
        in_order, found = entries.order_by("__name__").limit(1), [REGISTRY]
        with passing_faults("Firestore"):
            rest = in_order
            while first := list(rest.stream(retry=patient_retry(), timeout=PATIENCE)):
                found.append(first[0].id.rpartition("-")[0])
                rest = in_order.start_after({"__name__": entries.document(f"{found[-1]}-~")})
        return found

    def chain(self, id: str, *, after: int = 0, limit: int) -> Sequence[AuditEntry]:
        if id == REGISTRY:
            return self._announced(after, limit)
        entries = self._client.collection(self._collection)
        query = (
            entries.order_by("__name__")
            .start_after({"__name__": entries.document(_name(id, after))})
            .end_at({"__name__": entries.document(f"{id}-~")})
        )
        with passing_faults("Firestore"):
            return _entries(id, query.limit(limit).stream(retry=patient_retry(), timeout=PATIENCE))

    def newest(self, *, before: AuditEntry | EntryPlace | None = None, limit: int) -> Sequence[AuditEntry]:
        entries = self._client.collection(self._collection)
        query = entries.order_by("at", direction="DESCENDING").order_by("__name__", direction="DESCENDING")
        if before is not None:
            place = entries.document(_name(before.chain, before.number))
            query = query.start_after({"at": before.at, "__name__": place})
        with passing_faults("Firestore"):
            found = list(query.limit(limit).stream(retry=patient_retry(), timeout=PATIENCE))
        return [entry for one in found for entry in _entries(one.id.rpartition("-")[0], [one])]

    def _write(self, deeds: Sequence[Deed], _: bool) -> Sequence[AuditEntry]:
        with passing_faults("Firestore"):
            for _round in range(_ROUNDS):
                if not self._is_sure:
                    self._find_end()
                entries = self._next(deeds)
                if self._is_kept(entries):
                    self._number, self._previous, self._is_sure = entries[-1].number, entries[-1].hash, True
                    return entries
        raise Unavailable("Firestore did not take an entry of the audit log: others write all the time.")

    def _next(self, deeds: Sequence[Deed]) -> Sequence[AuditEntry]:
        entries, number, previous = [], self._number, self._previous
        for deed in deeds:
            number += 1
            entries.append(AuditEntry.after(previous, deed, chain=self._chain, number=number))
            previous = entries[-1].hash
        return entries

    def _is_kept(self, entries: Sequence[AuditEntry]) -> bool:
        """Create all of them. False if one of their places is taken by another entry."""
        from google.api_core.exceptions import AlreadyExists

        batch = self._client.batch()
        for entry in entries:
            batch.create(self._place(entry), {"text": entry.text, "hash": entry.hash, "at": entry.at})
        if entries[0].number == 1:
            announced = self._announcement(entries[0])
            place = self._client.collection(self._chains).document(f"{announced.number:012d}")
            batch.create(
                place, {"text": announced.text, "hash": announced.hash, "at": announced.at, "number": announced.number}
            )
        self._is_sure = False  # until Firestore says that it has them
        try:
            batch.commit(retry=patient_retry(), timeout=PATIENCE)
        except AlreadyExists:  # perhaps by this very call, whose first answer was lost
            kept = self._place(entries[-1]).get(retry=patient_retry(), timeout=PATIENCE)
            return bool(kept.exists and kept.get("hash") == entries[-1].hash)
        return True

    def _announcement(self, first: AuditEntry) -> AuditEntry:
        newest = self._client.collection(self._chains).order_by("number", direction="DESCENDING").limit(1)
        found = _entries(REGISTRY, newest.stream(retry=patient_retry(), timeout=PATIENCE))
        number, previous = (found[0].number, found[0].hash) if found else (0, BEGINNING)
        deed = Deed(
            at=datetime.fromisoformat(first.at),
            action=Action.BEGIN_CHAIN,
            outcome=AuditOutcome.DONE,
            caller=str(first.fields()["caller"]),
            details={"chain": first.chain, "first": first.hash},
        )
        return AuditEntry.after(previous, deed, chain=REGISTRY, number=number + 1)

    def _find_end(self) -> None:
        """Go to the end of the chain as it is: a write whose answer was lost may have reached it."""
        while page := self.chain(self._chain, after=self._number, limit=_PAGE):
            self._number, self._previous = page[-1].number, page[-1].hash
        self._is_sure = True

    def _announced(self, after: int, limit: int) -> Sequence[AuditEntry]:
        from google.cloud.firestore import FieldFilter

        query = self._client.collection(self._chains).where(filter=FieldFilter("number", ">", after)).order_by("number")
        with passing_faults("Firestore"):
            return _entries(REGISTRY, query.limit(limit).stream(retry=patient_retry(), timeout=PATIENCE))

    def _place(self, entry: AuditEntry) -> DocumentReference:
        return self._client.collection(self._collection).document(_name(entry.chain, entry.number))

    @cached_property
    def _client(self) -> Client:
        from google.cloud.firestore import Client

        return Client(self._project, database=self._database)


def _name(chain: str, number: int) -> str:
    return f"{chain}-{number:012d}"


def _entries(chain: str, found: Iterable[DocumentSnapshot[DocumentReference]]) -> list[AuditEntry]:
    """As they are kept, under the number that their place has."""
    return [
        AuditEntry(
            chain=chain,
            number=int(one.id.rpartition("-")[2]),
            at=str(one.get("at")),
            text=str(one.get("text")),
            hash=str(one.get("hash")),
        )
        for one in found
    ]
