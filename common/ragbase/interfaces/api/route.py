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
_ROUTES = "ragbase.operations"


def operation(id: str) -> Operation:
    return _BY_ID[id]


def route(blueprint: Blueprint, *operations: Operation) -> Callable[[View], View]:
    """The view below answers these operations."""

    def answered_by(view: View) -> View:
        for one in operations:
            blueprint.route(one.rule, methods=[one.method])(view)  # type: ignore[type-var]  # Flask's own names for views

        def remember(state: BlueprintSetupState) -> None:
            state.app.extensions.setdefault(_ROUTES, {}).update({(one.method, one.rule): one for one in operations})

        blueprint.record(remember)
        return view

    return answered_by


def operation_of(app: Flask, rule: Rule, method: str) -> Operation:
    """The operation that a route answers. Raises KeyError for a route without one: nobody could say who may call it."""
    found: Operation = app.extensions[_ROUTES]["GET" if method == "HEAD" else method, rule.rule]
    return found
