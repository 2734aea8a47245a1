"""The settings in force, and where each value comes from.

A setting comes from its default; `ragbase.toml` in the data folder; the environment variable RAGBASE_<NAME>, or the one
that the vendor's own tools use; an argument of the call. If several are given, the last in this list wins. The origin
of each value is kept, so that `ragbase config` can show it.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragbase.domain.errors import ConfigurationError
from ragbase.settings import (
    CLOUD_DEFAULTS,
    COHERE_CHAT_MODEL,
    FORMER_NAMES,
    JINA_MODEL,
    PREFIX,
    TOKEN_CHUNKS,
    VERTEX_MODEL,
    Config,
    data_folder,
    own_variable,
    variable_of,
)

FILE_NAME = "ragbase.toml"
_OTHER_VARIABLES = frozenset({"RAGBASE_ENDPOINT", "RAGBASE_KEY", "RAGBASE_ADD_EXTRA"})
"""The deployment that commands ask over HTTP, the key for it (interfaces/cli/session.py), and what brings extras
(extras.py)."""
_ALL_SETTINGS = "`ragbase config` lists the settings."


def load_config(
    *, home: str | os.PathLike[str] | None = None, environment: Mapping[str, str] = os.environ, **arguments: Any
) -> Config:
    """The settings in force. `home` and other settings given here win over all other sources.

    Raises ConfigurationError for an unknown setting or a value out of bounds. It names the setting and its origin.
    """
    _check_names(environment)
    if home is not None and not os.fspath(home):
        raise ConfigurationError("The data folder's name is empty. Name a folder, or leave it out for the default.")
    given = _by_present_names({name: value for name, value in {"home": home, **arguments}.items() if value is not None})
    from_environment = _from_environment(environment)
    folder = _expanded(Path(given.get("home") or from_environment.get("home") or data_folder()))
    file = folder / FILE_NAME
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, settings in (
        (str(file), _by_present_names(_from_file(file))),
        ("environment", from_environment),
        ("argument", given),
    ):
        for name, value in settings.items():
            values[name] = value
            origins[name] = _variable_given(name, environment) if origin == "environment" else origin
    values["home"] = folder.absolute()
    for origin, defaults in _defaults_with(values):
        for name in defaults.keys() - values.keys():
            values[name], origins[name] = defaults[name], origin
    try:
        return Config.from_origins(values, origins)
    except ValidationError as error:
        raise ConfigurationError(_explain(error, origins)) from error


def _defaults_with(values: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The defaults that other settings bring, and what they are called. `values` has those of the ones before."""
    if values.get("profile") == "gcp":
        yield "default of the profile gcp", CLOUD_DEFAULTS
        if values.get("cohere_api_key"):
            yield "default of the profile gcp with a key for Cohere", {"generator": "cohere"}
    if values.get("generator") == "cohere":
        yield "default of the generator cohere", {"chat_model": COHERE_CHAT_MODEL}
    if values.get("reranker") == "jina":
        yield "default of the reranker jina", JINA_MODEL
    if values.get("embedder") == "vertex" and "embedding_model" not in values:
        yield "default with Vertex AI", VERTEX_MODEL
    if values.get("chunk_unit") == "tokens":
        yield "default of chunks of tokens", TOKEN_CHUNKS


def _check_names(environment: Mapping[str, str]) -> None:
    """Raises ConfigurationError for a variable that begins as ours do and sets nothing: it may be misspelt."""
    known = {own_variable(name) for name in Config.model_fields}
    others = _OTHER_VARIABLES | {own_variable(name) for name in FORMER_NAMES.values()}
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known | others:
            import difflib  # nothing else needs it

            near = difflib.get_close_matches(name, known, n=1)
            remedy = f"Did you mean {near[0]}?" if near else _ALL_SETTINGS
            raise ConfigurationError(f"The environment variable {name} sets nothing. {remedy} Correct it or unset it.")


def _by_present_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A setting that is given by both of its names has the value of the present one."""
    former = {name: settings[old] for name, old in FORMER_NAMES.items() if old in settings}
    return former | {name: value for name, value in settings.items() if name not in FORMER_NAMES.values()}


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    names = {name: _variable_given(name, environment) for name in Config.model_fields}
    return {name: environment[variable] for name, variable in names.items() if environment.get(variable)}


def _variable_given(setting: str, environment: Mapping[str, str]) -> str:
    """RAGBASE_<NAME> wins over the vendor's, and over the one of a former name."""
    own = own_variable(setting)
    former = own_variable(FORMER_NAMES.get(setting, setting))
    return next((variable for variable in (own, former) if environment.get(variable)), variable_of(setting))


def _expanded(folder: Path) -> Path:
    """The folder, with `~` replaced. Raises ConfigurationError if it names an unknown user."""
    try:
        return folder.expanduser()
    except RuntimeError as error:
        raise ConfigurationError(f"{folder}: there is no such user. Name another data folder.") from error


def _from_file(file: Path) -> dict[str, Any]:
    try:
        text = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be read: {error.strerror}. Correct that, or choose another data folder with --home or "
            f"{PREFIX}HOME."
        ) from error
    import tomllib  # deployed functions have no such file: this does not slow their cold start

    try:
        settings = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: {error}. Correct the file, or remove it to use the defaults.") from error
    if "home" in settings:
        raise ConfigurationError(f"{file}: `home` cannot be set inside the data folder; use --home or {PREFIX}HOME.")
    return settings


def _explain(error: ValidationError, origins: Mapping[str, str]) -> str:
    lines = []
    for problem in error.errors():
        name = str(problem["loc"][0])
        if name not in Config.model_fields:
            import difflib  # nothing else needs it

            near = difflib.get_close_matches(name, Config.model_fields, n=3)
            remedy = f"Did you mean {' or '.join(f'`{one}`' for one in near)}?" if near else _ALL_SETTINGS
            lines.append(f"There is no setting `{name}` ({origins.get(name, 'argument')}). {remedy}")
        else:
            lines.append(f"{name} = {problem['input']!r} ({origins.get(name, 'default')}): {problem['msg']}.")
    return "\n".join(lines)
