"""all-MiniLM-L6-v2 as an ONNX graph, made from its official weights."""

from __future__ import annotations

from ragbase.adapters.local_model.graph import Graph, encoder

_LAYERS = 6


def onnx_model(safetensors: bytes, *, dimension: int, max_tokens: int) -> bytes:
    """The official weights as a serialised ONNX model."""
    import numpy as np
    from safetensors.numpy import load

    weights = load(safetensors)

    def words(g: Graph) -> str:
        table = g.constant("words", weights["embeddings.word_embeddings.weight"].astype(np.float16))
        return g.node("Gather", [table, "input_ids"], "looked_up")

    return encoder("all-MiniLM-L6-v2", weights, layers=_LAYERS, dimension=dimension, max_tokens=max_tokens, words=words)
