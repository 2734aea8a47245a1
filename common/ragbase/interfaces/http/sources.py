"""A call of the scheduler: 200 with what was done, or 503 or 500 after an error. The next call goes on from there."""

from __future__ import annotations

import logging
from datetime import timedelta

from flask import Response

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.bootstrap.sources import scheduled_sources
from ragbase.domain.errors import TransientError
from ragbase.engine.run_sources import into_bucket, run_sources
from ragbase.interfaces.http.errors import error_response, internal_error
from ragbase.interfaces.wire.sources import run_report

WORK = timedelta(minutes=25)
"""How long a call compares and uploads. The function is stopped after 30 minutes: 5 are left for the entry at work."""


def answer_sources(profile: Profile) -> Response:
    """A source that fails has its error in its state and in the log (source.failed), and the answer is still 200: the
    scheduler could only call again, which it does anyway."""
    try:
        end = profile.clock.now() + WORK
        runs = list(run_sources(scheduled_sources(profile), profile, syncing=into_bucket(profile), end=end))
        report = run_report(runs, profile.clock.now())
    except TransientError as error:
        telemetry.log("sources.postponed", level=logging.WARNING, reason=str(error))
        return error_response(503, "UNAVAILABLE", str(error))
    except Exception as error:  # noqa: BLE001 - answered with 500, and logged with its traceback
        return internal_error("sources.failed", error)
    return Response(report.to_json(), mimetype="application/json")
