"""POST /internal/callback: an extractor elsewhere says what it has read (docs/contracts/documents.md, section 2)."""

from __future__ import annotations

from flask import Blueprint, Response

from ragbase.bootstrap.profile import Profile
from ragbase.interfaces.api.found import found
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.refused import Refused
from ragbase.interfaces.wire.callback import ProcessingCallback


def callbacks(profile: Profile) -> Blueprint:
    blueprint = Blueprint("callbacks", __name__)

    @blueprint.post("/internal/callback")
    def callback() -> Response:
        """The lanes read every file themselves. So no document waits for a callback, and none may change one."""
        said = json_body(ProcessingCallback, example='{"documentId": "0b6c…", "success": false}')
        record = found(str(said.document_id), profile)
        raise Refused(
            409,
            "NOT_AWAITED",
            f"{record.source} waits for no extractor elsewhere: the lanes read its text. Nothing was changed.",
        )

    return blueprint
