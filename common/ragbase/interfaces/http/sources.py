"""A call of the scheduler: 200 with the sources that got a slice, or 503 or 500 after an error. The next call goes on
from there. A source that failed is no error of the call: its state and the log say why."""

from __future__ import annotations

import logging
from datetime import timedelta

from flask import Response

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.engine.due_sources import work_on_due_sources
from ragbase.interfaces.http.errors import error_response, internal_error
from ragbase.interfaces.wire.sources import source_list
from ragbase.sources.source_leases import log_failure

SLICES = timedelta(minutes=24)
"""For the slices of one call. The function's timeout is five minutes longer (terraform/functions.tf), for the uploads
that have begun."""


def answer_sources(profile: Profile) -> Response:
    try:
        worked = work_on_due_sources(profile, until=profile.clock.now() + SLICES)
        report = source_list(worked, profile)
    except TransientError as error:
        telemetry.log("sources.postponed", level=logging.WARNING, reason=str(error))
        return error_response(503, "UNAVAILABLE", str(error))
    except ConfigurationError as error:
        log_failure("", str(error))
        return error_response(500, "CONFIGURATION", str(error))
    except Exception as error:  # noqa: BLE001 - answered with 500, and logged with its traceback
        return internal_error("sources.failed", error)
    return Response(report.to_json(), mimetype="application/json")
