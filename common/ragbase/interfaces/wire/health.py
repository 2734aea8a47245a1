"""The body of /healthz and /readyz."""

from __future__ import annotations

from typing import Literal

from ragbase.messages.json_model import JsonModel


class Health(JsonModel):
    status: Literal["ok"]
