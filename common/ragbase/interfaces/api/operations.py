"""Every operation of the HTTP API, declared once. Its routes, the guard, the limits of bodies, /openapi.json and /docs
read this table."""

from __future__ import annotations

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.interfaces.api.document_operations import DOCUMENT_OPERATIONS
from ragbase.interfaces.api.foreign_operations import FOREIGN_OPERATIONS
from ragbase.interfaces.api.operation import ANY, WITH_HISTORY, Answer, Model, Operation
from ragbase.interfaces.api.operator_operations import OPERATOR_OPERATIONS
from ragbase.interfaces.api.question_operations import QUESTION_OPERATIONS
from ragbase.interfaces.api.sign_in_operations import SIGN_IN_OPERATIONS
from ragbase.interfaces.http.body_limit import Line

CALLBACK = 16 * 1024 * 1024
"""Bytes. A callback has the text of a document."""

_STATE = Model("DocumentStatusResponse")

OPERATIONS = (
    *DOCUMENT_OPERATIONS,
    *QUESTION_OPERATIONS,
    *SIGN_IN_OPERATIONS,
    *OPERATOR_OPERATIONS,
    *FOREIGN_OPERATIONS,
    Operation(
        id="callback",
        method="POST",
        path="/internal/callback",
        summary="Give the text of a document that an extractor elsewhere has read, or say why it could not.",
        action=Action.GIVE_TEXT,
        scope=Scope.WRITE,
        is_of_extractor=True,
        most=CALLBACK,
        body=Model("ProcessingCallback"),
        answers={
            200: Answer(meaning="The document has this text or failure already.", body=_STATE),
            202: Answer(
                meaning="The text will be processed, or the document is FAILED now.",
                body=_STATE,
            ),
        },
        refusals={
            404: "NOT_FOUND: there is no document with this id.",
            409: "CONTENT_CHANGED: the file is another one by now. ALREADY_READ: a failure comes after a text. "
            "NOT_AWAITED: the setting extractor is external, and the document does not wait for a text.",
        },
    ),
    Operation(
        id="listExtractions",
        method="GET",
        path="/internal/extractions",
        summary="List the files that wait for an extractor elsewhere, those that have waited longest first.",
        scope=Scope.READ,
        is_of_extractor=True,
        parameters=Model("ExtractionsRequest"),
        answers={200: Answer(meaning="The files.", body=Model("ExtractionsResponse"))},
    ),
    Operation(
        id="mcp",
        method="POST",
        path="/mcp",
        summary="Speak the Model Context Protocol: one message of JSON-RPC 2.0, without sessions and streams.",
        scope=Scope.READ,
        most=WITH_HISTORY,
        body=Model("JsonRpcMessage"),
        example={
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "searchKnowledge", "arguments": {"query": "When does the nightly backup start?"}},
        },
        answers={
            200: Answer(meaning="The result of the method, or its error.", body=Model("JsonRpcAnswer")),
            202: Answer(meaning="The message wants no answer: it is a notification."),
            400: Answer(
                meaning="The body is no message of JSON-RPC, or of an unknown version.",
                body=Model("JsonRpcAnswer"),
            ),
            406: Answer(meaning="`Accept` has no application/json.", body=Model("JsonRpcAnswer")),
        },
    ),
    Operation(
        id="isAlive",
        method="GET",
        path="/healthz",
        summary="Whether the server runs.",
        needs_caller=False,
        line=Line.HEALTH,
        answers={200: Answer(meaning="It does.", body=Model("Health"))},
    ),
    Operation(
        id="isAliveOnCloudRun",
        method="GET",
        path="/health",
        summary="The same as /healthz, where Google keeps that path for itself.",
        needs_caller=False,
        line=Line.HEALTH,
        answers={200: Answer(meaning="It does.", body=Model("Health"))},
    ),
    Operation(
        id="isReadyOnCloudRun",
        method="GET",
        path="/ready",
        summary="The same as /readyz, where Google keeps that path for itself.",
        needs_caller=False,
        line=Line.HEALTH,
        answers={200: Answer(meaning="It can.", body=Model("Health"))},
    ),
    Operation(
        id="isReady",
        method="GET",
        path="/readyz",
        summary="Whether the server can answer: its stores do.",
        needs_caller=False,
        line=Line.HEALTH,
        answers={200: Answer(meaning="It can.", body=Model("Health"))},
    ),
    Operation(
        id="showConsole",
        method="GET",
        path="/",
        summary="The console: a page to upload, watch and ask.",
        needs_caller=False,
        line=Line.FILES,
        answers={200: Answer(meaning="The page.", media_type="text/html")},
        is_described=False,
    ),
    Operation(
        id="getConsoleFile",
        method="GET",
        path="/console/{version}/{path}",
        summary="A file of the console. What an address has never changes.",
        needs_caller=False,
        line=Line.FILES,
        answers={200: Answer(meaning="The file.", media_type=ANY)},
        refusals={404: "NOT_FOUND: the console has no such file, or is another version now."},
        is_described=False,
    ),
    Operation(
        id="getAskElement",
        method="GET",
        path="/ragbase-ask.js",
        summary="The script of <ragbase-ask>, for pages of other sites.",
        needs_caller=False,
        line=Line.FILES,
        answers={200: Answer(meaning="The script.", media_type="text/javascript")},
        is_described=False,
    ),
    Operation(
        id="getVersionOfAskElement",
        method="GET",
        path="/ragbase-ask-{version}.js",
        summary="The same script. What an address has never changes.",
        needs_caller=False,
        line=Line.FILES,
        answers={200: Answer(meaning="The script.", media_type="text/javascript")},
        refusals={404: "NOT_FOUND: the script is another version now."},
        is_described=False,
    ),
    Operation(
        id="describe",
        method="GET",
        path="/openapi.json",
        summary="The description of the API for programs.",
        needs_caller=False,
        answers={200: Answer(meaning="The description, as OpenAPI 3.1.")},
        is_described=False,
    ),
    Operation(
        id="showDescription",
        method="GET",
        path="/docs",
        summary="The description of the API for people.",
        needs_caller=False,
        answers={200: Answer(meaning="A page.", media_type="text/html")},
        is_described=False,
    ),
)
