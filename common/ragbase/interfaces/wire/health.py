"""The bodies of /healthz, /readyz and /api/health."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ragbase.domain.server_paths import without_server_paths
from ragbase.messages.api.health import Check, Checks
from ragbase.messages.json_model import JsonModel


class Health(JsonModel):
    status: Literal["ok"]


def checks_response(checks: Iterable[Check]) -> Checks:
    """As a caller of the API may see them: without a place on the server's disk."""
    return Checks.of(tuple(_told(check) for check in checks))


def _told(check: Check) -> Check:
    remedy = without_server_paths(check.remedy) if check.remedy is not None else None
    return check.model_copy(update={"found": without_server_paths(check.found), "remedy": remedy})
