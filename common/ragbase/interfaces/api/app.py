"""The HTTP API as a Flask application. The `api` function and `ragbase serve` use it.

Most cold starts of the function answer a query. So what only other routes need is imported inside of their handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.wrappers import Response

from ragbase.domain.errors import NewerFormat, QuestionRefused, TransientError
from ragbase.interfaces.api.answers import answers
from ragbase.interfaces.api.ask_element import ask_element
from ragbase.interfaces.api.audit import name_callers, record_requests
from ragbase.interfaces.api.body_limits import FORM_TOO_LARGE, MAX_FORM_FIELD, MAX_FORM_PARTS, body_limit
from ragbase.interfaces.api.callbacks import callbacks
from ragbase.interfaces.api.console import console
from ragbase.interfaces.api.contents import contents
from ragbase.interfaces.api.dead_letters import dead_letters
from ragbase.interfaces.api.docs import docs
from ragbase.interfaces.api.documents import documents
from ragbase.interfaces.api.evaluations import evaluations
from ragbase.interfaces.api.events import events
from ragbase.interfaces.api.explanations import explanations
from ragbase.interfaces.api.extractions import extractions
from ragbase.interfaces.api.foreign_errors import shape_errors
from ragbase.interfaces.api.golden_questions import golden_questions
from ragbase.interfaces.api.guard import guard
from ragbase.interfaces.api.health import health
from ragbase.interfaces.api.keys import keys
from ragbase.interfaces.api.mcp import mcp
from ragbase.interfaces.api.operating import operating
from ragbase.interfaces.api.pages import pages
from ragbase.interfaces.api.queries import queries
from ragbase.interfaces.api.question import question_refused
from ragbase.interfaces.api.retrieval import retrieval
from ragbase.interfaces.api.route import refuse_unread
from ragbase.interfaces.api.sent_files import sent_files
from ragbase.interfaces.api.session import session
from ragbase.interfaces.api.sign_in import sign_in
from ragbase.interfaces.api.uploads import uploads
from ragbase.interfaces.api.vector_stores import vector_stores
from ragbase.interfaces.http.answer_headers import protect_answers
from ragbase.interfaces.http.body_limit import BodyLimit
from ragbase.interfaces.http.errors import (
    Refused,
    error_response,
    internal_error,
    outdated,
    unavailable,
    unavailable_response,
)
from ragbase.interfaces.http.first_look import HOLDER
from ragbase.interfaces.http.origins import allow_origins, origins_of
from ragbase.interfaces.http.proxies import warn_of_proxies
from ragbase.interfaces.http.request_ids import name_requests
from ragbase.interfaces.http.streams import Streams
from ragbase.interfaces.http.transfer import shorten_answers

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.settings import Config


_STREAMS = "ragbase.streams"


def create_app(profile: Profile) -> Flask:
    app = Flask("ragbase", static_folder=None)
    app.url_map.merge_slashes = False  # a redirection would lead to the Host that the request names
    app.config["MAX_FORM_PARTS"] = MAX_FORM_PARTS
    app.config["MAX_FORM_MEMORY_SIZE"] = MAX_FORM_FIELD
    name_requests(app)
    protect_answers(app)
    _warn_of_proxies(app, profile.config)
    has_key = profile.access.keys.page_origins.have
    allow_origins(app, origins_of(profile.config.cors_origins), has_key, public_url=profile.config.public_url)
    shape_errors(app)
    record_requests(app, profile)
    access = guard(app, profile)
    name_callers(app)
    app.before_request(_limit_body)
    app.before_request(refuse_unread)
    app.register_blueprint(sign_in(access, trusted_proxies=profile.config.trusted_proxies))
    app.register_blueprint(session(access, profile.config))
    for blueprint_of in (uploads, sent_files):
        app.register_blueprint(blueprint_of(profile, access))
    about_documents = (documents, contents, pages, callbacks, extractions)
    of_operator = (operating, dead_letters, keys, evaluations)
    of_questions = (queries, answers, explanations, golden_questions)
    of_others = (vector_stores, retrieval, mcp)
    for blueprint in (*of_questions, *about_documents, *of_operator, *of_others, health):
        app.register_blueprint(blueprint(profile))
    streams = app.extensions[_STREAMS] = Streams()
    app.register_blueprint(events(profile, streams))
    app.register_blueprint(docs(access, public_url=profile.config.public_url))
    app.register_blueprint(console(profile))
    app.register_blueprint(ask_element())
    shorten_answers(app)
    app.register_error_handler(Refused, Refused.answer)
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(QuestionRefused, _question_refused)
    app.register_error_handler(TransientError, _unavailable)
    app.register_error_handler(NewerFormat, outdated)
    app.register_error_handler(Exception, _failed)
    return app


def streams_of(app: Flask) -> Streams:
    """What the server ends when it stops."""
    streams: Streams = app.extensions[_STREAMS]
    return streams


def _warn_of_proxies(app: Flask, config: Config) -> None:
    # In the profile gcp, the bucket gives the addresses of uploads.
    wants_public_url = config.profile == "embedded" and not config.public_url
    warn_of_proxies(app, trusted_proxies=config.trusted_proxies, wants_public_url=wants_public_url)


def _body_limit() -> BodyLimit:
    return body_limit(request.method, request.path).of(request.environ.get(HOLDER))


def _limit_body() -> None:
    request.max_content_length = _body_limit().most


def _refused(error: HTTPException) -> Response:
    """Flask's own errors (404, 405, 413, …), with their headers and our body."""
    if isinstance(error, RequestEntityTooLarge):
        limit = _body_limit()
        # Flask says the same of a form within the limit that has too many fields, or too long ones.
        is_longer = request.content_length is None or request.content_length > limit.most
        return (limit.refusal if is_longer else FORM_TOO_LARGE).answer()
    response = error.get_response()
    code = error.name.upper().replace(" ", "_")
    answer = error_response(response.status_code, code, error.description or error.name)
    answer.headers.extend(
        {name: value for name, value in response.headers.items() if name not in ("Content-Type", "Content-Length")}
    )
    return answer


def _unavailable(error: TransientError) -> Response:
    return unavailable_response(unavailable(error))


def _question_refused(error: QuestionRefused) -> Response:
    body = question_refused(error)
    return error_response(400, body.error, body.message)


def _failed(error: Exception) -> Response:
    return internal_error("api.failed", error)
