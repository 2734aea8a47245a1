"""Client: a deployment of ragbase from Python (docs/http-api.md)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO
from urllib.parse import quote, urljoin

from ragbase.client.answer_stream import answer_parts
from ragbase.client.endpoint import check_secret, checked_endpoint, checked_key
from ragbase.client.exchange import ApiRequest, Exchange, Reply, error_of
from ragbase.client.file_to_send import read_file
from ragbase.client.filter import Filter
from ragbase.client.follow import follow
from ragbase.client.operator import Operator
from ragbase.client.question_body import question_body
from ragbase.client.search_result_bodies import SearchResultBodies
from ragbase.client.typed_exchange import OK, TypedExchange, good, json_body
from ragbase.client.uploaded import Uploaded
from ragbase.domain.conversation import Turn
from ragbase.domain.document import Status
from ragbase.domain.limits import DEFAULT_PAGE_SIZE
from ragbase.domain.ocr import OcrMode
from ragbase.extras import naming_extras
from ragbase.messages.api.answer import AnswerPart, AnswerResponse
from ragbase.messages.api.chunks import ChunkBody, ChunksResponse
from ragbase.messages.api.documents import (
    CountsResponse,
    DocumentStatusResponse,
    DocumentSummary,
    ListResponse,
    UploadUrlResponse,
)
from ragbase.messages.api.events import ChangesResponse
from ragbase.messages.api.explanation import ExplainResponse
from ragbase.messages.api.golden_questions import GoldenQuestionBody, GoldenQuestionsResponse
from ragbase.messages.api.page_marks import PageMarksResponse, PagesResponse
from ragbase.messages.api.query import QueryResponse
from ragbase.messages.api.session import SessionResponse
from ragbase.messages.api.sign_in import LoginResponse

_LONGEST_WAIT = 30.0
"""Seconds that one request may wait for a document (docs/http-api.md)."""
_WRITING = 60.0
"""Seconds more that an answer may take: a model writes it."""
_PAUSE = 1.0
"""Seconds between two looks at a document."""
_ACCEPTED = 202
_FOUND = (302, 303, 307)
_PRECONDITION_FAILED, _TOO_LARGE = 412, 413
_UNKNOWN_TYPE = "application/octet-stream"


class Client:
    """Uploads files to a server, asks it questions and reads what it holds. Any thread may use it.

    Requests that may be done twice are tried again after a passing fault: the network, and the answers 429, 502, 503
    and 504. An upload is one of them, because the same bytes under the same path are the same document. Every method
    raises ApiError for an error that the server answers, NoAnswer if there is none in time, and UnreadableAnswer.
    Use a client as a context manager, or call `close()`, to close its connections.
    """

    @naming_extras()
    def __init__(
        self,
        endpoint: str,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        deadline: float = 120.0,
        allow_plain_http: bool = False,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`endpoint` is the address of the server, such as https://rag.example.com; `key` an API key or a token.

        `timeout` is the longest silence of the server, `deadline` the time for one call with all its attempts; both in
        seconds. `sleep` waits between attempts, `now` is the clock. A key is not sent over http to another machine,
        unless `allow_plain_http` is set. Raises ConfigurationError for an endpoint or a key that cannot be one, and
        MissingExtra.
        """
        self._exchange = Exchange(
            checked_endpoint(endpoint),
            checked_key(key) if key is not None else None,
            timeout=timeout,
            deadline=deadline,
            sleep=sleep,
            now=now,
        )
        self._typed = TypedExchange(self._exchange, allow_plain_http=allow_plain_http)
        self.operator = Operator(self._typed)
        """What only the operator of the deployment may see and do."""
        self._allow_plain_http = allow_plain_http
        self._now = now
        if key is not None:
            self._check_secret()

    def __repr__(self) -> str:
        return f"Client({self._exchange.endpoint!r})"

    def sign_in(self, password: str) -> LoginResponse:
        """A token for a password. This client sends it with every later request."""
        self._check_secret()
        body = json_body({"password": password})
        signed_in = self._typed.read(LoginResponse, "POST", "/api/auth/login", body=body, repeatable=False)
        self._exchange.use_key(checked_key(signed_in.token))
        return signed_in

    def sign_out(self) -> None:
        """End the token of `sign_in`, everywhere."""
        self._typed.body("POST", "/api/auth/logout", repeatable=False)
        self._exchange.use_key(None)

    def session(self) -> SessionResponse:
        """Whom the server takes this client for, and what it may do; without `by`, it knows nobody."""
        return self._typed.read(SessionResponse, "GET", "/api/session")

    def upload(
        self,
        file: str | os.PathLike[str] | bytes | BinaryIO,
        *,
        path: str | None = None,
        replace: bool = False,
        ocr_mode: OcrMode | str | None = None,
        ocr_languages: Sequence[str] = (),
        content_type: str | None = None,
    ) -> Uploaded:
        """Send a file: its path on this machine, its bytes, or a stream, which is read to its end.

        `path` is the document's name on the server, by default the name of the file. `ocr_mode` and `ocr_languages` say
        how the pages of a PDF are read; without them, the server's settings hold. The answer does not wait for the
        processing: `wait` does. Other bytes under the same path are ApiError (409, ALREADY_EXISTS), unless `replace` is
        set. Raises PermanentError (FILE_TOO_LARGE) above 50 MB, ValueError if bytes have no `path`, TypeError for a
        stream of text, InvalidObject for a name that is not UTF-8, and OSError.
        """
        name, data = read_file(file, path)
        fields = {"path": name, "replace": str(replace).lower()}
        if ocr_mode is not None:
            fields["ocrMode"] = OcrMode(ocr_mode).value
        if ocr_languages:
            fields["ocrLanguages"] = ",".join(ocr_languages)
        part = (name.rpartition("/")[2], data, content_type or _UNKNOWN_TYPE)
        reply = self._exchange.ask(
            ApiRequest(method="POST", path="/api/documents", body=lambda: {"data": fields, "files": {"file": part}})
        )
        if reply.status == _TOO_LARGE:
            return self._upload_apart(data, fields | {"contentType": content_type}, replace=replace)
        return self._uploaded(reply)

    def _upload_apart(self, data: bytes, fields: Mapping[str, Any], *, replace: bool) -> Uploaded:
        """The server takes no request of this size: it says where the file can be sent."""
        wanted = {**fields, "size": len(data), "replace": replace}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        address = self._typed.read(UploadUrlResponse, "POST", "/api/uploads", body=json_body(wanted))
        reply = self._exchange.ask(
            ApiRequest(
                method=address.method,
                **self._typed.named(address.url),
                headers=address.headers,
                body=lambda: {"content": data},
            )
        )
        # If an answer was lost, a bucket that takes the file once finds at the next attempt that it is there.
        if reply.status not in OK and not (reply.status == _PRECONDITION_FAILED and reply.repeated):
            raise error_of(reply)
        if reply.headers.get("content-type", "").startswith("application/json"):
            return self._uploaded(reply)
        return Uploaded(id=address.id, filename=str(fields["path"]), status=Status.PENDING)  # a bucket's own answer

    def _uploaded(self, reply: Reply) -> Uploaded:
        uploaded = self._typed.value(Uploaded, good(reply))
        return uploaded.model_copy(update={"is_new": reply.status == _ACCEPTED})

    def wait(self, document_id: str, seconds: float = 600.0) -> DocumentStatusResponse:
        """The document when it is COMPLETED or FAILED, or as it is after that many seconds."""
        end = self._now() + seconds
        while True:
            asked = self._now()
            left = min(max(end - asked, 0.0), _LONGEST_WAIT)
            document = self._typed.read(
                DocumentStatusResponse, "GET", _document(document_id), parameters={"wait": f"{left:.3f}"}, seconds=left
            )
            if document.is_settled or self._now() >= end:
                return document
            if self._now() - asked < _PAUSE:  # a server that has no room for one more that waits answers at once
                self._exchange.rest(min(_PAUSE, left))

    def query(
        self,
        text: str,
        *,
        top_k: int | None = None,
        threshold: float | None = None,
        filter: Filter | None = None,
        rerank: bool | None = None,
        history: Sequence[Turn] = (),
        expand: str | None = None,
        expand_tokens: int | None = None,
    ) -> SearchResultBodies:
        """The passages that answer, best first; none if no document is about it. The settings of the server hold for
        `top_k` and `threshold` if they are None. With `rerank=False`, its reranker is not asked.
        `history` has the turns before the question, oldest first: one that only makes sense after them is completed,
        and the result says in `searched_for` to what. A `Conversation` collects them. With `expand` ("section", "page"
        or "document"), each passage has in `context` what of it has at most `expand_tokens` tokens."""
        expanded = {"expand": expand, "expandTokens": expand_tokens}
        body = question_body(text, top_k, threshold, filter, rerank=rerank, history=history, **expanded)
        return SearchResultBodies.of(self._typed.read(QueryResponse, "POST", "/api/query", body=body))

    def explain(
        self,
        text: str,
        document: str,
        *,
        top_k: int | None = None,
        threshold: float | None = None,
        filter: Filter | None = None,
    ) -> ExplainResponse:
        """Why `query` with the same arguments does not find this document, or where it does. `document` is an id, or a
        name on the server."""
        body = question_body(text, top_k, threshold, filter, document=document)
        return self._typed.read(ExplainResponse, "POST", "/api/explain", body=body)

    def answer(
        self,
        text: str,
        *,
        top_k: int | None = None,
        threshold: float | None = None,
        filter: Filter | None = None,
        rerank: bool | None = None,
        history: Sequence[Turn] = (),
    ) -> AnswerResponse:
        """An answer in sentences, each with the places that it stands on, written from what `query` finds with the same
        arguments."""
        body = question_body(text, top_k, threshold, filter, rerank=rerank, history=history)
        return self._typed.read(AnswerResponse, "POST", "/api/answer", body=body, seconds=_WRITING)

    def answer_parts(
        self,
        text: str,
        *,
        top_k: int | None = None,
        threshold: float | None = None,
        filter: Filter | None = None,
        rerank: bool | None = None,
        history: Sequence[Turn] = (),
    ) -> Iterator[AnswerPart]:
        """The same answer as it is written: its evidence, then each sentence as soon as it is complete, then the whole.

        Nothing is tried again after the first part. An error after it is ApiError with the status 200, or NoAnswer."""
        with self._typed.stream(
            "POST",
            "/api/answer",
            headers={"Accept": "text/event-stream"},
            body=question_body(text, top_k, threshold, filter, rerank=rerank, history=history),
            seconds=_WRITING,
        ) as (reply, pieces):
            yield from answer_parts(reply, pieces, self._typed)

    def golden_questions(self) -> Sequence[GoldenQuestionBody]:
        """The questions that `ragbase eval` asks, oldest first."""
        return self._typed.read(GoldenQuestionsResponse, "GET", "/api/golden-questions").questions

    def keep_golden_question(self, question: str, document: str) -> GoldenQuestionBody:
        """Keep a question for `ragbase eval`, and the document that should answer it: an id, or a name on the server.
        To keep it again changes nothing."""
        body = json_body({"question": question, "document": document})
        return self._typed.read(GoldenQuestionBody, "POST", "/api/golden-questions", body=body)

    def remove_golden_question(self, id: str) -> None:
        self._typed.remove(f"/api/golden-questions/{quote(id, safe='')}")

    def list(self, status: Status | str | None = None) -> Iterator[DocumentSummary]:
        """All documents, or those with this status, newest first. They are fetched a page at a time."""
        wanted = {"status": Status(status).value if status is not None else None}
        for page in self._typed.pages(ListResponse, "/api/documents", _given(wanted)):
            yield from page.documents

    def page(
        self,
        *,
        status: Status | str | None = None,
        limit: int = DEFAULT_PAGE_SIZE,
        offset: int = 0,
        cursor: str | None = None,
    ) -> ListResponse:
        """At most `limit` (1 to 100) documents after the first `offset` ones, or after the page whose `next_cursor` is
        given."""
        wanted = {"limit": str(limit), "offset": str(offset) if offset else None, "cursor": cursor}
        wanted["status"] = Status(status).value if status is not None else None
        return self._typed.read(ListResponse, "GET", "/api/documents", parameters=_given(wanted))

    def counts(self) -> CountsResponse:
        """How many documents there are in each status, and in all."""
        return self._typed.read(CountsResponse, "GET", "/api/counts")

    def get(self, document_id: str) -> DocumentStatusResponse:
        return self._typed.read(DocumentStatusResponse, "GET", _document(document_id))

    def delete(self, document_id: str) -> None:
        """Remove a document from the server."""
        self._typed.remove(_document(document_id))

    def retry(self, document_id: str) -> DocumentStatusResponse:
        """Ask for another round of attempts at a document that has failed; any other is left as it is."""
        return self._typed.read(DocumentStatusResponse, "POST", f"{_document(document_id)}/retry", repeatable=False)

    def reread(self, document_id: str) -> DocumentStatusResponse:
        """Have a PDF or picture read again that an older version has read; any other document is left as it is."""
        return self._typed.read(DocumentStatusResponse, "POST", f"{_document(document_id)}/reread", repeatable=False)

    def chunks(self, document_id: str) -> Iterator[ChunkBody]:
        """What search shows of a document, in the order of its text. It is fetched a page at a time."""
        for page in self._typed.pages(ChunksResponse, f"{_document(document_id)}/chunks"):
            yield from page.chunks

    def text(self, document_id: str) -> str:
        """The extracted text, in which the offsets of results count."""
        return self._typed.text("GET", f"{_document(document_id)}/text")

    def content(self, document_id: str) -> bytes:
        """The bytes of the file as it was uploaded."""
        path = f"{_document(document_id)}/content"
        reply = self._exchange.ask(ApiRequest(method="GET", path=path))
        if reply.status in _FOUND:
            location = urljoin(f"{self._exchange.endpoint}{path}", reply.headers.get("location", ""))
            reply = self._exchange.ask(ApiRequest(method="GET", **self._typed.named(location)))
        return good(reply)

    def pages(self, document_id: str) -> PagesResponse:
        """The pages of a PDF or picture with their sizes, in their order."""
        return self._typed.read(PagesResponse, "GET", f"{_document(document_id)}/pages")

    def page_image(self, document_id: str, page: int, *, width: int | None = None) -> bytes:
        """A PNG of a page of a PDF or picture, `width` pixels wide. Pages are counted from 1."""
        parameters = _given({"width": str(width) if width is not None else None})
        return self._typed.body("GET", f"{_document(document_id)}/pages/{page}", parameters=parameters)

    def page_marks(
        self, document_id: str, page: int, start: int, end: int, *, breaks: Sequence[int] = ()
    ) -> PageMarksResponse:
        """Where the characters from `start` up to `end` of the extracted text stand on a page: those of a result, of a
        citation or of a chunk. No rectangle goes on over one of the `breaks`, at most 300 places in the text."""
        joined = ",".join(map(str, breaks))
        parameters = {"from": str(start), "to": str(end), **_given({"breaks": joined or None})}
        path = f"{_document(document_id)}/pages/{page}/marks"
        return self._typed.read(PageMarksResponse, "GET", path, parameters=parameters)

    def events(self, after: str | None = None) -> Iterator[ChangesResponse]:
        """What changes, soon after it has. It has no end: leave the loop, or close the iterator.

        The first one has no documents: list them then. Do so again whenever `more` is true. `after` is the `next` of
        the last one that a program has seen before. If the server has no stream now, or no proxy lets one through, it
        is asked every two seconds. A token that is over is ApiError (401)."""
        return follow(after, self._exchange, self._typed)

    def close(self) -> None:
        """Close the connections. May be called twice."""
        self._exchange.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _check_secret(self) -> None:
        if not self._allow_plain_http:
            check_secret(self._exchange.endpoint)


def _document(document_id: str) -> str:
    if not document_id or document_id in (".", ".."):
        raise ValueError(f"document_id is {document_id!r}. Give the id of a document.")
    return f"/api/documents/{quote(document_id, safe='')}"


def _given(parameters: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if value is not None}
