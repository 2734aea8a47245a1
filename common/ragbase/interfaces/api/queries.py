"""POST /api/query: a question in, passages out."""

from __future__ import annotations

from flask import Blueprint, Response

from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import NotSplit, TenantNeeded
from ragbase.engine.search import search
from ragbase.interfaces.api.access import current_caller
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.http.refused import Refused
from ragbase.interfaces.wire.query import QueryRequest, query_response


def queries(profile: Profile) -> Blueprint:
    blueprint = Blueprint("queries", __name__)

    @blueprint.post("/api/query")
    def query() -> Response:
        wanted = json_body(QueryRequest, example='{"query": "how are backups made?"}')
        tenant = current_caller().tenant
        within = wanted.filter.search_filter() if wanted.filter is not None else None
        if within is not None and tenant is not None:
            within = within.asked_by(tenant)
        try:
            results = search(wanted.query, profile, top_k=wanted.top_k, within=within, tenant=tenant)
        except TenantNeeded as error:
            raise Refused(
                400,
                "TENANT_NEEDED",
                f"{error} Send it as `pathPrefix` in `filter`, or use a key of one tenant.",
            ) from None
        except NotSplit:
            raise Refused(
                503,
                "UNAVAILABLE",
                "The index does not keep tenants apart yet. The operator of the server has to run `ragbase reindex`.",
                {"Retry-After": "60"},
            ) from None
        return json_answer(query_response(results))

    return blueprint
