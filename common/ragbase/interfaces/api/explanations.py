"""POST /api/explain: a question and a document in; the stage that loses the document out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.domain.identity import document_id
from ragbase.interfaces.api.access import current_caller
from ragbase.interfaces.api.callers_documents import name_of
from ragbase.interfaces.api.question import asked_in, refusing
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document


def explanations(profile: Profile) -> Blueprint:
    blueprint = Blueprint("explanations", __name__)

    @route(blueprint, operation("explain"))
    def explain() -> Response:
        from ragbase.engine.explain_document import explain_document
        from ragbase.interfaces.wire.explanation import ExplainRequest, explained_document

        wanted = json_body(ExplainRequest, example='{"query": "how are backups made?", "document": "guides/backup.md"}')
        asked, tenant = asked_in(wanted), current_caller().tenant
        within = asked.within.asked_by(tenant) if asked.within is not None and tenant is not None else asked.within
        name, record = _identified(wanted.document, profile)
        with refusing():
            explanation = explain_document(
                asked.text,
                name,
                record,
                profile,
                top_k=asked.top_k,
                threshold=asked.threshold,
                within=within,
                tenant=tenant,
            )
        return json_answer(explained_document(explanation))

    return blueprint


def _identified(document: str, profile: Profile) -> tuple[str, Document | None]:
    """The document's name and its record, also of a deleted one. To a caller of one tenant, a document of another one
    is not there. Raises Refused (400) for what can be no name."""
    name, tenant = name_of(document, "document"), current_caller().tenant
    by_id = profile.documents.get(document)
    if by_id is not None and tenant in (None, profile.config.tenancy.tenant_of(by_id.name)):
        return by_id.name, by_id
    return name, profile.documents.get(document_id(profile.bucket.name, name))
