"""The bodies of /api/session."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Field, SecretStr

from ragbase.access.caller import Caller
from ragbase.access.password import MAX_PASSWORD
from ragbase.messages.api.session import CameBy, SessionResponse
from ragbase.messages.json_model import RequestModel


class SessionRequest(RequestModel):
    secret: Annotated[SecretStr, Field(min_length=1, max_length=MAX_PASSWORD)] = Field(
        description=f"the password or an API key, a text of 1 to {MAX_PASSWORD} characters"
    )


class EndSessionRequest(RequestModel):
    everywhere: Literal["true", "false"] = Field(
        "false", description="true to end all sign-ins with the password, or false"
    )


def session_response(caller: Caller | None, *, signed_in: bool) -> SessionResponse:
    if caller is None:
        return SessionResponse()
    is_key = caller.key_id is not None
    return SessionResponse(
        by="key" if is_key else cast("CameBy", caller.name),
        name=caller.name if is_key else None,
        scopes=tuple(sorted(caller.scopes)),
        tenant=caller.tenant,
        signed_in=signed_in,
        operator=caller.is_operator,
    )
