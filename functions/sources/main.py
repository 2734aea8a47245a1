"""The sources: a scheduler calls it to bring the bucket in step with folders, buckets and websites elsewhere."""

import functions_framework
from flask import Request, Response

from ragbase.interfaces.http.sources import answer_sources
from ragbase.interfaces.http.start import start

profile = start()


@functions_framework.http
def sources(_: Request) -> Response:
    return answer_sources(profile)
