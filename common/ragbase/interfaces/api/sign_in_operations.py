"""The operations by which people sign in and out."""

from __future__ import annotations

from ragbase.domain.audit import Action
from ragbase.interfaces.api.operation import Answer, Model, Operation

SIGN_IN_OPERATIONS = (
    Operation(
        id="login",
        method="POST",
        path="/api/auth/login",
        summary="Sign in with the password.",
        action=Action.SIGN_IN,
        needs_caller=False,
        body=Model("LoginRequest"),
        answers={200: Answer(meaning="A token for the header `Authorization`.", body=Model("LoginResponse"))},
        refusals={401: "UNAUTHORIZED: the password is wrong, or none is set."},
    ),
    Operation(
        id="logout",
        method="POST",
        path="/api/auth/logout",
        summary="End the token of this request.",
        action=Action.SIGN_OUT,
        answers={204: Answer(meaning="It is ended.")},
        refusals={409: "NO_SESSION: the request has no token of a login."},
    ),
    Operation(
        id="getSession",
        method="GET",
        path="/api/session",
        summary="Say who asks, and what they may do.",
        needs_caller=False,
        answers={200: Answer(meaning="The caller, or nobody.", body=Model("SessionResponse"))},
    ),
    Operation(
        id="beginSession",
        method="POST",
        path="/api/session",
        summary="Sign in on a page of this server, with the password or an API key.",
        action=Action.SIGN_IN,
        needs_caller=False,
        body=Model("SessionRequest"),
        answers={200: Answer(meaning="A cookie has the token.", body=Model("SessionResponse"))},
        refusals={
            401: "UNAUTHORIZED: the password or key is wrong.",
            403: "FORBIDDEN: the key may not read, or a page of another origin asks.",
        },
    ),
    Operation(
        id="endSession",
        method="DELETE",
        path="/api/session",
        summary="Sign out on this page, or everywhere.",
        action=Action.SIGN_OUT,
        parameters=Model("EndSessionRequest"),
        answers={204: Answer(meaning="It is ended, and the cookie is gone.")},
        refusals={409: "NO_SESSION: the request has no cookie of a sign-in, or it is a key that only revoking ends."},
    ),
)
