"""A view answers an operation: its method and path come from the table, and the guard finds it again there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flask import Blueprint, Flask
from flask.blueprints import BlueprintSetupState
from werkzeug.routing import Rule

from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.operations import OPERATIONS

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
            blueprint.route(one.rule, methods=[one.method])(view)  # type: ignore[type-var]  # Flask's own names for views

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
