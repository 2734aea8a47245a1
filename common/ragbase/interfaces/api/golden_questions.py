"""The golden questions: list them, keep one, forget one. A caller sees those whose document they see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.domain.audit import Action
from ragbase.domain.errors import TooManyQuestions
from ragbase.domain.tenant import Tenancy
from ragbase.engine.seen_document import seen_by_name, seen_document
from ragbase.interfaces.api.callers_documents import name_of, not_found
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import empty_answer, json_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.evaluation.golden_questions import GoldenQuestion


def golden_questions(profile: Profile) -> Blueprint:
    blueprint = Blueprint("golden_questions", __name__)

    @route(blueprint, operation("listGoldenQuestions"))
    def list_() -> Response:
        from ragbase.interfaces.wire.golden_questions import golden_question_body
        from ragbase.messages.api.golden_questions import GoldenQuestionsResponse

        return json_answer(
            GoldenQuestionsResponse(questions=tuple(golden_question_body(*one) for one in _seen(profile)))
        )

    @route(blueprint, operation("keepGoldenQuestion"))
    def keep() -> Response:
        from ragbase.interfaces.wire.golden_questions import GoldenQuestionRequest, golden_question_body

        wanted = json_body(GoldenQuestionRequest, example='{"question": "When?", "document": "guides/backup.md"}')
        record = _document(wanted.document, profile)
        tenant = profile.config.tenancy.tenant_of(record.name)
        with profile.audit.changing(Action.KEEP_QUESTION, record.id, tenant=tenant) as noted:
            noted["question"] = profile.audit.question(wanted.question)
            try:
                kept, is_new = profile.golden_questions.keep(wanted.question, record.id, tenant)
            except TooManyQuestions as error:
                raise Refused(409, "TOO_MANY_QUESTIONS", str(error)) from None
        return json_answer(golden_question_body(kept, record), 201 if is_new else 200)

    @route(blueprint, operation("removeGoldenQuestion"))
    def remove(question: str) -> Response:
        mine = next((one for one, _ in _seen(profile) if one.id == question), None)
        if mine is None:
            raise Refused(
                404, "NOT_FOUND", "There is no such golden question. GET /api/golden-questions lists the questions."
            )
        tenant = _tenant(profile)
        with profile.audit.changing(Action.REMOVE_QUESTION, mine.document_id, tenant=tenant):
            profile.golden_questions.remove(mine.id, tenant)
        return empty_answer()

    return blueprint


def _tenant(profile: Profile) -> str | None:
    """None: those of all."""
    return current_caller().tenant if profile.config.tenancy is Tenancy.FOLDER else None


def _seen(profile: Profile) -> Iterator[tuple[GoldenQuestion, Document | None]]:
    """What the caller may see, each with the record of its document. Only who sees all documents sees questions of
    those that are gone: nobody can say whose these were."""
    from ragbase.pipeline.named_records import current_records

    caller, tenant = current_caller(), _tenant(profile)
    if caller.tenant and tenant is None:  # all documents are those of the tenant ""
        return
    questions = profile.golden_questions.all() if tenant is None else profile.golden_questions.of(tenant)
    records = current_records([one.document_id for one in questions], profile.documents)
    sees_all = caller.tenant is None and caller.reach.is_everything
    for one in questions:
        record = records.get(one.document_id)
        is_there = record is not None and not record.tombstone
        if sees_all or (record is not None and is_there and caller.reach.has(record.name)):
            yield one, record


def _document(identifier: str, profile: Profile) -> Document:
    """By its id or its name. Raises Refused (404) if the caller sees none, and NotAllowed for a name out of reach."""
    caller = current_caller()
    by_id = seen_document(
        identifier, profile.documents, profile.config.tenancy, tenant=caller.tenant, reach=caller.reach
    )
    if by_id is not None:
        return by_id
    name = name_of(identifier, "document")
    by_name = seen_by_name(name, profile.bucket.name, profile.documents, profile.config.tenancy, tenant=caller.tenant)
    if by_name is None:
        raise not_found(identifier)
    return by_name
