"""The HTTP API: queries."""

import functions_framework
from flask import Request
from werkzeug.wrappers import Response

from ragbase.interfaces.http.api import create_app
from ragbase.interfaces.http.start import start

app = create_app(start(index="read"))


@functions_framework.http
def api(request: Request) -> Response:
    # The framework reads what is left of the body when we have answered: it has to be through the same stream.
    environ = {**request.environ, "wsgi.input": request.stream}
    return Response.from_app(app, environ, buffered=True)
