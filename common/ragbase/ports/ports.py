"""All ports of one process, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.program_files import ProgramFiles
    from ragbase.ports.bucket import Bucket
    from ragbase.ports.checkpoints import Checkpoints
    from ragbase.ports.clock import Clock
    from ragbase.ports.dead_letters import DeadLetters
    from ragbase.ports.document_store import DocumentStore
    from ragbase.ports.given_texts import GivenTexts
    from ragbase.ports.indexes import Indexes
    from ragbase.ports.part_texts import PartTexts
    from ragbase.ports.publisher import Publisher
    from ragbase.ports.word_boxes import WordBoxes


class Ports(Protocol):
    """What every use case takes. A profile opens each port at its first use, so that a function opens only the ports
    that it needs."""

    @property
    def bucket(self) -> Bucket: ...

    @property
    def defaults(self) -> ProcessingConfig:
        """What holds for a document whose uploader asks for nothing else."""
        ...

    @property
    def program_files(self) -> ProgramFiles:
        """The files that become no documents."""
        ...

    @property
    def texts(self) -> GivenTexts: ...

    @property
    def part_texts(self) -> PartTexts: ...

    @property
    def word_boxes(self) -> WordBoxes: ...

    @property
    def documents(self) -> DocumentStore: ...

    @property
    def dead_letters(self) -> DeadLetters: ...

    @property
    def checkpoints(self) -> Checkpoints: ...

    @property
    def publisher(self) -> Publisher: ...

    @property
    def indexes(self) -> Indexes: ...

    @property
    def clock(self) -> Clock: ...
