"""The file of a model's backgrounds is what its sentences give, and tells languages apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ragbase.adapters.e5.embedder import e5
from ragbase.adapters.local_model.embedder import LocalEmbedder
from ragbase.adapters.minilm.embedder import minilm
from ragbase.ports import Candidates
from ragbase.retrieval.calibrate import fit_cosines
from ragbase.retrieval.calibration import MINILM, known_calibration
from ragbase.retrieval.languages import background
from ragbase.retrieval.languages.background import USUAL, background_of, language_means
from ragbase.retrieval.scoring import Scorer
from tests.models import model_folder


@pytest.fixture(scope="module")
def model() -> LocalEmbedder:
    return minilm(model_folder("minilm"))


@pytest.mark.slow
@pytest.mark.parametrize("made", [minilm, pytest.param(e5, marks=pytest.mark.prove)])
def test_the_file_is_what_the_sentences_give(made: Callable[[Path], LocalEmbedder]) -> None:
    """Processors round some numbers elsewhere: one without AVX-512 gives means with a cosine of .9996 and more to those
    of the file, which one with it has made. Without one of its six sentences, a language's mean has .998 at most."""
    model = made(model_folder("minilm", "e5"))
    calibration = known_calibration(model.model)
    assert calibration is not None
    stored, means = (
        means.astype(np.float32)
        for means in (
            np.load(Path(background.__file__).with_name(f"{calibration.languages}.npy")),
            language_means(model),
        )
    )
    cosines = (stored * means).sum(axis=1) / np.linalg.norm(stored, axis=1) / np.linalg.norm(means, axis=1)
    assert stored.shape == means.shape
    assert cosines == pytest.approx(1, abs=1e-3)


@pytest.mark.prove
def test_the_scale_of_e5_is_what_the_probes_give() -> None:
    model = e5(model_folder("e5"))
    calibration = known_calibration(model.model)

    assert calibration is not None
    fitted = np.array(fit_cosines(model, []).points)
    assert np.array(calibration.scale.points) == pytest.approx(fitted, abs=0.002)


@pytest.mark.parametrize(
    ("question", "least", "most"),
    [
        ("How does the Python interpreter manage memory?", -0.1, 0.2),
        ("Làm sao để học đàn ghi ta?", 0.3, 0.7),
        ("世界上最高的山是哪一座？", 0.3, 0.7),
    ],
)
def test_a_question_that_the_model_reads_badly_has_a_high_background(
    model: LocalEmbedder, question: str, least: float, most: float
) -> None:
    assert least < background_of(model.embed_query(question), MINILM.languages) < most


def test_a_model_without_a_file_has_the_usual_background() -> None:
    assert background_of(np.ones(1024, np.float32), None) == USUAL


@pytest.mark.prove
@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("How does the Python interpreter manage memory?", "Where do penguins live?"),
        ("Làm sao để học đàn ghi ta?", "Chim cánh cụt sống ở đâu?"),
        ("世界上最高的山是哪一座？", "企鹅住在哪里？"),
        ("Какая гора самая высокая в мире?", "Где живут пингвины?"),
    ],
)
def test_e5_sees_what_a_question_is_about_in_every_language(own: str, other: str) -> None:
    model = e5(model_folder("e5"))
    calibration = known_calibration(model.model)
    assert calibration is not None
    candidates = Candidates(hits=(), passages=100, average_length=50.0, frequency={}, exhausted=True)
    for question in (own, other):
        near = background_of(model.embed_query(question), calibration.languages)
        assert 0 <= Scorer([], candidates, calibration, near).background < 0.3
