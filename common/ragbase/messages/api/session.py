"""What /api/session answers: who asks."""

from __future__ import annotations

from typing import Literal

from ragbase.messages.json_model import JsonModel

CameBy = Literal["password", "key", "local", "iam", "public"]


class SessionResponse(JsonModel):
    """`by` says how the caller came in: with the password or an API key; as a program of this machine (local) or a
    member of IAM; or without a token, to ask public queries. It is left out if nobody is known: sign in. `name` is that
    of the key, `scopes` what it may do, and `tenant` the one that it is for. `signedIn` says that a cookie has the
    token: the session can be ended. `operator` says that the caller may see and do what is the deployment's, too: its
    keys, dead letters, sources and audit log."""

    by: CameBy | None = None
    name: str | None = None
    scopes: tuple[str, ...] = ()
    tenant: str | None = None
    signed_in: bool = False
    operator: bool = False
