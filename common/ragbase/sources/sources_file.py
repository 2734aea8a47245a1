"""The file that describes the scheduled sources: a table of TOML for each.

[handbook]
address = "s3://company-docs/handbook"
prefix = "handbook"
delete = true
every_minutes = 60
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragbase.domain.errors import ConfigurationError

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_A_YEAR = 366 * 24 * 60


@dataclass(frozen=True, slots=True)
class ScheduledSource:
    """A source that is synced again and again. `root` is the folder of the bucket for its documents, empty or with "/"
    at its end; None for the source's own. `delete` and `force` are those of a sync. A run begins `every` so often."""

    name: str
    address: str
    root: str | None = None
    delete: bool = False
    force: bool = False
    every: timedelta = timedelta(days=1)


def read_sources_file(text: str, file: str, *, schemes: Collection[str], folders: bool) -> Sequence[ScheduledSource]:
    """The sources in the order of the file. `schemes` are those of addresses ("s3"), and `folders` says whether a path
    of this machine is an address, too.

    Raises ConfigurationError for anything that is not exactly as it should be. It names `file`, the table, the key, the
    rule and the remedy.
    """
    import tomllib  # most functions never read such a file

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file}: this is no TOML: {error}. Correct the file.") from error
    sources = [_source(name, table, file, schemes, folders=folders) for name, table in tables.items()]
    places: dict[tuple[str, str | None], str] = {}
    for source in sources:
        first = places.setdefault((source.address.rstrip("/"), source.root), source.name)
        if first != source.name:
            raise ConfigurationError(
                f"{file}: [{source.name}]: it has the address and the prefix of [{first}]. Remove one of the two."
            )
    return sources


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    address: Annotated[str, Field(min_length=1)]
    prefix: str | None = None
    delete: bool = False
    force: bool = False
    every_minutes: Annotated[int, Field(ge=1, le=_A_YEAR)] = 24 * 60


def _source(name: str, table: object, file: str, schemes: Collection[str], *, folders: bool) -> ScheduledSource:
    where = f"{file}: [{name}]"
    if not isinstance(table, Mapping):
        raise ConfigurationError(f"{file}: {name} is outside of a table. Write it below the name of a source: [name].")
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{where}: the name of a source has 1 to 40 lower-case letters, digits and hyphens. Rename it."
        )
    try:
        read = _Table.model_validate(table)
    except ValidationError as error:
        raise ConfigurationError(f"{where}: {'; '.join(map(_problem, error.errors()))}. Correct it.") from error
    _check_address(read.address, where, schemes, folders=folders)
    root = None if read.prefix is None else f"{read.prefix.strip('/')}/".lstrip("/")
    return ScheduledSource(
        name=name,
        address=read.address,
        root=root,
        delete=read.delete,
        force=read.force,
        every=timedelta(minutes=read.every_minutes),
    )


def _problem(error: Mapping[str, object]) -> str:
    place = error["loc"]
    key = ".".join(map(str, place)) if isinstance(place, tuple) else str(place)
    if error["type"] == "extra_forbidden":
        return f"there is no key {key}; the keys are {', '.join(_Table.model_fields)}"
    if error["type"] == "missing":
        return f"{key} is missing"
    return f"{key} = {error['input']!r}: {error['msg']}"


def _check_address(address: str, where: str, schemes: Collection[str], *, folders: bool) -> None:
    scheme, separator, _ = address.partition("://")
    if scheme.lower() in schemes if separator else folders:
        return
    kinds = ", ".join(f"{known}://" for known in schemes)
    rule = "is no address that can be read here" if separator else "is a folder, which only the profile embedded reads"
    raise ConfigurationError(f"{where}: address = {address!r} {rule}. Write one of {kinds}.")
