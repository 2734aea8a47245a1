"""Makes the entries of the audit log: who does something, from where, in which request.

A change has two entries. The first is durable before anything is changed: if it cannot be written, nothing is changed.
The second says how it ended, and is written before the answer is sent. A question has one entry, written before
anything of its answer is given. So everybody who gets an answer is in the log. If the log cannot be written, they get
an error: the record is the promise.

The second entry, and that of a question, wait for no disk. A process that is killed loses none of them; a power failure
may lose those of the last moments.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.access.refusals import Refusals, Uncounted
from ragbase.access.shared_secret import shared_secret
from ragbase.domain.audit import Action, AuditEntry, AuditOutcome, Deed
from ragbase.domain.errors import RagbaseError

if TYPE_CHECKING:
    from ragbase.ports import AuditLog, Checkpoints, Clock

KEY = "audit-key"
"""The checkpoint with the secret of the marks. It is not in the log: a copy of the log lets nobody try questions."""
_TOGETHER = 100
"""Entries that are added in one step, at most."""
_MARK_DIGITS = 32


def begun_in(entries: Sequence[AuditEntry]) -> dict[str, str]:
    """For the details of the entry about the end: which entry of the chain said that it began."""
    return {"begun": str(entries[0].number)} if entries else {}


NOBODY = "nobody"
"""The caller where nobody is known: of a refusal, of a sign-in, of an upload whose address is the right to it."""

FOLDER = "folder"
"""The caller of what somebody has done to files of the bucket's folder: nobody knows more."""

entered: ContextVar[set[Action] | None] = ContextVar("entered", default=None)
"""What the current request has entries of; None if there is no request."""


class Audit:
    """May be used by several threads at once. Nothing is opened before the first entry."""

    def __init__(self, log: Callable[[], AuditLog], checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        self._log = log
        self._checkpoints = checkpoints
        self._clock = clock
        self._refusals = Refusals()
        self._acting = threading.Lock()
        self.actor = "program"
        """Who does what no request asks for."""

    @contextmanager
    def acting(self, actor: str) -> Iterator[None]:
        """Meanwhile, this process does what it does for somebody else. One at a time."""
        with self._acting:
            before, self.actor = self.actor, actor
            try:
                yield
            finally:
                self.actor = before

    def prepare(self) -> None:
        """Get the secret now, so that no mark has to read or write a checkpoint."""
        _ = self._secret

    def mark(self, kind: str, text: str) -> str:
        """A hash of a text that only the deployment can compute: with its secret, which all its processes share. The
        same text of the same kind always has the same mark."""
        return hmac.new(self._secret, f"{kind}\0{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[
            :_MARK_DIGITS
        ]

    def question(self, text: str) -> str:
        """The mark of a question, whatever blanks stand around it."""
        return self.mark("question", text.strip())

    def tenant(self, tenant: str | None) -> str:
        """The mark of a tenant; empty for all tenants, and for the documents that have none."""
        return self.mark("tenant", tenant) if tenant else ""

    def record(self, *deeds: Deed, durable: bool = False) -> Sequence[AuditEntry]:
        """Add entries, and return them. Raises TransientError.

        A process that may only read the data folder leaves none: its user can read all of it without ragbase.
        """
        log = self._log()
        if not log.can_append:
            return []
        entries: list[AuditEntry] = []
        for first in range(0, len(deeds), _TOGETHER):
            entries += log.append(deeds[first : first + _TOGETHER], durable=durable)
        mine = entered.get()
        if mine is not None:
            mine.update(deed.action for deed in deeds if deed.caller != FOLDER)
        return entries

    def deed(
        self,
        action: Action,
        outcome: AuditOutcome = AuditOutcome.DONE,
        *,
        document_id: str = "",
        tenant: str | None = None,
        caller: str | None = None,
        details: Mapping[str, str] | None = None,
    ) -> Deed:
        """What the current request, or else this process, does now."""
        return Deed(
            at=self._clock.now(),
            action=action,
            outcome=outcome,
            caller=caller if caller is not None else telemetry.caller_id.get() or self.actor,
            address=telemetry.client_address.get(),
            request_id=telemetry.request_id.get(),
            tenant=self.tenant(tenant),
            document_id=document_id,
            details=details or {},
        )

    def found_in_folder(self, action: Action, *, document_id: str, tenant: str, details: Mapping[str, str]) -> Deed:
        """What somebody has done before, also if a request is what has found it."""
        found = self.deed(action, document_id=document_id, tenant=tenant, caller=FOLDER, details=details)
        return replace(found, address="", request_id="")

    @contextmanager
    def changing(
        self,
        action: Action,
        document_id: str = "",
        *,
        tenant: str | None = None,
        details: Mapping[str, str] | None = None,
    ) -> Iterator[dict[str, str]]:
        """Around a change. What is put into the dictionary stands in the entry about its end."""
        if not self._log().can_append:  # the change itself says that nothing can be written
            yield {}
            return
        known = dict(details or {})
        begun = self.deed(action, AuditOutcome.BEGUN, document_id=document_id, tenant=tenant, details=known)
        end = begun_in(self.record(begun, durable=True))
        with self._ending(action, document_id, tenant, known, end):
            yield end

    @contextmanager
    def asking(self, action: Action, text: str, *, tenant: str | None, document_id: str = "") -> Iterator[None]:
        """Around the work on a question, before anything of the answer is given."""
        if not self._log().can_append:
            yield
            return
        with self._ending(action, document_id, tenant, {"question": self.question(text)}, {}):
            yield

    def asked(self, texts: Sequence[str]) -> None:
        """These questions are about to be asked together."""
        if self._log().can_append:
            marks = ({"question": self.question(text)} for text in texts)
            self.record(*(self.deed(Action.QUERY, details=details) for details in marks))

    def refused(self, details: Mapping[str, str], *, action: Action = Action.REFUSE, caller: str = NOBODY) -> None:
        """Somebody was refused: add an entry, or count it, if their address has so many (refusals.py)."""
        has_entry, counts = self._refusals.note(telemetry.client_address.get(), self._clock.now())
        self._record_counts(counts)
        if has_entry:
            self.record(self.deed(action, AuditOutcome.REFUSED, caller=caller, details=details))

    def close(self) -> None:
        """Add what was counted and has no entry yet. A process that is killed loses these counts."""
        with suppress(RagbaseError):
            self._record_counts(self._refusals.rest())

    def _record_counts(self, counts: Sequence[Uncounted]) -> None:
        deeds = [
            replace(
                self.deed(Action.REFUSE, AuditOutcome.REFUSED, caller=NOBODY, details={"count": str(one.count)}),
                address=one.address,
                request_id="",
            )
            for one in counts
        ]
        if deeds:
            self.record(*deeds)

    @contextmanager
    def _ending(
        self, action: Action, document_id: str, tenant: str | None, known: Mapping[str, str], end: Mapping[str, str]
    ) -> Iterator[None]:
        """Adds the entry about the end."""
        try:
            yield
        except BaseException as error:
            failed = {**known, **end, "error": type(error).__name__}
            with suppress(RagbaseError):  # the error itself is what the caller gets
                self.record(
                    self.deed(action, AuditOutcome.FAILED, document_id=document_id, tenant=tenant, details=failed)
                )
            raise
        self.record(self.deed(action, document_id=document_id, tenant=tenant, details={**known, **end}))

    @cached_property
    def _secret(self) -> bytes:
        return bytes.fromhex(shared_secret(KEY, self._checkpoints()))
