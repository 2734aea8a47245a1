"""A reach: the folders whose documents a caller may see and write. To the caller, no other document is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.labels import is_in
from ragbase.domain.name_forms import nfc

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Reach:
    """`folders` are names in the bucket, in NFC and without a slash at the end, in order, none of them in another one.
    A folder may also be the whole name of a document. Without any, the reach is everything."""

    folders: tuple[str, ...] = ()

    @classmethod
    def of(cls, prefixes: Iterable[str]) -> Reach:
        """What these prefixes reach together; a slash at the end makes no difference, and neither does the form."""
        folders = {nfc(prefix).removesuffix("/") for prefix in prefixes}
        return cls(tuple(sorted(one for one in folders if not any(one != two and is_in(one, two) for two in folders))))

    @property
    def is_everything(self) -> bool:
        return not self.folders

    def has(self, name: str) -> bool:
        """Whether the document of this name is within reach."""
        return self.is_everything or any(is_in(name, folder) for folder in self.folders)

    def meets(self, folder: str) -> bool:
        """Whether a document in this folder can be within reach."""
        return self.has(folder) or any(is_in(own, folder) for own in self.folders)


EVERYWHERE = Reach()
