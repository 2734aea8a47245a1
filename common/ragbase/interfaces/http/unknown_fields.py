"""What to say of a field or parameter that a request has and nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel

_LONGEST = 60
"""Characters of a name that are shown and compared. No name of ours is as long."""
_SHOWN = 5


def unknown_field(model: type[BaseModel], place: Sequence[int | str]) -> str:
    """A sentence about the field at this place of a message. It names what could stand there instead."""
    *above, name = place
    for step in above:
        if isinstance(step, str):
            model = _model_of(model, step)
    known = [field.alias or python for python, field in model.model_fields.items()]
    shown, said = _shown(name), ".".join(map(str, above))
    near = _near(shown, known)
    meant = f" Did you mean `{near}`?" if near else ""
    taker = f"`{said}` takes" if said else "The request takes"
    return f"`{'.'.join([*map(str, above), shown])}` is unknown.{meant} {taker} {', '.join(known)}."


def no_fields(taker: str, names: Iterable[str], kind: str) -> str:
    """A sentence about fields where none can stand."""
    shown = [f"`{_shown(name)}`" for name in names]
    return f"{taker} takes no {kind}, but there is {_listed(shown)}. Leave it out."


def _listed(shown: Sequence[str]) -> str:
    more = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _shown(name: object) -> str:
    text = str(name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _near(name: str, known: Sequence[str]) -> str | None:
    import difflib  # nothing else of a request needs it

    by_case = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower().replace("_", ""), by_case, n=1)
    return by_case[near[0]] if near else None


def _model_of(model: type[BaseModel], name: str) -> type[BaseModel]:
    """The model of what stands in this field, or in each item of it."""
    (field,) = (field for python, field in model.model_fields.items() if name in (field.alias, python))
    return next(_models_in(field.annotation))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)
