"""How near a model puts a query to texts of the query's own language that have nothing to do with it.

A model that was trained on English finds all Vietnamese texts alike: a question and a text about something else have a
cosine of .5, where in English they have one of .1. So a cosine means little without this background. It depends on the
query and the model alone, so that no document of an index can change it.

For each model there is a mean vector for each of 27 languages: that of the six sentences in everyday_sentences.tsv.
The language that is nearest to the query is taken as its own. The vectors of MiniLM are in a file, which
`scripts/bench/background` makes; `ragbase calibrate` makes those of other models.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragbase.ports.embedder import in_calls

if TYPE_CHECKING:
    import numpy.typing as npt

    from ragbase.domain.chunk import Vector
    from ragbase.ports import Embedder

_SENTENCES = Path(__file__).with_name("everyday_sentences.tsv")

USUAL = 0.1
"""The background of an English question with MiniLM."""


def background_of(vector: Vector, languages: str | tuple[Vector, ...] | None) -> float:
    """The background of the query with this vector, by the file or the vectors `languages`; USUAL without them."""
    if languages is None:
        return USUAL
    length = float(np.linalg.norm(vector))
    means = _means(languages) if isinstance(languages, str) else np.array(languages, np.float32)
    return float((means @ vector).max()) / length if length else USUAL


def language_means(embedder: Embedder) -> npt.NDArray[np.float16]:
    """A row for each language, in the order of the file of sentences."""
    sentences: dict[str, list[str]] = defaultdict(list)
    for line in _SENTENCES.read_text(encoding="utf-8").splitlines():
        language, sentence = line.split("\t")
        sentences[language].append(sentence)
    return np.array([np.mean(embedded(texts, embedder), axis=0) for texts in sentences.values()], np.float16)


def embedded(texts: Sequence[str], embedder: Embedder) -> list[Vector]:
    """A vector for each of these passages."""
    return [vector for part in in_calls(texts, embedder) for vector in embedder.embed_documents(part).vectors]


@lru_cache
def _means(languages: str) -> npt.NDArray[np.float32]:
    return np.load(Path(__file__).with_name(f"{languages}.npy")).astype(np.float32)  # type: ignore[no-any-return]  # numpy's load gives Any
