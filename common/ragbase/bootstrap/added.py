"""Make what another package adds (docs/extend.md)."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ragbase.domain.errors import ConfigurationError, RagbaseError
from ragbase.plugins import package_of

if TYPE_CHECKING:
    from ragbase.plugins import PluginKind
    from ragbase.settings import Config


def open_added(kind: PluginKind, name: str, config: Config, opened: ExitStack) -> Any:
    """What the package makes with these settings. If it has a `close`, that is called at the end of `opened`.

    Raises ConfigurationError if it cannot be imported or made.
    """
    made = made_by(kind, name, config)
    close = getattr(made, "close", None)
    if close is not None:
        opened.callback(close)
    return made


def made_by(kind: PluginKind, name: str, *arguments: Any) -> Any:
    """What the entry point of this name makes of the arguments. Raises as `open_added`."""
    make = kind.load(name)
    try:
        return make(*arguments)
    except RagbaseError:
        raise
    except Exception as error:  # a package may raise anything
        raise ConfigurationError(
            f"The {kind.what} {name} of the package {package_of(kind.added()[name])} cannot be made: "
            f"{type(error).__name__}: {error}. Give it what it needs, or choose another {kind.what}."
        ) from error
