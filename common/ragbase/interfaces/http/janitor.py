"""A call of the scheduler: 200 with the report, or 503 or 500 after an error. The next call goes on from there."""

from __future__ import annotations

import logging

from flask import Response

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import TransientError
from ragbase.interfaces.http.errors import error_response, internal_error
from ragbase.interfaces.wire.reconciliation import reconciliation
from ragbase.upkeep.export_audit import export_audit
from ragbase.upkeep.janitor import janitor
from ragbase.upkeep.reconcile.last_report import keep_report


def answer_janitor(profile: Profile) -> Response:
    try:
        report = reconciliation(janitor(profile, profile.open_index()))
        keep_report(report, profile.checkpoints, now=profile.clock.now(), goes_on=True)
        if profile.audit_exports is not None:
            export_audit(profile.audit_log, profile.audit_exports, profile.checkpoints, profile.clock)
    except TransientError as error:
        telemetry.log("janitor.postponed", level=logging.WARNING, reason=str(error))
        return error_response(503, "UNAVAILABLE", str(error))
    except Exception as error:  # noqa: BLE001 - answered with 500, and logged with its traceback
        return internal_error("janitor.failed", error)
    return Response(report.to_json(), mimetype="application/json")
