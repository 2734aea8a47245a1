"""GET /api/documents lists the documents. GET /api/documents/ID shows one."""

from __future__ import annotations

from flask import Blueprint, Response, request
from pydantic import ValidationError

from ragbase.bootstrap.profile import Profile
from ragbase.interfaces.http.errors import error_response, invalid_request
from ragbase.interfaces.wire.documents import ListRequest, document_list, document_status


def documents(profile: Profile) -> Blueprint:
    blueprint = Blueprint("documents", __name__)

    @blueprint.get("/api/documents")
    def list_() -> Response:
        try:
            wanted = ListRequest.model_validate(request.args.to_dict())
        except ValidationError as error:
            return invalid_request(ListRequest, error)
        page = profile.documents.page(status=wanted.status, limit=wanted.limit, offset=wanted.offset)
        return Response(document_list(page).to_json(), mimetype="application/json")

    @blueprint.get("/api/documents/<id>")
    def status(id: str) -> Response:
        record = profile.documents.get(id)
        if record is None or record.tombstone:
            return error_response(
                404, "NOT_FOUND", f"There is no document {id}. GET /api/documents lists the documents."
            )
        return Response(document_status(record).to_json(), mimetype="application/json")

    return blueprint
