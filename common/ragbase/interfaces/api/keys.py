"""The API keys: list, make and revoke them. They are the operator's."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.domain.errors import ConfigurationError, NotAllowed
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body, parameters
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import empty_answer, json_answer

if TYPE_CHECKING:
    from ragbase.access.caller import Caller
    from ragbase.bootstrap.profile import Profile
    from ragbase.interfaces.wire.keys import CreateKeyRequest


def keys(profile: Profile) -> Blueprint:
    blueprint = Blueprint("keys", __name__)

    @route(blueprint, operation("listKeys"))
    def list_() -> Response:
        from ragbase.interfaces.wire.keys import KeysRequest, keys_response

        wanted, book = parameters(KeysRequest), profile.access.keys
        page = book.page(after=wanted.cursor, limit=wanted.limit)
        if page is None:
            raise Refused(404, "NOT_FOUND", "`cursor`: its key was revoked. Begin with the first page.")
        found, has_more = page
        return json_answer(keys_response([(key, book.used_today(key)) for key in found], has_more=has_more))

    @route(blueprint, operation("createKey"))
    def create() -> Response:
        from ragbase.engine.api_keys import WantedKey, make_key
        from ragbase.interfaces.wire.keys import CreateKeyRequest, created_key

        wanted = json_body(CreateKeyRequest, example='{"name": "robot", "scopes": ["read"]}')
        caller = current_caller()
        if caller.id == "local":  # a key may have this name
            raise Refused(
                409,
                "OPEN",
                "Nobody needs to sign in here, and the first key changes that: this page could not go on without it. "
                "Make the first key with `ragbase keys create`.",
            )
        if not (wanted.name.strip() and wanted.name.isprintable()):
            raise Refused(400, "INVALID_REQUEST", "`name`: it has characters that nobody sees. Leave them out.")
        lasting = _lasting(wanted, caller, profile)
        try:
            key, token = make_key(
                WantedKey(
                    name=wanted.name,
                    scopes=wanted.scopes,
                    tenant=wanted.tenant,
                    prefixes=wanted.prefixes,
                    origins=wanted.origins,
                    lasting=lasting,
                    limits=wanted.limits.limits() if wanted.limits is not None else {},
                ),
                profile,
            )
        except ConfigurationError as error:
            raise Refused(400, "INVALID_REQUEST", str(error)) from None
        answer = json_answer(created_key(key, token), 201)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @route(blueprint, operation("revokeKey"))
    def revoke(key_id: str) -> Response:
        from ragbase.engine.api_keys import keys_of, revoke_key

        known = profile.access.keys.all()
        if key_id not in [one.id for one in known]:
            raise Refused(404, "NOT_FOUND", "There is no such key any more. GET /api/keys lists them.")
        now = profile.clock.now()
        others = [one for one in known if one.id != key_id and not one.is_over(now)]
        if not others and not profile.access.has_password and not profile.access.is_open:
            raise Refused(
                409,
                "LAST_KEY",
                "It is the last key, and there is no password: nobody could use the API any more. Make another key "
                "first, or revoke it with `ragbase keys revoke`.",
            )
        revoke_key(key_id, keys_of(profile.checkpoints, profile.clock), profile.audit)
        return empty_answer()

    return blueprint


def _lasting(wanted: CreateKeyRequest, caller: Caller, profile: Profile) -> timedelta | None:
    """How long the key lasts. A key makes none that may do more than itself: else who finds one would have it for
    longer, and with less limits. Raises NotAllowed."""
    days = profile.config.key_days if wanted.expires is None else wanted.expires
    lasting = timedelta(days=days) if isinstance(days, int) and days else None
    if caller.limits:
        raise NotAllowed(
            f"The API key {caller.name} has limits, so it makes no other. Use the password, or a key without limits."
        )
    if caller.until is None:
        return lasting
    left = caller.until - profile.clock.now()
    if wanted.expires is None:
        return min(left, lasting) if lasting is not None else left
    if lasting is None or lasting > left:
        raise NotAllowed(
            f"The API key {caller.name} is over in {max(left.days, 0):,} days, so it makes none that lasts longer. Let "
            "`expires` be less, or use the password."
        )
    return lasting
