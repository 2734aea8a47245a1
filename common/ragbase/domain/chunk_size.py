"""How long the chunks of a document are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.limits import MAX_CHUNK_OVERLAP, MAX_CHUNK_SIZE, MIN_CHUNK_SIZE

_FORM = re.compile(r"(?P<size>[0-9]{1,5})/(?P<overlap>[0-9]{1,4}) (?P<unit>[a-z]+)")


class ChunkUnit(StrEnum):
    """What is counted. Tokens are those of OpenAI's encoding cl100k_base."""

    CHARACTERS = "characters"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """A chunk has at most `size` units, of which up to `overlap` repeat the end of the chunk before it."""

    size: int
    overlap: int
    unit: ChunkUnit = ChunkUnit.CHARACTERS

    @classmethod
    def read(cls, text: str) -> ChunkSize:
        """Read a text such as `512/50 tokens` or `1000/200 characters`. Raises ValueError, which names the rule."""
        form = _FORM.fullmatch(text)
        if form is None or form["unit"] not in tuple(ChunkUnit):
            raise ValueError(
                f"{text[:40]!r} is not SIZE/OVERLAP UNIT, such as '512/50 tokens' or '1000/200 characters'"
            )
        size, overlap = int(form["size"]), int(form["overlap"])
        if not MIN_CHUNK_SIZE <= size <= MAX_CHUNK_SIZE or overlap > min(size // 2, MAX_CHUNK_OVERLAP):
            raise ValueError(
                f"{text!r} is out of range: a chunk size is from {MIN_CHUNK_SIZE} to {MAX_CHUNK_SIZE}, and an overlap "
                f"is at most half of it and at most {MAX_CHUNK_OVERLAP}"
            )
        return cls(size, overlap, ChunkUnit(form["unit"]))

    def __str__(self) -> str:
        return f"{self.size}/{self.overlap} {self.unit}"
