"""all-MiniLM-L6-v2 on this machine's processor: small and fast, and trained on English."""

from __future__ import annotations

from pathlib import Path

from ragbase.adapters.local_model.embedder import LocalEmbedder
from ragbase.adapters.local_model.model import GRAPH, TOKENIZER, LocalModel

DIMENSION = 384
MAX_TOKENS = 256
"""As the model was trained and published."""

_FILES = {
    GRAPH: "4228daac7762a922293649b9ca460bc51c6bbd32078705a5d04cca739014c985",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def _make() -> dict[str, bytes]:
    from ragbase.adapters.minilm.graph import onnx_model
    from ragbase.adapters.minilm.weights import WEIGHTS, official_files

    official = official_files()
    graph = onnx_model(official[WEIGHTS], dimension=DIMENSION, max_tokens=MAX_TOKENS)
    return {TOKENIZER: official[TOKENIZER], GRAPH: graph}


MINILM = LocalModel(
    # The name is older than the file. The first file made the same 8-bit products and rounded elsewhere. Measured
    # (docs/measurements.md): vectors of both may stand in one index.
    name="all-MiniLM-L6-v2-int8-39372414",
    folder=f"all-MiniLM-L6-v2-int8-{_FILES[GRAPH][:8]}",
    files=_FILES,
    dimension=DIMENSION,
    max_tokens=MAX_TOKENS,
    make=_make,
    needs=("onnx", "safetensors"),
    megabytes=36,
)


def minilm(models: Path) -> LocalEmbedder:
    """The model in its folder below `models`."""
    return LocalEmbedder(MINILM, models)
