"""How near a model puts a query to texts of the query's own language that have nothing to do with it.

A model that was trained on English finds all Vietnamese texts alike: a question and a text about something else have a
cosine of .5, where in English they have one of .1. So a cosine means little without this background. It depends on the
query and the model alone, so that no document of an index can change it.

For each model there is a file with a mean vector for each of 27 languages: that of six everyday sentences
(scripts/bench/data/everyday_sentences.tsv; `scripts/bench/background` makes the file). The language that is nearest to
the query is taken as its own.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

USUAL = 0.1
"""The background of an English question with MiniLM."""


def background_of(vector: Vector, languages: str | None) -> float:
    """The background of the query with this vector, by the file `languages`; USUAL without a file."""
    if languages is None:
        return USUAL
    length = float(np.linalg.norm(vector))
    return float((_means(languages) @ vector).max()) / length if length else USUAL


@lru_cache
def _means(languages: str) -> npt.NDArray[np.float32]:
    return np.load(Path(__file__).with_name(f"{languages}.npy")).astype(np.float32)  # type: ignore[no-any-return]  # numpy's load gives Any
