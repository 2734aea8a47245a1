"""A view answers an operation: its method and path come from the table, and the guard finds it again there. What a
request sends and its operation does not read is refused: the sender means something by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flask import Blueprint, Flask, current_app, request
from flask.blueprints import BlueprintSetupState
from werkzeug.routing import Rule

from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.unknown_fields import no_fields

View = TypeVar("View", bound=Callable[..., object])

_BY_ID = {one.id: one for one in OPERATIONS}
_ROUTES, _LOOKS = "ragbase.operations", "ragbase.looks"


def operation(id: str) -> Operation:
    return _BY_ID[id]


def route(
    blueprint: Blueprint, *operations: Operation, look: Callable[..., object] | None = None
) -> Callable[[View], View]:
    """The view below answers these operations. `look` refuses, by the headers and the view's arguments alone, what the
    view would refuse, too: a server that asks it first need not take the body."""

    def answered_by(view: View) -> View:
        for one in operations:
            # An empty path shows what / does: a redirection would lead to the Host that the request names.
            add = blueprint.route(one.rule, methods=[one.method], strict_slashes=one.rule != "/")
            add(view)  # type: ignore[type-var]  # Flask's own names for views

        def remember(state: BlueprintSetupState) -> None:
            state.app.extensions.setdefault(_ROUTES, {}).update({(one.method, one.rule): one for one in operations})
            state.app.extensions.setdefault(_LOOKS, {}).update({(one.method, one.rule): look for one in operations})

        blueprint.record(remember)
        return view

    return answered_by


def operation_of(app: Flask, rule: Rule, method: str) -> Operation:
    """The operation that a route answers. Raises KeyError for a route without one: nobody could say who may call it."""
    found: Operation = app.extensions[_ROUTES]["GET" if method == "HEAD" else method, rule.rule]
    return found


def look_of(app: Flask, rule: Rule | None, method: str) -> Callable[..., object] | None:
    """The look of a route; None if it has none, and for what is no route of ours (OPTIONS)."""
    found: Callable[..., object] | None = app.extensions[_LOOKS].get((method, rule.rule if rule is not None else ""))
    return found


_NOTHING = (b"", b"{}")
"""Bodies that say nothing. Some clients send an empty object with every POST."""


def refuse_unread() -> None:
    """A before_request: parameters of an operation that has none, and the body of one that has none. The models of the
    others know their fields. Raises Refused (400).

    What anybody may GET takes any parameters: monitors and links to pages add their own.
    """
    if request.url_rule is None or request.method == "OPTIONS":
        return
    asked = operation_of(current_app, request.url_rule, request.method)
    if not asked.needs_caller and asked.method == "GET":
        return
    where = f"{asked.method} {asked.path}"
    if asked.parameters is None and request.args:
        raise Refused(400, "INVALID_REQUEST", no_fields(where, request.args, "parameter of the address"))
    if asked.takes_no_body and request.get_data().strip() not in _NOTHING:
        raise Refused(400, "INVALID_REQUEST", f"{where} reads no body, but there is one. Leave it out.")
