"""The file of MiniLM's backgrounds is what its sentences give, and tells languages apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragbase.adapters.minilm.embedder import MiniLM
from ragbase.config import load_config
from ragbase.retrieval.calibration import MINILM
from ragbase.retrieval.languages import background
from ragbase.retrieval.languages.background import USUAL, background_of, language_means


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(load_config().model_folder)


def test_the_file_is_what_the_sentences_give(model: MiniLM) -> None:
    """Processors round some numbers elsewhere: one without AVX-512 gives means with a cosine of .9996 and more to those
    of the file, which one with it has made. Without one of its six sentences, a language's mean has .998 at most."""
    stored, made = (
        means.astype(np.float32)
        for means in (np.load(Path(background.__file__).with_name(f"{MINILM.languages}.npy")), language_means(model))
    )
    cosines = (stored * made).sum(axis=1) / np.linalg.norm(stored, axis=1) / np.linalg.norm(made, axis=1)
    assert stored.shape == made.shape
    assert cosines == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("question", "least", "most"),
    [
        ("How does the Python interpreter manage memory?", -0.1, 0.2),
        ("Làm sao để học đàn ghi ta?", 0.3, 0.7),
        ("世界上最高的山是哪一座？", 0.3, 0.7),
    ],
)
def test_a_question_that_the_model_reads_badly_has_a_high_background(
    model: MiniLM, question: str, least: float, most: float
) -> None:
    assert least < background_of(model.embed_query(question), MINILM.languages) < most


def test_a_model_without_a_file_has_the_usual_background() -> None:
    assert background_of(np.ones(1024, np.float32), None) == USUAL
