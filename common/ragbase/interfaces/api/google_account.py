"""Which Google account it is that IAM has admitted, for records.

Nothing is checked here: Cloud Run has checked the token, taken its signature away, and let the request in. If there is
X-Serverless-Authorization, it looks at that alone
(https://cloud.google.com/run/docs/authenticating/service-to-service).

Behind Identity-Aware Proxy, that token is the proxy's own. Who asks stands in a header of the proxy, which takes such
headers away from clients (https://cloud.google.com/iap/docs/signed-headers-howto). Without the proxy's token, a client
could write it, so nobody reads it then.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import replace

from flask import Request

from ragbase.access.caller import Caller

IAM = "iam"
_PROXY = "@gcp-sa-iap.iam.gserviceaccount.com"
"""How the account of every project's Identity-Aware Proxy ends."""
_LONGEST = 200


def named(caller: Caller, request: Request) -> str:
    """The caller's id; for one whom IAM has admitted, with the account, as in `iam:ada@example.com`."""
    if caller.id != IAM:
        return caller.id
    header = request.headers.get("X-Serverless-Authorization") or request.headers.get("Authorization") or ""
    account = _account_in(header.partition(" ")[2])
    if account.endswith(_PROXY):
        account = _account_in(request.headers.get("X-Goog-IAP-JWT-Assertion", "")) or account
    return replace(caller, name=f"{caller.name}:{account}").id if account else caller.id


def _account_in(token: str) -> str:
    """The account that a JSON Web Token names; empty if it names none."""
    _, _, rest = token.partition(".")
    payload, dot, _ = rest.partition(".")
    if not dot:
        return ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return ""
    account = claims.get("email") or claims.get("sub") if isinstance(claims, dict) else None
    is_name = isinstance(account, str) and len(account) <= _LONGEST and account.isprintable()
    return str(account) if is_name else ""
