"""A cross-encoder on this machine orders what it can read in time, and a folder that is none is refused in one line."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragbase.adapters.local_model.reranker import MOST_READ
from ragbase.bootstrap.local_models import local_reranker
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.ports import Reranker
from tests.small_cross_encoder import small_cross_encoder, write_tensors

QUESTION = "green ships of the harbour"
TEXTS = ("bread is baked at four", "green ships of the harbour", "ships", "a green harbour and no more")
BY_WORDS = [1, 3, 2, 0]
"""The places of the texts by how many of the question's words they have."""

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(**options: object) -> Path:
        return small_cross_encoder(tmp_path / "small-reranker", [QUESTION, *TEXTS], **options)  # type: ignore[arg-type]

    return made


def opened(folder: Path, timeout: float = 60) -> Reranker:
    return local_reranker(str(folder), folder.parent / "models", timeout=timeout)


def order(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda place: -scores[place])


@pytest.mark.parametrize("types", [False, True])
@pytest.mark.parametrize("ends_in", ["one", "two", "states"])
def test_graphs_of_each_shape_that_is_published(make: Make, ends_in: str, types: bool) -> None:
    reranker = opened(make(ends_in=ends_in, types=types))
    assert reranker.model == "small-reranker"
    scores = reranker.rerank(QUESTION, TEXTS).scores
    assert order(scores) == BY_WORDS
    assert all(0 < score < 1 for score in scores)


def test_a_score_is_the_sigmoid_of_the_logit(make: Make) -> None:
    scores = opened(make()).rerank(QUESTION, TEXTS).scores
    assert list(scores) == pytest.approx([1 / (1 + np.exp(2 - words)) for words in (0, 5, 1, 2)], abs=1e-6)


def test_a_graph_may_stand_in_the_folder_itself(make: Make) -> None:
    folder = make()
    (folder / "onnx" / "model.onnx").rename(folder / "model.onnx")
    assert order(opened(folder).rerank(QUESTION, TEXTS).scores) == BY_WORDS


def test_the_passage_is_cut_and_not_the_question(make: Make) -> None:
    reranker = opened(make(longest=16))
    at_the_end, at_the_begin = "bread " * 30 + QUESTION, QUESTION + " bread" * 30
    scores = reranker.rerank(QUESTION, [at_the_end, at_the_begin, "bread"]).scores
    assert scores[0] == pytest.approx(scores[2], abs=1e-6), "what is cut is not read"
    assert scores[1] == pytest.approx(reranker.rerank(QUESTION, TEXTS).scores[1], abs=1e-6)


def test_a_question_as_long_as_the_model_leaves_room_for_the_passage(make: Make) -> None:
    scores = opened(make(longest=16)).rerank(f"{QUESTION} " * 20, TEXTS).scores
    assert order(scores)[0] == 1


def test_thirty_are_read_and_the_rest_have_no_score(make: Make) -> None:
    reranker = opened(make())
    texts = [*TEXTS] * 10
    assert len(reranker.rerank(QUESTION, texts).scores) == MOST_READ == 30
    assert list(reranker.rerank(QUESTION, texts).scores[:4]) == pytest.approx(
        list(reranker.rerank(QUESTION, TEXTS).scores), abs=1e-6
    )


def test_what_is_no_text_is_read_like_one(make: Make) -> None:
    scores = opened(make()).rerank("ships \ud800", ["", "\ud800", "\0", "[SEP] [PAD]", "ships"]).scores
    assert order(scores)[0] == 4


def test_without_time_it_gives_up(make: Make) -> None:
    with pytest.raises(Unavailable, match=r"did not end within 1e-09 seconds.*rerank_timeout"):
        opened(make(), timeout=1e-9).rerank(QUESTION, TEXTS)


def test_a_run_ends_when_the_time_is_over(make: Make) -> None:
    reranker = opened(make(endless_from=20), timeout=0.2)
    with pytest.raises(Unavailable, match="0 of 2 passages are read"):
        reranker.rerank(QUESTION, ["ships " * 100, TEXTS[1]])


def test_a_model_that_reads_for_ever_is_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.adapters.local_model.cross_encoder._TRIAL_PATIENCE", 0.2)
    with pytest.raises(ConfigurationError, match="needs more than"):
        opened(make(endless_from=1))


def test_threads_get_what_one_gets(make: Make) -> None:
    reranker = opened(make())
    alone = list(reranker.rerank(QUESTION, TEXTS).scores)
    with ThreadPoolExecutor(8) as pool:
        assert all(list(one.scores) == alone for one in pool.map(lambda _: reranker.rerank(QUESTION, TEXTS), range(32)))


# A folder that is none.


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _other(name: str, data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return change


def _huge(name: str, size: int) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, size)


def _sums(text: str) -> Callable[[Path], None]:
    return _other("SHA256SUMS", text.encode())


def _infinite(folder: Path) -> None:
    write_tensors(folder / "3_LayerNorm" / "model.safetensors", {"norm.weight": [np.inf] * 4, "norm.bias": [0] * 4})


def _narrow(folder: Path) -> None:
    write_tensors(folder / "2_Dense" / "model.safetensors", {"linear.weight": np.ones((4, 3))})


@pytest.mark.parametrize(
    ("ends_in", "change", "said"),
    [
        ("one", shutil.rmtree, "there is no file onnx/model.onnx"),
        ("one", _without("tokenizer.json"), "there is no file tokenizer.json"),
        ("one", _other("tokenizer.json", b"{}"), "is no file of a tokenizer"),
        ("one", _other("onnx/model.onnx", b"no graph"), "is no graph that onnxruntime can run"),
        ("one", _other("onnx/model.onnx", b""), "is no"),
        ("one", _huge("onnx/model.onnx", 1_000_000_001), "has 1,000 MB"),
        ("one", _huge("tokenizer.json", 200_000_000), "has 200 MB"),
        ("three", lambda folder: None, "scores of the shape (2, 3)"),
        ("one", _sums(f"{'0' * 64}  tokenizer.json\n"), "has sha256"),
        ("one", _sums(f"{'0' * 64}  elsewhere.json\n"), "cannot be read: No such file"),
        ("one", _sums("no checksum\n"), "a line that is no checksum"),
        ("states", _without("4_Dense/model.safetensors"), "lacks what scores them: 4_Dense/model.safetensors"),
        ("states", _other("2_Dense/model.safetensors", b"\xff" * 100), "its header is too long"),
        ("states", _other("2_Dense/model.safetensors", b""), "is no file of a cross-encoder's head"),
        ("states", _infinite, "numbers that are none"),
        ("states", _narrow, "for a head of 3"),
    ],
)
def test_a_folder_that_is_none(make: Make, ends_in: str, change: Callable[[Path], object], said: str) -> None:
    folder = make(ends_in=ends_in)
    change(folder)
    with pytest.raises(ConfigurationError) as raised:
        opened(folder)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 900
    assert str(folder) in str(raised.value)


def test_checksums_that_hold(make: Make) -> None:
    folder = make()
    lines = [
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}"
        for name in ("onnx/model.onnx", "tokenizer.json")
    ]
    (folder / "SHA256SUMS").write_text("\n".join(lines) + "\n")
    assert order(opened(folder).rerank(QUESTION, TEXTS).scores) == BY_WORDS
