"""How Weaviate's collections are named and described, and whether the existing ones fit the settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.index import Index
from ragbase.domain.tenant import Tenancy

DESCRIBED = "Chunks of ragbase."
"""How the descriptions of all indexes begin."""

_DESCRIPTION = re.compile(rf"{DESCRIBED} Model: (.+), dimensions: (\d+), language: (\w+)\.(?: Split by (\w+)\.)?")
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class WeaviateAlias:
    """The alias of the current index. The names of all indexes begin with its name."""

    name: str

    def collection(self, index: Index) -> str:
        """The name of an index's collection."""
        return f"{self.name}_{index.name}"

    def index(self, collection: str, description: str) -> Index | None:
        """The index that a collection holds; None if it does not belong to this alias."""
        found = _DESCRIPTION.fullmatch(description)
        if found is None or not collection.startswith(f"{self.name}_"):
            return None
        model, dimension, language, split_by = found.groups()
        return Index(
            name=collection.removeprefix(f"{self.name}_"),
            model=model,
            dimension=int(dimension),
            language=language,
            tenancy=Tenancy(split_by or Tenancy.NONE),
        )

    def left(self, held: Mapping[str, str], *, model: str, fills: bool) -> Index | None:
        """What to use if the alias is missing: the only index under it, if it was made with `model`, or None if an
        index may be made. `held` has the descriptions of all collections by their names.

        Raises ConfigurationError if there are other indexes under this alias. A process that does not fill indexes
        (`fills` is false) also gets it if ragbase has any index: those that fill an index make it with its alias, so
        this process has probably misspelt the alias.
        """
        found = {name: self.index(name, description) for name, description in held.items()}
        mine = {name: index for name, index in found.items() if index is not None}
        others = [name for name, index in mine.items() if len(mine) > 1 or index.model != model]
        if not mine and not fills:
            others = [name for name, description in held.items() if description.startswith(DESCRIBED)]
        if others:
            raise ConfigurationError(
                f"The alias {self.name} (setting `weaviate_alias`) is missing, but there is an index "
                f"{', '.join(sorted(others))}. Set `weaviate_alias` to the alias of the index to use, or point the "
                "missing alias at that index. The lanes start a new index when they have a new alias."
            )
        return next(iter(mine.values()), None)


def description_of(index: Index) -> str:
    """The description that is stored with a collection, so that the collection itself says what is in it."""
    split = f" Split by {index.tenancy}." if index.is_split else ""
    return f"{DESCRIBED} Model: {index.model}, dimensions: {index.dimension}, language: {index.language}.{split}"


def alias_of(setting: str) -> WeaviateAlias:
    """The alias as Weaviate spells it. Raises ConfigurationError if it cannot be one."""
    if not _ALIAS.fullmatch(setting):
        raise ConfigurationError(
            f"The setting `weaviate_alias` is {setting!r}. An alias starts with a letter, followed by at most 99 "
            "letters, digits or underscores: set it to such a name, for example `ragbase`."
        )
    return WeaviateAlias(setting[0].upper() + setting[1:])


def address_of(url: str, setting: str) -> tuple[bool, str, int]:
    """Whether it is encrypted, its host and its port. Raises ConfigurationError if it is not the URL of a service."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
        raise ConfigurationError(
            f"The setting `{setting}` is {url!r}. It must be a URL with scheme and host, for example "
            "`http://127.0.0.1:8080`."
        )
    secure = parts.scheme == "https"
    return secure, parts.hostname, port or (443 if secure else 80)


def refused_key(url: str) -> ConfigurationError:
    return ConfigurationError(
        f"Weaviate at {url} refused the key. Set `weaviate_api_key` to a key that may read and write."
    )


def no_weaviate(url: str) -> ConfigurationError:
    return ConfigurationError(
        f"The server at {url} is not Weaviate. Set `weaviate_url` to the address of Weaviate, without a path."
    )
