"""The operations that are about the whole deployment: only its operator may call them (Caller.is_operator)."""

from __future__ import annotations

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.interfaces.api.operation import Answer, Model, Operation

_NO_LETTER = {404: "NOT_FOUND: there is no such dead letter any more."}

OPERATOR_OPERATIONS = (
    Operation(
        id="getHealth",
        method="GET",
        path="/api/health",
        summary="Say of each part of the deployment whether it works, and what waits for somebody.",
        scope=Scope.WRITE,
        is_of_operator=True,
        answers={200: Answer(meaning="The checks. It is 200 also if some fail.", body=Model("Checks"))},
    ),
    Operation(
        id="getRate",
        method="GET",
        path="/api/rate",
        summary="Say how much of the embedding service's rate is used.",
        scope=Scope.WRITE,
        is_of_operator=True,
        answers={200: Answer(meaning="The last minute, and what is booked.", body=Model("RateResponse"))},
    ),
    Operation(
        id="listKeys",
        method="GET",
        path="/api/keys",
        summary="List the API keys, oldest first, with what was used of their limits today.",
        scope=Scope.WRITE,
        is_of_operator=True,
        parameters=Model("KeysRequest"),
        answers={200: Answer(meaning="A page of them.", body=Model("KeysResponse"))},
    ),
    Operation(
        id="createKey",
        method="POST",
        path="/api/keys",
        summary="Make an API key. Only this answer has its secret.",
        action=Action.CREATE_KEY,
        scope=Scope.WRITE,
        is_of_operator=True,
        body=Model("CreateKeyRequest"),
        example={"name": "website", "scopes": ["read"], "expires": 30, "limits": {"requests": 10000}},
        answers={201: Answer(meaning="The key.", body=Model("CreatedKey"))},
        refusals={
            403: "FORBIDDEN: the key has not all scopes, or is not for all documents, or may do less than the new one.",
            409: "OPEN: nobody needs a key here yet. The command line makes the first one.",
        },
    ),
    Operation(
        id="revokeKey",
        method="DELETE",
        path="/api/keys/{key}",
        summary="Revoke an API key, from the next request on.",
        action=Action.REVOKE_KEY,
        scope=Scope.WRITE,
        is_of_operator=True,
        answers={204: Answer(meaning="It is revoked.")},
        refusals={
            404: "NOT_FOUND: there is no such key any more.",
            409: "LAST_KEY: there is no password, and nobody could use the API any more.",
        },
    ),
    Operation(
        id="listDeadLetters",
        method="GET",
        path="/api/dead-letters",
        summary="List the undeliverable messages, newest first.",
        scope=Scope.WRITE,
        is_of_operator=True,
        parameters=Model("DeadLettersRequest"),
        answers={200: Answer(meaning="A page of them.", body=Model("DeadLettersResponse"))},
    ),
    Operation(
        id="getDeadLetter",
        method="GET",
        path="/api/dead-letters/{letter}",
        summary="Show a dead letter with its message.",
        scope=Scope.WRITE,
        is_of_operator=True,
        answers={200: Answer(meaning="All that is known of it.", body=Model("DeadLetterDetail"))},
        refusals=_NO_LETTER,
    ),
    Operation(
        id="replayDeadLetter",
        method="POST",
        path="/api/dead-letters/{letter}/replay",
        summary="Send a dead letter through the pipeline again, and remove it.",
        action=Action.REPLAY,
        scope=Scope.WRITE,
        is_of_operator=True,
        answers={200: Answer(meaning="What became of it.", body=Model("ReplayResponse"))},
        refusals=_NO_LETTER,
    ),
)
