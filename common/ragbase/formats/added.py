"""A format that another package adds by an entry point (docs/extend.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError
from ragbase.plugins import package_of

if TYPE_CHECKING:
    from ragbase.formats.format import Format
    from ragbase.formats.reader import Reader
    from ragbase.plugins import PluginKind


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedFormat:
    """What its entry point refers to. The name of the entry point is that of the format. Import what reads it when it
    is first used: who routes files needs its names and its lane only."""

    format: Format
    reader: Reader


def load_added(kind: PluginKind, ours: Mapping[str, Format]) -> Mapping[str, AddedFormat]:
    """The formats that other packages add, by name. Raises ConfigurationError for one that is none, or that takes the
    name, an extension or a content type of another."""
    added: dict[str, AddedFormat] = {}
    taken = {name: "ragbase" for format in ours.values() for name in (*format.extensions, *format.content_types)}
    for name, entry in kind.added().items():
        loaded, package = kind.load(name), package_of(entry)
        if not isinstance(loaded, AddedFormat) or loaded.format.name != name:
            raise ConfigurationError(
                f"The package {package} adds the format {name}, but {entry.value} is no AddedFormat of this name. "
                "Repair the package, or uninstall it."
            )
        for said in (*loaded.format.extensions, *loaded.format.content_types):
            if said in taken:
                raise ConfigurationError(
                    f"The package {package} adds the format {name} for {said}, which {taken[said]} reads. Uninstall "
                    f"{package}, or ask for a version that leaves {said} out."
                )
            taken[said] = package
        added[name] = loaded
    return added
