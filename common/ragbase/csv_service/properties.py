"""The settings of the CSV service: `rag:` in application.yml (docs/contracts/csv-service.md, section 4)."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ragbase.domain.errors import ConfigurationError
from ragbase.formats.guess_encoding import TCVN3

FILE_NAME = "application.yml"
PREFIX = "RAG_"
SECTIONS = ("csv", "vectorstore")
"""The contract also has `embedding`, without any property. What embeds is a setting of ragbase."""


class CsvProperties(BaseModel):
    """Where the CSV file is, and how to read it. What is None is detected."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[str, Field(min_length=1)] = "classpath:data/knowledge.csv"
    delimiter: str | None = None
    encoding: str | None = None

    @field_validator("delimiter")
    @classmethod
    def _one_character(cls, delimiter: str | None) -> str | None:
        """A tab may be written as \\t: an environment variable cannot easily hold one."""
        delimiter = "\t" if delimiter == r"\t" else delimiter
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise ValueError("the delimiter must be one character, such as ; or \\t")
        return delimiter

    @field_validator("encoding")
    @classmethod
    def _known(cls, encoding: str | None) -> str | None:
        if encoding is None or encoding.lower() == TCVN3:
            return encoding and TCVN3
        try:
            name = codecs.lookup(encoding).name
            b"".decode(name)
        except LookupError:
            raise ValueError("this encoding is not known; name one such as utf-8 or cp1252") from None
        return name


class VectorStoreProperties(BaseModel):
    """How many results a search gives by default, and the lowest score of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    top_k: Annotated[int, Field(ge=1)] = 5
    similarity_threshold: Annotated[float, Field(ge=0, le=1)] = 0.7


class RagProperties(BaseModel):
    """All settings of the CSV service."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    csv: CsvProperties = CsvProperties()
    vectorstore: VectorStoreProperties = VectorStoreProperties()

    @classmethod
    def load(
        cls, file: str | os.PathLike[str] | None = None, *, environment: Mapping[str, str] = os.environ
    ) -> RagProperties:
        """The settings of a YAML file (application.yml in the working folder, if there is one and none is named), and
        of environment variables such as RAG_CSV_PATH, which win.

        Names may be written as in Spring: `top-k`, `topK` or `top_k`. Other parts of the file are not read. Raises
        ConfigurationError for a file that cannot be read, an unknown setting and a wrong value.
        """
        origin = str(file) if file is not None else FILE_NAME
        values = _of_file(Path(origin), must_exist=file is not None)
        for section, settings in _of_environment(environment).items():
            values[section] = {**values.get(section, {}), **settings}
        try:
            return cls(**values)
        except ValidationError as error:
            raise ConfigurationError(f"{origin} or environment: {_explained(error)}") from error


def _of_file(file: Path, *, must_exist: bool) -> dict[str, Any]:
    import yaml

    if not must_exist and not file.exists():
        return {}
    try:
        content = yaml.safe_load(file.read_bytes())
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be read: {error.strerror}. Name the file with `rag:` in it."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} is not YAML: {error}. Correct the file.") from error
    rag = _mapping(_mapping(content, file, "the file").get("rag"), file, "rag")
    if rag.pop("embedding", None):
        raise ConfigurationError(
            f"{file}: rag.embedding has no settings. What embeds is a setting of ragbase, such as RAGBASE_EMBEDDER."
        )
    return {name: _mapping(value, file, f"rag.{name}") for name, value in rag.items()}


def _mapping(value: object, file: Path, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigurationError(f"{file}: {name} must hold settings by name, such as `path: data/knowledge.csv`.")
    return {_snake_case(str(key)): one for key, one in value.items()}


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).replace("-", "_").lower()


def _of_environment(environment: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """By section. Spring leaves out the hyphens of a name, so that RAG_VECTORSTORE_TOPK means the same as ..._TOP_K."""
    known = {
        _bare(f"{PREFIX}{section}_{name}"): (section, name)
        for section in SECTIONS
        for name in type(getattr(RagProperties(), section)).model_fields
    }
    found: dict[str, dict[str, str]] = {}
    for variable in sorted(environment):
        if variable.startswith(tuple(f"{PREFIX}{section.upper()}_" for section in SECTIONS)):
            if _bare(variable) not in known:
                raise ConfigurationError(f"The environment variable {variable} sets nothing. Correct it or unset it.")
            section, name = known[_bare(variable)]
            found.setdefault(section, {})[name] = environment[variable]
    return found


def _bare(variable: str) -> str:
    return variable.replace("_", "").upper()


def _explained(error: ValidationError) -> str:
    problems = (
        f"rag.{'.'.join(map(str, problem['loc']))} = {problem['input']!r}: {problem['msg']}"
        for problem in error.errors()
    )
    return "; ".join(problems) + "."
