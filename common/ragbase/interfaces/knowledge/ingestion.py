"""The port of `ragbase ingest`: files of this machine become documents of a profile, or of a deployment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.cause import Cause
    from ragbase.sources.folder import LocalFile


class Ended(Protocol):
    """How a file ended. `error` names the file, the rule and the remedy, and is None if search shows the document, with
    `chunks` chunks. `unchanged` says that nothing had to be done, `notes` what was doubtful, damaged or left out."""

    @property
    def source(self) -> str: ...
    @property
    def chunks(self) -> int | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def unchanged(self) -> bool: ...
    @property
    def notes(self) -> Sequence[str]: ...


class Ingested(Ended, Protocol):
    """How a file of an ingest ended. `read_again` says why it was read again though its bytes are the same, and the
    embedder got `embedded_texts` for it. A deployment tells neither: it gives no cause, and None."""

    @property
    def read_again(self) -> Sequence[Cause]: ...
    @property
    def embedded_texts(self) -> int | None: ...


class Ingestion(Protocol):
    """Every method raises a RagbaseError."""

    def missing(self, formats: Collection[str]) -> str | None:
        """Which of these formats are known not to be read there, and what helps; None if all of them may be."""
        ...

    def bring(self, files: Sequence[LocalFile], formats: Collection[str]) -> None:
        """Install what reads those of the files that are of these formats, where that comes on demand."""
        ...

    def documents_among(self, files: Sequence[LocalFile]) -> Sequence[LocalFile]:
        """Those of the files that are documents there already, under the names that `run` gives them."""
        ...

    def run(self, files: Sequence[LocalFile]) -> Iterator[Ingested]:
        """Bring the files, and give the outcome of each as soon as it has settled, in no particular order. A changed
        file replaces the one before. A file that FAILED earlier is tried again."""
        ...

    def finish(self, *, quiet: bool) -> Sequence[str]:
        """Do what is due when all files have ended. Gives what a person should know then; nothing if `quiet` is set."""
        ...
