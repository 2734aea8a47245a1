"""Remove the texts of parts that nobody will join."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import Ports


def remove_part_texts(record: Document, generation: int, ports: Ports) -> None:
    """Remove those of the generation, unless its parts are being read. `record` was read a moment ago, when there was a
    job for the generation.

    If the same generation is read again right after that, the removal may meet a text that was just written: the job
    that joins the texts finds that one is gone, and lets it be read once more.
    """
    if not record.is_reading(generation):
        ports.part_texts.delete(record.id, generation)
