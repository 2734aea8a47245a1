"""Ask the lanes to work on a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.pipeline.publish_job import publish_job

if TYPE_CHECKING:
    from ragbase.domain.document import Transition
    from ragbase.ports import Ports


def ask_lanes(document_id: str, transition: Transition, ports: Ports) -> None:
    """Change the record, then publish its job if it needs work.

    After a crash in between, a comparison finds the document stuck, and asks again.
    """
    record = ports.documents.update(document_id, transition).after
    if record is not None and record.needs_work:
        publish_job(record, ports)
