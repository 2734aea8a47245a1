"""POST /api/explain: a question and a document in; the stage that loses the document out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.interfaces.api.callers_documents import name_of
from ragbase.interfaces.api.guard import callers_meter, current_caller
from ragbase.interfaces.api.question import refusing
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.knowledge.profile_knowledge import own_question

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.ports import Bucket, DocumentStore


def explanations(profile: Profile) -> Blueprint:
    blueprint = Blueprint("explanations", __name__)

    @route(blueprint, operation("explain"))
    def explain() -> Response:
        from ragbase.engine.explain_document import explain_document
        from ragbase.interfaces.wire.explanation import ExplainRequest, explain_response

        wanted = json_body(ExplainRequest, example='{"query": "how are backups made?", "document": "guides/backup.md"}')
        asked, caller = wanted.question(), current_caller()
        name, record = _identified(wanted.document, profile.documents, profile.bucket)
        meter = callers_meter()
        if meter is not None:
            meter.ask(asked.text)
        with refusing():
            explanation = explain_document(
                own_question(asked, caller.tenant, caller.reach),
                name,
                record,
                profile,
                tenant=caller.tenant,
            )
        return json_answer(explain_response(explanation))

    return blueprint


def _identified(document: str, documents: DocumentStore, bucket: Bucket) -> tuple[str, Document | None]:
    """The document's name and its record, also of a deleted one. To a caller of one tenant, a document of another one
    is not there, nor one out of reach. Raises Refused (400) for what can be no name, and NotAllowed for what names
    nothing within reach."""
    from ragbase.pipeline.named_records import records_of

    caller = current_caller()
    by_id = documents.get(document, tenant=caller.tenant, reach=caller.reach)
    if by_id is not None:
        return by_id.name, by_id
    name = name_of(document, "document")
    return name, records_of([name], documents, bucket.name).get(name)
