"""The operations on documents: their uploads, states, texts and pages."""

from __future__ import annotations

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.interfaces.api.operation import ANY, EVENTS, FORM, IMAGE, TEXT, Answer, Model, Operation
from ragbase.interfaces.http.body_limit import Line

BESIDE_A_FILE = 64 * 1024
"""Bytes of a form beside its file."""
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

DOCUMENT_OPERATIONS = (
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
)
