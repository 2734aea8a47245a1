"""How much evidence chance gives in one index, to questions of one language that the index does not answer.

Where the model does not see what a question is about, its words decide. How many of them a passage has by chance
depends on the language and on the passages: pairs of Thai characters meet in any long text, German compounds nearly
never. So a language's questions on everyday things (languages/unrelated_questions.tsv) are put to the index. What they
reach is its *chance level* in this language, in logits. No labels are needed, and a search only looks it up.

English has none: the model sees what its questions are about.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragbase.domain.searched_text import searched_text
from ragbase.retrieval.read_candidates import read_candidates
from ragbase.text.framing_words import without_framing
from ragbase.text.languages import language_of
from ragbase.text.terms import terms_of

if TYPE_CHECKING:
    from ragbase.domain.calibration import FittedCalibration
    from ragbase.ports import QueryEmbedder
    from ragbase.retrieval.active_chunks import ActiveChunks

_QUESTIONS = Path(__file__).parent / "languages" / "unrelated_questions.tsv"

_REACHED = 0.75
"""The share of the questions whose evidence is not above the level. A few may be answered in an index on cooking."""
_SPOKEN = 0.05
"""A language counts that so many of the passages are in."""
_MOST_PARTITIONS = 3
"""The tenants whose passages are asked. Each question is put to each of them."""


def chance_levels(
    texts: Iterable[str],
    *,
    partitions: Sequence[ActiveChunks],
    embedder: QueryEmbedder,
    language: str,
    fitted: FittedCalibration | None = None,
) -> dict[str, float]:
    """The level of each language that some of `texts`, a sample of the index's passages, are in. `language` is the
    index's, and `fitted` its calibration without levels and labels."""
    asked = _questions()
    spoken = Counter(map(language_of, texts))
    least = _SPOKEN * spoken.total()
    levels = {}
    for name, count in spoken.items():
        if name is None or name not in asked or count < least:
            continue
        evidence = [
            _strongest(question, chunks, embedder, language, fitted)
            for chunks in partitions[:_MOST_PARTITIONS]
            for question in asked[name]
        ]
        reached = [one for one in evidence if math.isfinite(one)]
        if reached:
            levels[name] = round(float(np.quantile(reached, _REACHED)), 3)
    return levels


def _strongest(
    question: str, chunks: ActiveChunks, embedder: QueryEmbedder, language: str, fitted: FittedCalibration | None
) -> float:
    """As search_one_index does it."""
    asked = without_framing(question)
    terms, vector = terms_of(asked, language), embedder.embed_query(searched_text(question))
    read = read_candidates(asked, vector, terms, chunks=chunks, language=language, wanted=1)
    return read.scorer(vector, terms, model=embedder.model, fitted=fitted).strongest


@lru_cache
def _questions() -> Mapping[str, Sequence[str]]:
    questions = defaultdict[str, list[str]](list)
    for line in _QUESTIONS.read_text(encoding="utf-8").splitlines():
        language, question = line.split("\t")
        questions[language].append(question)
    return questions
