"""The body and the parameters of a request, read with their models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from flask import request
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.unknown_fields import unknown_field
from ragbase.messages.json_model import JsonModel

_SHOWN = 10
"""The most faults of one request that its answer names."""

Model = TypeVar("Model", bound=JsonModel)


def json_body(model: type[Model], *, example: str) -> Model:
    """The body as JSON. Raises Refused (400, 415). `example` says what to send if the whole body is wrong."""
    if not request.is_json:
        raise not_declared_as_json()
    data = request.get_data()
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        is_json = error.errors()[0]["type"] != "json_invalid"
        whole = f"Send a JSON object such as {example}."
        raise _invalid_request(model, error, from_json(data) if is_json else None, whole=whole) from None


def not_declared_as_json() -> Refused:
    return Refused(
        415, "UNSUPPORTED_MEDIA_TYPE", "The body is not declared as JSON. Send it with Content-Type: application/json."
    )


def parameters(model: type[Model]) -> Model:
    """The parameters of the address. Raises Refused (400), also for one that is given twice."""
    return texts(model, dict(request.args.lists()))


def texts(model: type[Model], given: Mapping[str, list[str]]) -> Model:
    """Fields that come as texts. Raises Refused (400), also for one that is given twice."""
    known = {field.alias for field in model.model_fields.values()}
    for name, values in given.items():
        if name in known and len(values) > 1:
            raise Refused(400, "INVALID_REQUEST", f"`{name}` is given {len(values)} times. Give it once.")
    first = {name: values[0] for name, values in given.items()}
    try:
        return model.model_validate(first)
    except ValidationError as error:
        raise _invalid_request(model, error, first) from None


def _invalid_request(model: type[BaseModel], error: ValidationError, given: Any, *, whole: str = "") -> Refused:
    """400, with each wrong field, the rule that it breaks and what to send instead. `whole` says what to send if the
    whole body is wrong."""
    wanted = {field.alias: field.description for field in model.model_fields.values()}
    lines = []
    for problem in error.errors():
        if problem["type"] == "extra_forbidden":
            lines.append(unknown_field(model, problem["loc"]))
        elif problem["loc"]:
            place = _place(problem["loc"], given, is_missing=problem["type"] == "missing")
            said = problem["msg"] if place == problem["loc"] else "Input has none of the forms that it may have"
            lines.append(f"`{'.'.join(map(str, place))}`: {said}. Send {wanted[str(problem['loc'][0])]}.")
        else:
            lines.append(f"{problem['msg']}. {whole}")
    different = [*dict.fromkeys(lines)]
    if len(different) > _SHOWN:
        different[_SHOWN:] = [f"{len(different) - _SHOWN} more are wrong."]
    return Refused(400, "INVALID_REQUEST", " ".join(different))


def _place(place: Sequence[int | str], given: Any, *, is_missing: bool) -> Sequence[int | str]:
    """The place of a fault up to where what is given may have several forms. There, pydantic goes on with its own name
    of a form (https://docs.pydantic.dev/latest/errors/errors/)."""
    for depth, step in enumerate(place):
        if isinstance(given, dict) and (step in given or (is_missing and depth == len(place) - 1)):
            given = given.get(step)
        elif isinstance(given, list) and isinstance(step, int):
            given = given[step]
        else:
            return place[:depth]
    return place
