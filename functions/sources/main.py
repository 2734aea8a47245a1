"""The scheduled sources: a scheduler calls it, and it syncs what is due for as long as it has time."""

import functions_framework
from flask import Request, Response

from ragbase.interfaces.http.sources import answer_sources
from ragbase.interfaces.http.start import start

profile = start()


@functions_framework.http
def sources(_: Request) -> Response:
    return answer_sources(profile)
