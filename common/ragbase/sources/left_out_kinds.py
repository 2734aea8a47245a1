"""What is left out of a folder or another source, counted by kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragbase.domain.left_out import LeftOutFile
from ragbase.messages.json_model import JsonModel

_MOST_ENDINGS = 20


class LeftOutKind(JsonModel):
    """Files of one kind that were left out for one reason (domain/left_out.py). `endings` are those of their
    names, the first twenty."""

    one: str
    many: str
    reason: str
    endings: tuple[str, ...] = ()
    count: int = 0

    def with_one(self, file: LeftOutFile) -> LeftOutKind:
        endings = self.endings
        if file.ending and file.ending not in endings and len(endings) < _MOST_ENDINGS:
            endings = tuple(sorted((*endings, file.ending)))
        return self.model_copy(update={"endings": endings, "count": self.count + file.files})


class LeftOutKinds:
    """The kinds, in the order in which they were met. Their number does not grow with that of the files."""

    def __init__(self, before: Iterable[LeftOutKind] = ()) -> None:
        self._kinds = {(kind.many, kind.reason): kind for kind in before}

    def add(self, file: LeftOutFile) -> None:
        key = (file.many, file.reason)
        kind = self._kinds.get(key) or LeftOutKind(one=file.one, many=file.many, reason=file.reason)
        self._kinds[key] = kind.with_one(file)

    def all(self) -> Sequence[LeftOutKind]:
        return tuple(self._kinds.values())
