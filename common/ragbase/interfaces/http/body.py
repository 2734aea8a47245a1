"""The body and the parameters of a request, read with their models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from flask import request
from pydantic import BaseModel, ValidationError

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
    try:
        return model.model_validate_json(request.get_data())
    except ValidationError as error:
        raise invalid_request(model, error, whole=f"Send a JSON object such as {example}.") from None


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
    try:
        return model.model_validate({name: values[0] for name, values in given.items()})
    except ValidationError as error:
        raise invalid_request(model, error) from None


def invalid_request(model: type[BaseModel], error: ValidationError, *, whole: str = "") -> Refused:
    """400, with each wrong field, the rule that it breaks and what to send instead. `whole` says what to send if the
    whole body is wrong."""
    wanted = {field.alias: field.description for field in model.model_fields.values()}
    lines = []
    problems = error.errors()
    for problem in problems[:_SHOWN]:
        if problem["type"] == "extra_forbidden":
            lines.append(unknown_field(model, problem["loc"]))
        elif problem["loc"]:
            field = str(problem["loc"][0])
            place = ".".join(map(str, problem["loc"]))
            lines.append(f"`{place}`: {problem['msg']}. Send {wanted[field]}.")
        else:
            lines.append(f"{problem['msg']}. {whole}")
    if len(problems) > _SHOWN:
        lines.append(f"{len(problems) - _SHOWN} more are wrong.")
    return Refused(400, "INVALID_REQUEST", " ".join(lines))
