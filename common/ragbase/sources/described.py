"""The file that describes the sources which are synced on a schedule."""

from __future__ import annotations

import tomllib
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ragbase.domain.errors import ConfigurationError

FILE_NAME = "sources.toml"
MAX_SOURCES = 1_000

_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]


class DescribedSource(BaseModel):
    """One `[[source]]` of the file. `name` is what people and records call it. `every` is in hours: how long after the
    begin of a round the next one begins."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: _Name
    address: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    prefix: str | None = None
    delete: bool = False
    every: Annotated[float, Field(gt=0, le=24 * 366, strict=False)] = 24

    @property
    def root(self) -> str | None:
        """The folder of the bucket for its documents; None for the source's own."""
        return None if self.prefix is None else f"{self.prefix.strip('/')}/".lstrip("/")


def described_sources(text: str, file: str) -> tuple[DescribedSource, ...]:
    """The sources of a file with this text. `file` names it in messages.

    Raises ConfigurationError with the file, the source, the rule and the remedy.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file}: {error}. Correct the file (docs/sources.md shows one).") from error
    entries = found.pop("source", [])
    if found or not isinstance(entries, list) or len(entries) > MAX_SOURCES:
        raise ConfigurationError(
            f"{file}: it may hold only entries that begin with [[source]], at most {MAX_SOURCES:,}. "
            f"{_found(found)}Correct the file (docs/sources.md shows one)."
        )
    sources: dict[str, DescribedSource] = {}
    for number, entry in enumerate(entries, start=1):
        source = _source(entry, f"{file}: source {number}")
        if source.name in sources:
            raise ConfigurationError(f"{file}: two sources are called {source.name!r}. Give each a name of its own.")
        sources[source.name] = source
    return tuple(sources.values())


def _source(entry: object, place: str) -> DescribedSource:
    try:
        return DescribedSource.model_validate(entry)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'the entry'}: {problem['msg'].lower()}"
            for problem in error.errors()
        )
        raise ConfigurationError(
            f"{place}: {problems}. A source has a name (small letters, digits, - and _), an address and, if you like, "
            "prefix, delete (true or false) and every (hours)."
        ) from error


def _found(others: dict[str, object]) -> str:
    return f"Found: {', '.join(sorted(others))}. " if others else ""
