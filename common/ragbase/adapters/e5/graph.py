"""multilingual-e5-small as an ONNX graph, made from the 4-bit weights of a package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.adapters.local_model.graph import CONTRIB, Graph, encoder

if TYPE_CHECKING:
    from ragbase.adapters.e5.weights import PackedModel
    from ragbase.adapters.local_model.graph import Weights

_INNER = 1536
_BLOCK = 32

_PARTS = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "intermediate.dense": "fi",
    "output.dense": "fo",
}
"""A layer's products: their names in files of published BERT models, and in the package's file."""
_NORMS = {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}


def onnx_model(packed: PackedModel, *, dimension: int, max_tokens: int) -> bytes:
    """The packed weights as a serialised ONNX model. The words stay in 4 bits, which are two thirds of its size."""

    def words(g: Graph) -> str:
        levels, scales = packed.blocks("emb.word", dimension)
        known = len(packed.pieces)  # the table has rows that no token uses
        table = g.four_bits("words", levels[:known])
        scale = g.constant("words.scale", scales[:known])
        return g.node(
            "GatherBlockQuantized",
            [table, "input_ids", scale],
            "looked_up",
            domain=CONTRIB,
            gather_axis=0,
            quantize_axis=1,
            block_size=_BLOCK,
        )

    return encoder(
        "multilingual-e5-small",
        _weights(packed, dimension),
        layers=packed.layers,
        dimension=dimension,
        max_tokens=max_tokens,
        words=words,
    )


def _weights(packed: PackedModel, dimension: int) -> Weights:
    w = {
        "embeddings.position_embeddings.weight": packed.floats("emb.pos").reshape(-1, dimension),
        "embeddings.token_type_embeddings.weight": packed.floats("emb.type").reshape(-1, dimension),
        "embeddings.LayerNorm.weight": packed.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": packed.floats("emb.ln.b"),
    }
    for layer in range(packed.layers):
        for name, short in _PARTS.items():
            inputs = _INNER if short == "fo" else dimension
            w[f"encoder.layer.{layer}.{name}.weight"] = packed.weights(f"l{layer}.{short}.w", inputs)
            w[f"encoder.layer.{layer}.{name}.bias"] = packed.floats(f"l{layer}.{short}.b")
        for name, short in _NORMS.items():
            w[f"encoder.layer.{layer}.{name}.weight"] = packed.floats(f"l{layer}.{short}.w")
            w[f"encoder.layer.{layer}.{name}.bias"] = packed.floats(f"l{layer}.{short}.b")
    return w
