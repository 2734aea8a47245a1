"""How Weaviate's collections are named and described, and whether what is there fits the settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.index import Index

DESCRIBED = "Chunks of ragbase."
"""How the descriptions of all indexes begin."""

_DESCRIPTION = re.compile(rf"{DESCRIBED} Model: (.+), dimensions: (\d+), language: (\w+)\.")
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class WeaviateAlias:
    """The alias of the live index, whose name begins those of all indexes."""

    name: str

    def collection(self, index: Index) -> str:
        """The name of an index's collection."""
        return f"{self.name}_{index.name}"

    def index(self, collection: str, description: str) -> Index | None:
        """The index that a collection holds; None where it is none of this alias."""
        found = _DESCRIPTION.fullmatch(description)
        if found is None or not collection.startswith(f"{self.name}_"):
            return None
        model, dimension, language = found.groups()
        name = collection.removeprefix(f"{self.name}_")
        return Index(name=name, model=model, dimension=int(dimension), language=language)

    def left(self, held: Mapping[str, str], *, model: str, fills: bool) -> Index | None:
        """What to ask where the alias is missing: the one index under it, if it was made with `model`, or None, where
        one may be begun. `held` has the descriptions of all collections by their names.

        Raises ConfigurationError beside other indexes under this alias and, for who only reads, beside any index of
        ragbase: who fills an index begins it, and a reader alone with its alias has misspelt it.
        """
        found = {name: self.index(name, description) for name, description in held.items()}
        mine = {name: index for name, index in found.items() if index is not None}
        others = [name for name, index in mine.items() if len(mine) > 1 or index.model != model]
        if not mine and not fills:
            others = [name for name, description in held.items() if description.startswith(DESCRIBED)]
        if others:
            raise ConfigurationError(
                f"The alias {self.name} (setting `weaviate_alias`) is missing, while there is an index "
                f"{', '.join(sorted(others))}. Set it to the alias of the index to use, or point that alias at it. "
                "A new index is begun by the lanes, when they have a new alias."
            )
        return next(iter(mine.values()), None)


def description_of(index: Index) -> str:
    """What is written down with a collection, so that it tells by itself what is in it."""
    return f"{DESCRIBED} Model: {index.model}, dimensions: {index.dimension}, language: {index.language}."


def alias_of(setting: str) -> WeaviateAlias:
    """The alias as Weaviate writes it. Raises ConfigurationError for what cannot be one."""
    if not _ALIAS.fullmatch(setting):
        raise ConfigurationError(
            f"The setting `weaviate_alias` is {setting!r}. An alias starts with a letter, followed by at most 99 "
            "letters, digits or underscores: set it to such a name, as `ragbase`."
        )
    return WeaviateAlias(setting[0].upper() + setting[1:])


def address_of(url: str, setting: str) -> tuple[bool, str, int]:
    """Whether it is encrypted, host and port. Raises ConfigurationError for what is no URL of a service."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
        raise ConfigurationError(
            f"The setting `{setting}` is {url!r}. It takes a URL with scheme and host, as `http://127.0.0.1:8080`."
        )
    secure = parts.scheme == "https"
    return secure, parts.hostname, port or (443 if secure else 80)


def refused_key(url: str) -> ConfigurationError:
    return ConfigurationError(
        f"Weaviate at {url} refused the key. Set `weaviate_api_key` to one that may read and write."
    )


def no_weaviate(url: str) -> ConfigurationError:
    return ConfigurationError(
        f"What answers at {url} is no Weaviate. Set `weaviate_url` to where Weaviate answers, without a path."
    )
