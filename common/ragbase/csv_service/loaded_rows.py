"""The state of the rows beside their texts: which rows search shows, and which others the index may hold.

All of it is in checkpoints. The texts are in the vector store, each once. A *part* has the ids of the texts of some
hundred rows and their metadata, and never changes. A *version* names the parts of the whole file, in order: one write
of it switches search from all rows of one version to all rows of the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from ragbase.csv_service.cut_parts import CutPart, Part
from ragbase.domain.index import Index
from ragbase.ports import Checkpoints

_VERSION, _UNSHOWN = "csv-version", "csv-unshown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The rows that search shows. `fingerprint` names the file and how it was read, `made_with` how texts became
    chunks; `rows` counts them. `loaded_at` is in ISO 8601."""

    index: Index
    made_with: str
    fingerprint: str
    source: str
    loaded_at: str
    rows: int
    parts: tuple[Part, ...]


@dataclass(slots=True)
class Unshown:
    """Parts of an index that search may not show: those of a version that is being loaded or was replaced.

    The texts of those in `done` are all in the index; of those in `begun` some may be.
    """

    index: Index
    done: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)

    def add(self, parts: Iterable[str]) -> None:
        """Add parts that are done."""
        known = set(self.done)
        self.done += [part for part in parts if part not in known]

    def begin(self, part: str) -> None:
        if part not in self.begun:
            self.begun.append(part)

    def finish(self, part: str) -> None:
        self.begun.remove(part)
        self.done.append(part)

    def doubt(self) -> None:
        """No part counts as done any more."""
        self.begun, self.done = sorted(self.parts), []

    @property
    def parts(self) -> set[str]:
        return {*self.done, *self.begun}


class LoadedRows:
    """Versions and parts, as text in checkpoints."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._checkpoints = checkpoints

    def version_text(self) -> str | None:
        """The version as text: equal texts are the same version."""
        return self._checkpoints.load(_VERSION)

    def version(self) -> Version | None:
        text = self.version_text()
        return version_of(text) if text is not None else None

    def show(self, version: Version) -> None:
        """The switch: from now on search shows exactly these rows."""
        self._checkpoints.save(_VERSION, json.dumps(_values(version)))

    def unshown(self) -> dict[str, Unshown]:
        """By the names of their indexes."""
        text = self._checkpoints.load(_UNSHOWN)
        held = json.loads(text) if text is not None else []
        return {one["index"]["name"]: Unshown(Index(**one["index"]), one["done"], one["begun"]) for one in held}

    def save_unshown(self, unshown: Iterable[Unshown]) -> None:
        held = [_values(one) for one in unshown]
        self._checkpoints.save(_UNSHOWN, json.dumps(held) if held else None)

    def save_part(self, cut: CutPart) -> None:
        self._checkpoints.save(_keys(cut.part.id), cut.keys.hex())
        self._checkpoints.save(_fields(cut.part.id), cut.fields)

    def keys(self, part: str) -> bytes | None:
        """The ids of the part's texts, 16 bytes each; None if the part was removed."""
        text = self._checkpoints.load(_keys(part))
        return bytes.fromhex(text) if text is not None else None

    def fields(self, part: str) -> list[dict[str, Any] | None] | None:
        """The metadata of the part's rows; None if the part was removed."""
        text = self._checkpoints.load(_fields(part))
        return json.loads(text) if text is not None else None

    def remove_part(self, part: str) -> None:
        self._checkpoints.save(_fields(part), None)
        self._checkpoints.save(_keys(part), None)


def version_of(text: str) -> Version:
    values = json.loads(text)
    parts = tuple(Part(**part) for part in values.pop("parts"))
    return Version(index=Index(**values.pop("index")), parts=parts, **values)


def _values(one: Version | Unshown) -> dict[str, Any]:
    """As JSON. Its index is never split by tenant, which is what an index without a tenancy is."""
    values = asdict(one)
    del values["index"]["tenancy"]
    return values


def _keys(part: str) -> str:
    return f"csv-part-{part}-keys"


def _fields(part: str) -> str:
    return f"csv-part-{part}-fields"
