"""Every operation of the HTTP API, declared once. Its routes, the guard, the limits of bodies, /openapi.json and /docs
read this table."""

from __future__ import annotations

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.interfaces.api.operation import ANY, EVENTS, FORM, IMAGE, TEXT, Answer, Model, Operation
from ragbase.interfaces.api.operator_operations import OPERATOR_OPERATIONS
from ragbase.interfaces.http.body_limit import Line

BESIDE_A_FILE = 64 * 1024
"""Bytes of a form beside its file."""
CALLBACK = 16 * 1024 * 1024
"""Bytes. A callback has the text of a document."""

_QUESTION_REFUSALS = (
    "INVALID_REQUEST; TENANT_NEEDED: there are too many tenants to search all; or QUESTION_REFUSED: the service of a "
    "model does not take this question."
)
_OF_DOCUMENT = (
    "getDocument",
    "listChunks",
    "getText",
    "listPages",
    "getContent",
    "retryDocument",
    "rereadDocument",
    "deleteDocument",
)
_UPLOAD_ERRORS = {
    400: "INVALID_REQUEST, INVALID_PATH, INVALID_FORMAT (no format that is read here) or FILE_TOO_LARGE.",
    409: "ALREADY_EXISTS: there is a document of this path with another content. Send replace=true to replace it.",
}
_UPLOADED, _STATE = Model("UploadResponse"), Model("DocumentStatusResponse")

OPERATIONS = (
    Operation(
        id="uploadDocument",
        method="POST",
        path="/api/documents",
        summary="Upload a file. It is searchable when the document is COMPLETED.",
        action=Action.UPLOAD,
        scope=Scope.WRITE,
        most=MAX_FILE_SIZE + BESIDE_A_FILE,
        line=Line.UPLOADS,
        body=Model("UploadForm"),
        body_type=FORM,
        example={
            "file": "# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n",
            "path": "guides/backup.md",
            "replace": "true",
        },
        answers={
            202: Answer(meaning="The file is taken, and waits for a lane.", body=_UPLOADED, links=_OF_DOCUMENT),
            200: Answer(meaning="There is this document already.", body=_UPLOADED, links=_OF_DOCUMENT),
        },
        refusals=_UPLOAD_ERRORS,
    ),
    Operation(
        id="listDocuments",
        method="GET",
        path="/api/documents",
        summary="List the documents, newest first.",
        scope=Scope.READ,
        parameters=Model("ListRequest"),
        answers={200: Answer(meaning="A page of the documents.", body=Model("ListResponse"))},
    ),
    Operation(
        id="countDocuments",
        method="GET",
        path="/api/counts",
        summary="Count the documents in each status.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The numbers.", body=Model("CountsResponse"))},
    ),
    Operation(
        id="getDocument",
        method="GET",
        path="/api/documents/{id}",
        summary="Show the state of a document, or wait until it is COMPLETED or FAILED.",
        scope=Scope.READ,
        parameters=Model("WaitRequest"),
        answers={200: Answer(meaning="Its state.", body=_STATE)},
    ),
    Operation(
        id="deleteDocument",
        method="DELETE",
        path="/api/documents/{id}",
        summary="Delete a document. No search shows it any more.",
        action=Action.DELETE,
        scope=Scope.WRITE,
        answers={204: Answer(meaning="It is deleted.")},
    ),
    Operation(
        id="retryDocument",
        method="POST",
        path="/api/documents/{id}/retry",
        summary="Process a FAILED document again. Any other stays as it is.",
        action=Action.RETRY,
        scope=Scope.WRITE,
        answers={202: Answer(meaning="Its state.", body=_STATE)},
    ),
    Operation(
        id="rereadDocument",
        method="POST",
        path="/api/documents/{id}/reread",
        summary="Read a PDF or picture again that an older version has read. Any other document stays as it is.",
        action=Action.RETRY,
        scope=Scope.WRITE,
        answers={202: Answer(meaning="Its state.", body=_STATE)},
    ),
    Operation(
        id="listChunks",
        method="GET",
        path="/api/documents/{id}/chunks",
        summary="List what search shows of a document, in its order.",
        scope=Scope.READ,
        parameters=Model("ChunksRequest"),
        answers={200: Answer(meaning="A page of its chunks.", body=Model("ChunksResponse"))},
        refusals={409: "TEXT_GONE: search shows nothing of it, or it has just changed."},
    ),
    Operation(
        id="getText",
        method="GET",
        path="/api/documents/{id}/text",
        summary="Get the extracted text, in whose characters citations count.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The text.", media_type=TEXT)},
        refusals={409: "TEXT_GONE: search shows nothing of it, or it has just changed."},
    ),
    Operation(
        id="getContent",
        method="GET",
        path="/api/documents/{id}/content",
        summary="Get the file as it was uploaded.",
        scope=Scope.READ,
        is_of_extractor=True,
        answers={
            200: Answer(meaning="The file.", media_type=ANY),
            302: Answer(meaning="`Location` is an address of the bucket that has the file for some minutes."),
        },
        refusals={409: "CONTENT_GONE: it was just replaced or deleted."},
    ),
    Operation(
        id="listPages",
        method="GET",
        path="/api/documents/{id}/pages",
        summary="List the pages of a PDF or picture, with their sizes.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The pages that can be shown.", body=Model("PagesResponse"))},
        refusals={
            409: "TEXT_GONE: search shows nothing of it. CONTENT_GONE: it was just replaced or deleted. "
            "NO_PAGE_IMAGE: no page can be drawn."
        },
    ),
    Operation(
        id="getPage",
        method="GET",
        path="/api/documents/{id}/pages/{page}",
        summary="Get a page of a PDF or picture as an image.",
        scope=Scope.READ,
        parameters=Model("PageImageRequest"),
        answers={200: Answer(meaning="The page as people see it.", media_type=IMAGE)},
        refusals={
            404: "NOT_FOUND: there is no document with this id, or no such page that can be shown.",
            409: "TEXT_GONE: search shows nothing of it. CONTENT_GONE: it was just replaced or deleted. "
            "NO_PAGE_IMAGE: the page cannot be drawn.",
        },
    ),
    Operation(
        id="listMarks",
        method="GET",
        path="/api/documents/{id}/pages/{page}/marks",
        summary="Say where characters of the extracted text stand on a page.",
        scope=Scope.READ,
        parameters=Model("PageMarksRequest"),
        answers={200: Answer(meaning="A rectangle for each piece of a line.", body=Model("PageMarksResponse"))},
        refusals={
            404: "NOT_FOUND: there is no document with this id, or no such page that can be shown.",
            409: "TEXT_GONE: search shows nothing of it.",
        },
    ),
    Operation(
        id="followChanges",
        method="GET",
        path="/api/events",
        summary="Tell which documents have changed, once or as they change.",
        scope=Scope.READ,
        line=Line.EVENTS,
        parameters=Model("ChangesRequest"),
        answers={
            200: Answer(
                meaning="What has changed after `after`; without it, where to begin. With `Accept: text/event-stream` "
                "it comes as events `changes`, at most two a second, or `error`. Their ids are for `Last-Event-ID`. "
                "The stream ends after 45 s: connect again.",
                body=Model("ChangesResponse"),
                other_type=EVENTS,
            )
        },
        refusals={
            429: "TOO_MANY_REQUESTS: try again after the seconds in `Retry-After`. If there are too many streams, ask "
            "without `Accept: text/event-stream`."
        },
    ),
    Operation(
        id="beginUpload",
        method="POST",
        path="/api/uploads",
        summary="Get an address to send a file to, in a request of its own: for files too large for a form.",
        action=Action.SIGN_UPLOAD,
        scope=Scope.WRITE,
        body=Model("UploadUrlRequest"),
        example={"path": "reports/2026.pdf", "size": 41943040, "contentType": "application/pdf", "replace": True},
        answers={201: Answer(meaning="Where and how to send it.", body=Model("UploadUrlResponse"))},
        refusals={**_UPLOAD_ERRORS, 400: "INVALID_REQUEST, INVALID_PATH or FILE_TOO_LARGE."},
    ),
    Operation(
        id="query",
        method="POST",
        path="/api/query",
        summary="Find the passages that answer a question.",
        action=Action.QUERY,
        scope=Scope.READ,
        is_public_query=True,
        body=Model("QueryRequest"),
        example={"query": "When does the nightly backup start?", "topK": 3, "filter": {"pathPrefix": "guides/"}},
        answers={200: Answer(meaning="The passages, best first.", body=Model("QueryResponse"))},
        refusals={400: _QUESTION_REFUSALS},
    ),
    Operation(
        id="answer",
        method="POST",
        path="/api/answer",
        summary="Answer a question in sentences, each with verified citations.",
        action=Action.ANSWER,
        scope=Scope.READ,
        is_public_query=True,
        line=Line.WRITERS,
        body=Model("QueryRequest"),
        example={"query": "When does the nightly backup start?", "filter": {"pathPrefix": "guides/"}},
        answers={
            200: Answer(
                meaning="The answer. With `Accept: text/event-stream` it comes as events: `evidence`, a `sentence` for "
                "each, and `done`, or `error`.",
                body=Model("AnswerResponse"),
                other_type=EVENTS,
            )
        },
        refusals={400: _QUESTION_REFUSALS},
    ),
    Operation(
        id="explain",
        method="POST",
        path="/api/explain",
        summary="Say at which stage a question loses a document, or where it finds it.",
        action=Action.EXPLAIN,
        scope=Scope.READ,
        line=Line.WRITERS,
        body=Model("ExplainRequest"),
        example={"query": "When does the nightly backup start?", "document": "guides/backup.md"},
        answers={200: Answer(meaning="The stage, with the figures of each stage.", body=Model("ExplainResponse"))},
        refusals={400: f"INVALID_PATH: no document can have this name; {_QUESTION_REFUSALS}"},
    ),
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
    *OPERATOR_OPERATIONS,
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
            202: Answer(meaning="The text will be processed, or the document is FAILED now.", body=_STATE),
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
        id="receiveUpload",
        method="PUT",
        path="/api/uploads/{token}",
        summary="Take the file of an upload. Its address is the right to use it.",
        action=Action.UPLOAD,
        needs_caller=False,
        most=MAX_FILE_SIZE,
        line=Line.UPLOADS,
        answers={
            202: Answer(meaning="The file is taken, and waits for a lane.", body=_UPLOADED),
            200: Answer(meaning="There is this document already.", body=_UPLOADED),
        },
        is_described=False,
    ),
    Operation(
        id="showConsole",
        method="GET",
        path="/",
        summary="The console: a page to upload, watch and ask.",
        needs_caller=False,
        answers={200: Answer(meaning="The page.", media_type="text/html")},
        is_described=False,
    ),
    Operation(
        id="getConsoleFile",
        method="GET",
        path="/console/{version}/{path}",
        summary="A file of the console. What an address has never changes.",
        needs_caller=False,
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
        answers={200: Answer(meaning="The script.", media_type="text/javascript")},
        is_described=False,
    ),
    Operation(
        id="getVersionOfAskElement",
        method="GET",
        path="/ragbase-ask-{version}.js",
        summary="The same script. What an address has never changes.",
        needs_caller=False,
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
