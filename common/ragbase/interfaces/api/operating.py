"""How the deployment is: what its operator sees of it as a whole."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase import telemetry
from ragbase.domain.errors import NotAllowed
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import parameters
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.audit import AuditEntry


def operating(profile: Profile) -> Blueprint:
    blueprint = Blueprint("operating", __name__)

    @route(blueprint, operation("getHealth"))
    def show_health() -> Response:
        from ragbase.engine.health import health
        from ragbase.interfaces.wire.health import checks_response

        return json_answer(checks_response(health(profile)))

    @route(blueprint, operation("getRate"))
    def show_rate() -> Response:
        from ragbase.engine.used_rate import used_rate
        from ragbase.messages.api.rate import RateResponse

        if (limiter := profile.rate_limiter) is None:
            return json_answer(RateResponse())
        used = used_rate(limiter.service, limiter.rate, limiter.books(), profile.clock.now())
        return json_answer(RateResponse(rate=used))

    @route(blueprint, operation("listSources"))
    def list_sources() -> Response:
        from ragbase.interfaces.wire.sources import sources_response

        return json_answer(sources_response(profile))

    @route(blueprint, operation("getReconciliation"))
    def show_reconciliation() -> Response:
        from ragbase.upkeep.reconcile.last_report import last_report

        return json_answer(last_report(profile.checkpoints))

    @route(blueprint, operation("listAudit"))
    def list_audit() -> Response:
        from ragbase.access.read_audit import WantedEntries, entry_page
        from ragbase.domain.identity import document_id, older_ids
        from ragbase.interfaces.wire.audit import AuditRequest, audit_response

        asked = parameters(AuditRequest)
        about, bucket = asked.document, profile.bucket.name
        wanted = WantedEntries(
            since=asked.since,
            caller=asked.caller,
            action=asked.action,
            document_ids=(
                frozenset((about, document_id(bucket, about), *older_ids(bucket, about))) if about is not None else None
            ),
        )
        entries, end = entry_page(
            profile.audit_log, wanted, before=asked.before, limit=asked.limit, damaged=_say_damaged
        )
        return json_answer(audit_response(entries, end))

    @route(blueprint, operation("listTenants"))
    def list_tenants() -> Response:
        from ragbase.engine.tenant_names import tenant_names
        from ragbase.interfaces.wire.tenants import TenantsRequest, tenants_response

        wanted, caller = parameters(TenantsRequest), current_caller()
        if not caller.is_operator and (caller.tenant is None or not caller.reach.is_everything):
            raise NotAllowed(
                f"The API key {caller.name} is for some folders, or only writes, and this is about whole tenants. Use "
                "the password, or a key without prefixes and with both scopes."
            )
        names = tenant_names(profile.current_index.get()) if caller.tenant is None else [caller.tenant]
        return json_answer(tenants_response(names, wanted, profile))

    return blueprint


def _say_damaged(entry: AuditEntry) -> None:
    telemetry.log("audit.damaged", level=logging.ERROR, chain=entry.chain, number=entry.number)
