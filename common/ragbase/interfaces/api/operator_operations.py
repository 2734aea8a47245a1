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
