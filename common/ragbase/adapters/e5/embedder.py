"""multilingual-e5-small on this machine's processor: twice the work of MiniLM, and trained on a hundred languages."""

from __future__ import annotations

from pathlib import Path

from ragbase.adapters.local_model.embedder import LocalEmbedder
from ragbase.adapters.local_model.model import GRAPH, TOKENIZER, LocalModel

DIMENSION = 384
MAX_TOKENS = 512
"""As the model was trained and published. A passage of 1,000 characters has some 230 tokens in English, 290 in Russian,
360 in Arabic, and up to 820 in Chinese, Japanese and Korean."""
_MOST_RUNS = 4
"""Measured on paragraphs of XQuAD, joined to texts of 1,050 tokens in Russian: of the questions, .877 find their text
first, and .798 with one run; of those on its last fifth, .795 and .589."""

_FILES = {
    GRAPH: "c7acaada21ad44a3bf95c44a9b2cef57c2dc241f01c38c78e6055de8f5bec6a7",
    TOKENIZER: "13cd69bf31f1aad641119989c7a4a374ac1368b11f946b2bd61858bf3f54bd5b",
}


def _make() -> dict[str, bytes]:
    from ragbase.adapters.e5.graph import onnx_model
    from ragbase.adapters.e5.tokenizer import tokenizer
    from ragbase.adapters.e5.weights import PackedModel, packed_weights

    packed = PackedModel(packed_weights())
    graph = onnx_model(packed, dimension=DIMENSION, max_tokens=MAX_TOKENS)
    return {TOKENIZER: tokenizer(packed), GRAPH: graph}


NAME = "multilingual-e5-small-int8"

E5 = LocalModel(
    name=f"{NAME}-{_FILES[GRAPH][:8]}",
    folder=f"{NAME}-{_FILES[GRAPH][:8]}",
    files=_FILES,
    dimension=DIMENSION,
    max_tokens=MAX_TOKENS,
    most_runs=_MOST_RUNS,
    query_prefix="query: ",
    passage_prefix="passage: ",
    make=_make,
    needs=("onnx",),
    megabytes=86,
)


def e5(models: Path) -> LocalEmbedder:
    """The model in its folder below `models`."""
    return LocalEmbedder(E5, models)
