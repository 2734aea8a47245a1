"""Operator: the deployment as a whole, for who runs it (docs/http-api.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal
from urllib.parse import quote

from ragbase.client.typed_exchange import TypedExchange, json_body
from ragbase.messages.api.audit import AuditLine, AuditResponse
from ragbase.messages.api.dead_letters import (
    DeadLetterDetail,
    DeadLettersResponse,
    DeadLetterSummary,
    ReplayResponse,
)
from ragbase.messages.api.evaluations import EvaluationRunBody, EvaluationsResponse
from ragbase.messages.api.health import Checks
from ragbase.messages.api.keys import CreatedKey, KeysResponse, KeySummary
from ragbase.messages.api.rate import RateResponse, UsedRate
from ragbase.messages.api.reconciliation import ReconciliationResponse
from ragbase.messages.api.sources import SourcesResponse
from ragbase.messages.api.tenants import TenantCounts, TenantsResponse


class Operator:
    """A key needs the scopes read and write, and no tenant and no prefixes. Any thread may use it."""

    def __init__(self, typed: TypedExchange) -> None:
        self._typed = typed

    def health(self) -> Checks:
        """Whether each part of the deployment works, and what waits for somebody."""
        return self._typed.read(Checks, "GET", "/api/health")

    def rate(self) -> UsedRate | None:
        """How much of the embedding service's rate is used; None without a limit."""
        return self._typed.read(RateResponse, "GET", "/api/rate").rate

    def sources(self) -> SourcesResponse:
        """The scheduled sources, with their last run and the next."""
        return self._typed.read(SourcesResponse, "GET", "/api/sources")

    def reconciliation(self) -> ReconciliationResponse:
        """The last comparison of bucket, records and index."""
        return self._typed.read(ReconciliationResponse, "GET", "/api/reconciliation")

    def evaluations(self) -> Sequence[EvaluationRunBody]:
        """What the last runs of `ragbase eval` have found, oldest first."""
        return self._typed.read(EvaluationsResponse, "GET", "/api/evaluations").runs

    def audit(
        self,
        *,
        action: str | None = None,
        caller: str | None = None,
        document: str | None = None,
        since: datetime | None = None,
    ) -> Iterator[AuditLine]:
        """Who did what, newest first. `caller` may be the beginning of one, `document` is an id or a name."""
        asked = {"action": action, "caller": caller, "document": document}
        parameters = {name: value for name, value in asked.items() if value is not None}
        if since is not None:
            parameters["since"] = since.isoformat()
        for page in self._typed.pages(AuditResponse, "/api/audit", parameters):
            yield from page.entries

    def tenants(self) -> Iterator[TenantCounts]:
        """The tenants, by name. A tenant's key sees that tenant alone."""
        for page in self._typed.pages(TenantsResponse, "/api/tenants"):
            yield from page.tenants

    def keys(self) -> Iterator[KeySummary]:
        """All API keys, oldest first, with what was used of their limits today."""
        for page in self._typed.pages(KeysResponse, "/api/keys"):
            yield from page.keys

    def create_key(
        self,
        name: str,
        *,
        scopes: Sequence[str] = ("read",),
        tenant: str | None = None,
        prefixes: Sequence[str] = (),
        origins: Sequence[str] = (),
        expires: int | Literal["never"] | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> CreatedKey:
        """A new API key: only this answer has its secret, as `key`. `expires` is in days; without it, the setting
        `key_days` of the server holds. `limits` are those of a day: requests, uploads, bytes, tokens. A key makes none
        that lasts longer than itself."""
        optional = {"tenant": tenant, "expires": expires, "limits": dict(limits) if limits is not None else None}
        wanted = {"name": name, "scopes": [*scopes], "prefixes": [*prefixes], "origins": [*origins]} | {
            field: value for field, value in optional.items() if value is not None
        }
        return self._typed.read(CreatedKey, "POST", "/api/keys", body=json_body(wanted), repeatable=False)

    def revoke_key(self, id: str) -> None:
        """Refuse this API key from the next request on."""
        self._typed.remove(_named("keys", id))

    def dead_letters(self, *, reason: str | None = None) -> Iterator[DeadLetterSummary]:
        """All undeliverable messages with this text in their code or reason, newest first."""
        for page in self._typed.pages(DeadLettersResponse, "/api/dead-letters", {"reason": reason} if reason else {}):
            yield from page.dead_letters

    def dead_letter(self, id: str) -> DeadLetterDetail:
        return self._typed.read(DeadLetterDetail, "GET", _named("dead-letters", id))

    def replay(self, id: str) -> ReplayResponse:
        """Send a dead letter through the pipeline again."""
        return self._typed.read(ReplayResponse, "POST", f"{_named('dead-letters', id)}/replay", repeatable=False)


def _named(kind: str, id: str) -> str:
    if not id or id in (".", ".."):
        raise ValueError(f"The id is {id!r}. Give one of /api/{kind}.")
    return f"/api/{kind}/{quote(id, safe='')}"
