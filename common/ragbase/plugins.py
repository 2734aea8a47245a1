"""Plug-ins: what other packages add to ragbase, by entry points (docs/extend.md).

Nobody looks for entry points before a name is asked for that is not ours, or all names are: to read those of every
installed package takes some 10 ms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ragbase.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True, slots=True)
class PluginKind(Collection[str]):
    """One kind of what others can add, as the collection of all its names: ours, and those of other packages."""

    group: str
    """Of its entry points."""

    what: str
    """The word for it in messages."""

    ours: tuple[str, ...]

    def __contains__(self, name: object) -> bool:
        return name in self.ours or name in self.added()

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from self.added()

    def __len__(self) -> int:
        return len(self.ours) + len(self.added())

    def added(self) -> Mapping[str, EntryPoint]:
        """Those of other packages, by name. Raises ConfigurationError for a name that two have."""
        return _added(self)

    def check(self, name: str) -> None:
        """Raises ConfigurationError for a name that nobody has."""
        if name not in self:
            added = ", ".join(self.added()) or "none"
            raise ConfigurationError(
                f"there is no {self.what} {name!r}. ragbase has {', '.join(self.ours)}; installed packages add "
                f"{added}. Correct the name, or install the package that adds it"
            )

    def load(self, name: str) -> Any:
        """What the entry point of this name refers to. Raises ConfigurationError if it cannot be imported."""
        entry = self.added()[name]
        try:
            return entry.load()
        except Exception as error:  # a package may raise anything while it is imported
            raise ConfigurationError(
                f"The package {package_of(entry)} adds the {self.what} {name}, but {entry.value} cannot be imported: "
                f"{type(error).__name__}: {error}. Repair the package, or uninstall it."
            ) from error


EMBEDDERS = PluginKind("ragbase.embedders", "embedder", ("minilm", "e5", "hashing", "cohere", "openai", "vertex"))
GENERATORS = PluginKind("ragbase.generators", "generator", ("extractive", "cohere", "openai", "anthropic", "vertex"))
RERANKERS = PluginKind("ragbase.rerankers", "reranker", ("none", "cohere", "jina", "local"))
VECTOR_STORES = PluginKind("ragbase.vector_stores", "vector store", ("weaviate", "qdrant"))
SOURCES = PluginKind("ragbase.sources", "source", ("s3", "gs", "https", "http"))
"""By the scheme of their addresses."""


def package_of(entry: EntryPoint) -> str:
    """The package that has this entry point, and its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


@cache
def _added(kind: PluginKind) -> Mapping[str, EntryPoint]:
    from importlib.metadata import entry_points  # a function without plug-ins does not need it

    added: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=kind.group), key=lambda entry: entry.name):
        other = "ragbase" if entry.name in kind.ours else package_of(added[entry.name]) if entry.name in added else None
        if other is not None:
            raise ConfigurationError(
                f"The package {package_of(entry)} adds the {kind.what} {entry.name}, but {other} has one of this name. "
                f"Uninstall {package_of(entry)}, or ask for another name in its group {kind.group}."
            )
        added[entry.name] = entry
    return added
