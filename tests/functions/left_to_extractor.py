"""A profile that leaves PDF files to an extractor elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragbase.config import load_config
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import Guarded
from tests.unit.formats.pdf.pdf_files import pdf

SECONDS = 600
"""After which the extractor has not answered."""
FILE = pdf([(11, "The boiler in the cellar is inspected every spring, before the season ends.")])


@contextmanager
def left_to_extractor(home: Path, clock: VirtualClock) -> Iterator[Guarded]:
    config = load_config(home=home, environment={}, embedder="hashing", extractor="external", extractor_timeout=SECONDS)
    profile = Guarded(config, MemoryCheckpoints(), clock)
    yield profile
    profile.close()
