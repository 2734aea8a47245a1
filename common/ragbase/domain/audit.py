"""Who did what: the entries of the audit log, and how each is bound to the one before it.

An entry has ids and hashes, and no text: neither the name of a document nor a question. So an erased document leaves
nothing in the log to erase, and the log stays as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from ragbase.domain.errors import MalformedMessage

BEGINNING = "0" * 64
"""Stands in the first entry of a chain for the hash of the entry before."""

REGISTRY = "registry"
"""The chain that announces all others, where there are several."""


class Action(StrEnum):
    """What somebody did, or tried."""

    UPLOAD = "document.upload"
    REPLACE = "document.replace"
    DELETE = "document.delete"
    RETRY = "document.retry"
    REPLAY = "dead-letter.replay"
    GIVE_TEXT = "document.give-text"
    SIGN_UPLOAD = "upload.sign"
    RENEW_UPLOAD_KEY = "upload.renew-key"
    QUERY = "question.query"
    ANSWER = "question.answer"
    EXPLAIN = "question.explain"
    KEEP_QUESTION = "golden-question.keep"
    REMOVE_QUESTION = "golden-question.remove"
    SIGN_IN = "session.sign-in"
    SIGN_OUT = "session.sign-out"
    REFUSE = "request.refused"
    CREATE_KEY = "key.create"
    REVOKE_KEY = "key.revoke"
    OPEN_ACCESS = "access.open"
    BEGIN_CHAIN = "chain.begin"


class AuditOutcome(StrEnum):
    """BEGUN stands before a change, in an entry of its own: without a later entry of the same request or command, the
    change may have been made or not."""

    BEGUN = "begun"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What an entry says. `caller` is Caller.id, or what acts without a request. `address`, `request_id`, `tenant` (a
    mark, access/audit.py) and `document_id` are empty where there is none. `details` have ids, numbers and marks."""

    at: datetime
    action: Action
    outcome: AuditOutcome
    caller: str
    address: str = ""
    request_id: str = ""
    tenant: str = ""
    document_id: str = ""
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An entry as it is kept. The entries of a chain count from 1. `at` is its time, by which lists are sorted.

    `text` is JSON with sorted keys, without blanks, in ASCII. Its values are texts, numbers and one object of texts.
    `hash` is the SHA-256 of `text`, in lower-case hex, and `text` has the hash of the entry before.
    """

    chain: str
    number: int
    at: str
    text: str
    hash: str

    @classmethod
    def after(cls, previous: str, deed: Deed, *, chain: str, number: int) -> AuditEntry:
        """The next entry of a chain. `previous` is the hash of the one before, or BEGINNING."""
        fields = {
            "action": str(deed.action),
            "address": deed.address,
            "at": time_text(deed.at),
            "caller": deed.caller,
            "chain": chain,
            "details": dict(deed.details),
            "document": deed.document_id,
            "number": number,
            "outcome": str(deed.outcome),
            "previous": previous,
            "request": deed.request_id,
            "tenant": deed.tenant,
        }
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
        return cls(chain=chain, number=number, at=str(fields["at"]), text=text, hash=hash_of(text))

    def fields(self) -> dict[str, object]:
        """What `text` says. Raises MalformedMessage."""
        try:
            fields = json.loads(self.text)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            raise MalformedMessage(f"Entry {self.number} of the chain {self.chain} is no JSON object.")
        return fields

    def line(self) -> str:
        """The entry in an export: a JSON object with its hash as one more field."""
        return json.dumps({**self.fields(), "hash": self.hash}, sort_keys=True, separators=(",", ":"))


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def time_text(at: datetime) -> str:
    """UTC with microseconds: as texts, times are in their order."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
