"""The HTTP API: documents, uploads, queries, sign-in."""

import flask
import functions_framework
from flask import Request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.http.body_stream import BodyStream
from ragbase.interfaces.http.start import start

app = create_app(start(index="read"))


@functions_framework.http
def api(request: Request) -> Response:
    return _answer(request)


@functions_framework.errorhandler(404)  # type: ignore[untyped-decorator]  # the framework gives it no types
def unrouted(_: NotFound) -> Response:
    """The framework's route takes no path with a line break in it. The API has its own answer for those."""
    return _answer(flask.request)


def _answer(request: Request) -> Response:
    # After the answer, the framework reads the rest of the body. It has to read it from the same stream.
    environ = {**request.environ, "wsgi.input": BodyStream(request.stream)}
    return Response.from_app(app, environ, buffered=False)
