"""`ragbase calibrate` fits the order of the results, too, where that finds an index's own sentences better."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbase import RAGEngine, load_config
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.engine.calibrate import calibrate
from ragbase.ports import Embeddings
from tests.e2e.command_line import CommandLine

DOCUMENTS = 60
_BEGINNINGS, _ENDINGS = ("lamp", "rope", "sail", "mast", "deck"), ("ing", "er", "let", "ment")
_WORDS = [f"{first}{last}" for first in _BEGINNINGS for last in _ENDINGS]
_MARK = re.compile("[§¤]{6}")


def mark(number: int) -> str:
    """A number in signs that are no words."""
    return f"{number:06b}".replace("0", "§").replace("1", "¤")


def name_of(number: int) -> str:
    """In letters: documents whose names differ in numbers may be versions of one."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:02}") + ".md"


def texts() -> Mapping[str, str]:
    """Documents whose words say nothing of what they are about. Only a model that reads the marks can tell."""
    chance = random.Random(5)

    def sentence(number: int) -> str:
        return f"The {' '.join(chance.choices(_WORDS, k=7))} {mark(number)} is there."

    return {name_of(number): " ".join(sentence(number) for _ in range(5)) for number in range(DOCUMENTS)}


@pytest.fixture
def ragbase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """With an embedder that knows what a text is about."""

    def embed_documents(self: HashingEmbedder, texts: Sequence[str]) -> Embeddings:
        return Embeddings([vector(text) for text in texts])

    def vector(text: str) -> Any:
        made = np.zeros(HashingEmbedder().dimension, np.float32)
        found = _MARK.search(text)
        made[DOCUMENTS] = 1  # all texts have this in common
        made[int(found[0].replace("§", "0").replace("¤", "1"), 2) if found else DOCUMENTS + 1] = 1
        return np.asarray(made / np.sqrt(2), np.float32)

    monkeypatch.setattr(HashingEmbedder, "embed_documents", embed_documents)
    monkeypatch.setattr(HashingEmbedder, "embed_query", lambda self, text: vector(text))
    # The other process would have an embedder of its own.
    monkeypatch.setattr("ragbase.adapters.text_process.FILES_BEFORE", 10 * DOCUMENTS)
    ragbase = CommandLine(tmp_path / "home")
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in texts().items():
        (folder / name).write_text(text)
    assert ragbase.call("ingest", folder).code == 0
    return ragbase


def asked() -> list[tuple[str, str]]:
    """Questions with words of one document, about another."""
    made = texts()
    return [
        (f"{' '.join(made[name_of((number + 7) % DOCUMENTS)].split()[1:6])} {mark(number)}", name_of(number))
        for number in range(DOCUMENTS)
    ]


def found_first(ragbase: CommandLine) -> float:
    right = 0
    with RAGEngine(load_config(home=ragbase.home, environment={}, embedder="hashing")) as engine:
        for question, name in asked():
            (best, *_) = engine.retriever.search(question, 1, 0.0)
            right += str(best).find(name) > 0
    return right / DOCUMENTS


@pytest.mark.slow
def test_a_model_that_tells_more_counts_more(ragbase: CommandLine) -> None:
    assert "cosineFactor" not in ragbase.call("calibrate", "--show", "--json").json
    before = found_first(ragbase)
    fitted = ragbase.call("calibrate", "--json").json
    assert fitted["cosineFactor"] > 1
    assert fitted["orderFitted"] > fitted["orderUsual"]
    assert "order" in ragbase.call("calibrate", "--show").out
    assert ragbase.call("calibrate", "--show", "--json").json == fitted
    assert found_first(ragbase) > before


@pytest.mark.slow
def test_labels_count_before_sentences_and_hold_for_the_next_index(
    ragbase: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "questions.csv").open("w", newline="") as file:
        labels = [(question, str(tmp_path / "documents" / name)) for question, name in asked()]
        csv.writer(file).writerows([("question", "expected"), *labels, ("Who painted the Mona Lisa?", "none")])
    fitted = ragbase.call("calibrate", "--questions", tmp_path / "questions.csv", "--json").json
    assert (fitted["origin"], fitted["orderQuestions"]) == ("labelled", DOCUMENTS)
    assert fitted["cosineFactor"] > 1
    monkeypatch.setenv("RAGBASE_CHUNK_SIZE", "900")
    assert ragbase.call("reindex").code == 0
    after = ragbase.call("calibrate", "--show", "--json").json
    assert after["index"] != fitted["index"]
    assert after["cosineFactor"] == fitted["cosineFactor"]


@pytest.mark.slow
@pytest.mark.prove
def test_nobody_is_reordered_without_asking_if_the_model_has_constants(ragbase: CommandLine) -> None:
    with RAGEngine(load_config(home=ragbase.home, environment={}, embedder="hashing")) as engine:
        assert calibrate(engine.profile, reorders=False) is None
        asked_for = calibrate(engine.profile)
        assert asked_for is not None and asked_for.order is not None
        again = calibrate(engine.profile, reorders=False)
        assert again is not None and again.order == asked_for.order


@pytest.mark.slow
@pytest.mark.prove
def test_a_reindex_fits_it_again_before_it_switches(ragbase: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = ragbase.call("calibrate", "--json").json
    monkeypatch.setenv("RAGBASE_CHUNK_SIZE", "900")
    assert ragbase.call("reindex").code == 0
    after = ragbase.call("calibrate", "--show", "--json").json
    assert after["index"] != fitted["index"] and after["fittedAt"] > fitted["fittedAt"]
    assert after["cosineFactor"] > 1
