"""The port of `ragbase eval`: documents of a profile, or of a deployment, are asked questions with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.engine.evaluate import Evaluation, OnProgress
    from ragbase.evaluation.question import JudgedQuestion


class Evaluator(Protocol):
    def __call__(self, file: Path | None, *, foreign: Sequence[JudgedQuestion], on_progress: OnProgress) -> Evaluation:
        """Ask the documents the questions of a CSV file, or their golden questions, and the foreign ones. The result
        has the model and the settings as far as they are known. Raises BadDataset, and any other RagbaseError."""
        ...
