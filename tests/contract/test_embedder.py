"""What every embedder promises (ragbase.ports.Embedder)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbase.adapters.cohere.embedder import CohereEmbedder
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.minilm.embedder import MiniLM
from ragbase.adapters.openai.embedder import OpenAIEmbedder
from ragbase.adapters.shared_batches import SharedBatches
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.ports import Embedder
from scripts.local_cloud.cohere_server import CohereServer, cohere_server

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

TEXTS = [
    "A short one.",
    "",
    " \t\n",
    "\x00",
    "emoji 🦀🚀 only: 🏳️‍🌈",
    "half of a pair: \ud83e",
    "Phở bò là món ăn của Hà Nội. 東京タワー. العربية",
    "…!?—",
    "word " * 40,
    "A bucket holds documents, and each becomes chunks.\n" * 800,
    "unbroken" * 5_000,
]
"""Short and long, empty and odd."""

BATCH_TOLERANCE = 1e-6
"""For a component of a unit vector, whatever texts are in the same batch: rounding, and no more."""

texts = st.lists(st.text(st.characters(), max_size=200), max_size=12)


LOCAL: Mapping[str, Callable[[], Embedder]] = {
    "hashing": HashingEmbedder,
    "minilm": lambda: MiniLM(_models()),
}


@contextmanager
def _cohere(server: CohereServer) -> Iterator[Embedder]:
    with closing(CohereEmbedder("key", url=server.url)) as embedder:
        yield embedder


@contextmanager
def _openai(server: CohereServer) -> Iterator[Embedder]:
    with closing(OpenAIEmbedder(f"{server.url}/v1", "key", "text-embedding-3-small", 512)) as embedder:
        yield embedder


@contextmanager
def _shared_batches(server: CohereServer) -> Iterator[Embedder]:
    with _cohere(server) as embedder:
        yield SharedBatches(embedder, gather=0)


HOSTED: Mapping[str, Callable[[CohereServer], AbstractContextManager[Embedder]]] = {
    "cohere": _cohere,
    "openai": _openai,
    "shared batches": _shared_batches,
}


@pytest.fixture(scope="module")
def server() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


@pytest.fixture(scope="module", params=[*LOCAL, *HOSTED])
def embedder(request: pytest.FixtureRequest, server: CohereServer) -> Iterator[Embedder]:
    if request.param in LOCAL:
        yield LOCAL[request.param]()
    else:
        with HOSTED[request.param](server) as embedder:
            yield embedder


def _models() -> Path:
    """Where ./scripts/test has prepared the model; a test that finds none fails, and says how to prepare it."""
    return load_config().model_folder


def nearness(one: Vector, other: Vector) -> float:
    return float(one @ other)


def check(vector: Vector, embedder: Embedder) -> None:
    assert vector.shape == (embedder.dimension,)
    assert vector.dtype == np.float32
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_every_text_gets_a_unit_vector(embedder: Embedder) -> None:
    vectors = embedder.embed_documents(TEXTS).vectors

    assert len(vectors) == len(TEXTS)
    for vector in vectors:
        check(vector, embedder)


def test_no_texts_get_no_vectors(embedder: Embedder) -> None:
    assert list(embedder.embed_documents([]).vectors) == []


@pytest.mark.parametrize("name", LOCAL)
def test_a_local_model_bills_no_tokens(name: str) -> None:
    assert LOCAL[name]().embed_documents(TEXTS).billed_tokens == 0


@pytest.mark.parametrize("name", HOSTED)
def test_a_hosted_model_reports_what_it_bills(name: str, server: CohereServer) -> None:
    with HOSTED[name](server) as embedder:
        assert embedder.embed_documents(["four"]).billed_tokens == 2
        assert embedder.embed_documents(["four", "and eight"]).billed_tokens == 5


@settings(max_examples=25)
@given(texts=texts)
def test_a_vector_depends_on_its_text_alone(embedder: Embedder, texts: list[str]) -> None:
    together = embedder.embed_documents(texts).vectors

    assert len(together) == len(texts)
    for text, vector in zip(texts, together, strict=True):
        check(vector, embedder)
        alone = embedder.embed_documents([text]).vectors[0]
        np.testing.assert_allclose(vector, alone, rtol=0, atol=BATCH_TOLERANCE)


def test_order_and_batch_mates_change_no_vector(embedder: Embedder) -> None:
    forwards = embedder.embed_documents(TEXTS).vectors
    backwards = embedder.embed_documents(TEXTS[::-1]).vectors

    np.testing.assert_allclose(forwards, backwards[::-1], rtol=0, atol=BATCH_TOLERANCE)


def test_a_full_batch_is_taken(embedder: Embedder) -> None:
    numbered = [f"text number {number}" for number in range(embedder.max_batch)]

    vectors = embedder.embed_documents(numbered).vectors

    assert len(vectors) == embedder.max_batch
    assert [int(np.argmax(vectors @ embedder.embed_query(text))) for text in numbered[:5]] == list(range(5))


def test_a_query_is_nearest_to_the_document_with_its_words(embedder: Embedder) -> None:
    documents = ["The lighthouse keeper counts ships.", "Butter, sugar and flour make a cake.", "Trains leave at noon."]

    vectors = embedder.embed_documents(documents).vectors
    query = embedder.embed_query("sugar and butter for a cake")

    check(query, embedder)
    assert int(np.argmax([nearness(vector, query) for vector in vectors])) == 1


def test_threads_get_what_one_gets(embedder: Embedder) -> None:
    expected = [embedder.embed_query(text) for text in TEXTS]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed_query, TEXTS * 3))

    np.testing.assert_allclose(found, expected * 3, rtol=0, atol=BATCH_TOLERANCE)


def test_the_hashing_embedder_is_the_same_in_every_process() -> None:
    program = (
        "from ragbase.adapters.hashing.embedder import HashingEmbedder\n"
        "print(HashingEmbedder().embed_query('the same words').tobytes().hex())"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert bytes.fromhex(elsewhere.stdout) == HashingEmbedder().embed_query("the same words").tobytes()


def test_the_hashing_embedder_has_the_dimension_that_it_is_given() -> None:
    embedder = HashingEmbedder(dimension=16)

    assert embedder.model == "hashing-16"
    check(embedder.embed_query("some words"), embedder)


def test_minilm_knows_meaning() -> None:
    embedder = MiniLM(_models())
    sentence, paraphrase, foreign = embedder.embed_documents(
        ["The cat sits on the mat.", "A feline is resting on a rug.", "Quarterly revenue rose by four percent."]
    ).vectors

    assert nearness(sentence, paraphrase) > 0.5
    assert nearness(sentence, foreign) < 0.2


def test_minilm_agrees_with_the_published_model() -> None:
    """The model card's example pair, as sentence-transformers computes it: 8 bits may move it in the second decimal."""
    embedder = MiniLM(_models())
    example, other = embedder.embed_documents(["This is an example sentence", "Each sentence is converted"]).vectors

    assert example[:4] == pytest.approx([0.0676, 0.0635, 0.0487, 0.0793], abs=0.02)
    assert other[:4] == pytest.approx([0.0864, 0.1027, 0.0054, 0.0020], abs=0.02)


def test_minilm_reads_256_tokens() -> None:
    embedder = MiniLM(_models())
    within = "tide " * 254  # two more tokens mark the beginning and the end
    short, full, over = embedder.embed_documents(["tide " * 100 + "volcano", within + "volcano", within]).vectors

    assert nearness(full, over) == pytest.approx(1, abs=1e-5)
    assert nearness(short, over) < 0.99


def test_minilm_refuses_a_file_that_is_not_the_prepared_one(tmp_path: Path) -> None:
    prepared = MiniLM(_models()).prepare()
    (tmp_path / prepared.name).mkdir()
    for file in prepared.iterdir():
        (tmp_path / prepared.name / file.name).write_bytes(file.read_bytes() + b" ")

    with pytest.raises(ConfigurationError, match="Delete it"):
        MiniLM(tmp_path).embed_query("text")
