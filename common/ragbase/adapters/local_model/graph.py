"""BERT encoders as ONNX graphs of 8-bit matrix products.

Weights are quantised to 7 bits by column, activations to 8 bits by token. The scale is that of a token, not a tensor,
so a text's vector does not depend on its batch. With 7 bits for weights, the 16-bit sums of processors without VNNI
cannot overflow, and an emulated Haswell gives the same vectors. Measured with all-MiniLM-L6-v2: 1.6 times the speed of
32-bit floats, cosine to their vectors .997, and nDCG@10 of dense search on Cranfield .398, with 32-bit floats .396.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import onnx

    Weights = Mapping[str, npt.NDArray[np.float32]]
    """By the names that they have in files of published BERT models."""

_HEADS = 12
_EPSILON = 1e-12
_WEIGHT_LIMIT = 63
"""The sum of two products of 255 and 63 fits into 16 bits. With 127 in place of 63 it does not."""

CONTRIB = "com.microsoft"
"""The domain of onnxruntime's own operators."""

_OPSETS = {"": 19, CONTRIB: 1}
_IR_VERSION = 9
_IR_VERSION_OF_FOUR_BITS = 10
"""The first that has numbers of 4 bits."""


class Graph:
    """The nodes and constants of a graph that is being built."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self.ir_version = _IR_VERSION

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        import numpy as np
        from onnx import numpy_helper

        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def four_bits(self, name: str, levels: npt.NDArray[np.int8]) -> str:
        """A constant of levels from -8 to 7, two of which are in a byte."""
        from onnx import TensorProto, helper

        pairs = levels.reshape(-1, 2).view("u1") & 0x0F
        data = (pairs[:, 0] | pairs[:, 1] << 4).tobytes()
        self.ir_version = _IR_VERSION_OF_FOUR_BITS
        self.constants[name] = helper.make_tensor(name, TensorProto.INT4, levels.shape, data, raw=True)
        return name

    def node(self, operator: str, inputs: list[str], output: str, *more: str, domain: str = "", **options: Any) -> str:
        """Append a node and return the name of its first output."""
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [output, *more], domain=domain, **options))
        return output

    def product(self, x: str, name: str, weight: npt.NDArray[np.float32]) -> str:
        """x · weight for x of shape (tokens, inputs) and weight (inputs, outputs), in 8 bits."""
        import numpy as np

        scale = np.abs(weight).max(axis=0) / np.float32(_WEIGHT_LIMIT)
        column_scale = self.constant(f"{name}.scale", scale)
        quantised = self.constant(f"{name}.weight", np.rint(weight / scale).astype(np.int8))
        magnitude = self.node("Abs", [x], f"{name}.magnitude")
        largest = self.node("ReduceMax", [magnitude, "one"], f"{name}.largest", keepdims=0)
        token_scale = self.node("Mul", [largest, "step"], f"{name}.token_scale")
        levels = self.node("QuantizeLinear", [x, token_scale, "zero_points"], f"{name}.levels", axis=0)
        inputs = [levels, quantised, "unit", column_scale, "zero_point"]
        unscaled = self.node("MatMulIntegerToFloat", inputs, f"{name}.unscaled", domain=CONTRIB)
        factor = self.node("Unsqueeze", [token_scale, "one"], f"{name}.factor")
        return self.node("Mul", [unscaled, factor], f"{name}.product")


def encoder(
    name: str, w: Weights, *, layers: int, dimension: int, max_tokens: int, words: Callable[[Graph], str]
) -> bytes:
    """A serialised ONNX model, the same bytes on every machine.

    input_ids (int64; 1, length ≤ max_tokens) → embedding (float32, unit length; 1, dimension), the mean over tokens.
    It takes one text, so no token is padding and the attention needs no mask, which is much faster. `words` adds what
    looks up the words of `input_ids`, and returns its 16-bit output.
    """
    import numpy as np
    from onnx import TensorProto, helper

    g = Graph()
    for constant, value in {"zero": [0], "one": [1], "rows": [-1, dimension], "width": [dimension]}.items():
        g.constant(constant, np.array(value, np.int64))
    g.constant("thirds", np.full(3, dimension, np.int64))
    g.constant("unit", np.array(1, np.float32))
    g.constant("step", np.array(1 / 127, np.float32))
    g.constant("zero_point", np.array(128, np.uint8))

    g.node("Shape", ["input_ids"], "shape")
    g.node("Shape", ["input_ids"], "length", start=1, end=2)
    g.node("Concat", ["shape", "width"], "cube", axis=0)
    x = g.node("Reshape", [_embedded_tokens(g, w, words, max_tokens), "rows"], "tokens")
    g.node("Shape", [x], "count", start=0, end=1)
    g.node("Expand", ["zero_point", "count"], "zero_points")
    for layer in range(layers):
        x = _layer(g, w, layer, x)

    states = g.node("Reshape", [x, "cube"], "states")
    total = g.node("ReduceSum", [states, "one"], "total", keepdims=0)
    g.node("LpNormalization", [total], "embedding", axis=-1, p=2)  # the mean has the direction of the sum

    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "length"])
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, dimension])
    graph = helper.make_graph(g.nodes, name, [ids], [output], list(g.constants.values()))
    opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=g.ir_version)
    return bytes(model.SerializeToString(deterministic=True))


def _embedded_tokens(g: Graph, w: Weights, words: Callable[[Graph], str], max_tokens: int) -> str:
    """Word, position and type embeddings. Every token is of type 0, so the types are added to the positions here."""
    from onnx import TensorProto

    places = w["embeddings.position_embeddings.weight"][:max_tokens] + w["embeddings.token_type_embeddings.weight"][0]
    looked_up = words(g)
    place = g.node("Slice", [g.constant("places", places), "zero", "length", "zero"], "place")
    placed = g.node("Add", [g.node("Cast", [looked_up], "word", to=TensorProto.FLOAT), place], "placed")
    norm = [g.constant(f"embedding.{part}", w[f"embeddings.LayerNorm.{part}"]) for part in ("weight", "bias")]
    return g.node("LayerNormalization", [placed, *norm], "embedded", epsilon=_EPSILON)


def _layer(g: Graph, w: Weights, layer: int, x: str) -> str:
    import numpy as np

    source = f"encoder.layer.{layer}"
    attention = f"{source}.attention"

    def residual(name: str, product: str, bias: str, before: str, norm: str) -> str:
        biased = g.node("Add", [product, g.constant(f"{name}.bias", w[bias])], f"{name}.biased")
        added = g.node("Add", [biased, before], f"{name}.added")
        parts = [g.constant(f"{name}.norm.{part}", w[f"{norm}.{part}"]) for part in ("weight", "bias")]
        return g.node("LayerNormalization", [added, *parts], name, epsilon=_EPSILON)

    parts = [f"{attention}.self.{part}" for part in ("query", "key", "value")]
    merged = g.product(x, f"{layer}.qkv", np.concatenate([w[f"{part}.weight"].T for part in parts], axis=1))
    bias = g.constant(f"{layer}.qkv.bias", np.concatenate([w[f"{part}.bias"] for part in parts]))
    thirds = [f"{layer}.{third}" for third in ("query", "key", "value")]
    g.node("Split", [merged, "thirds"], thirds[0], *thirds[1:], axis=-1)
    cubes = [g.node("Reshape", [third, "cube"], f"{third}.cube") for third in thirds]
    heads = g.node("MultiHeadAttention", [*cubes, bias], f"{layer}.heads", domain=CONTRIB, num_heads=_HEADS)
    context = g.node("Reshape", [heads, "rows"], f"{layer}.context")
    output = g.product(context, f"{layer}.output", w[f"{attention}.output.dense.weight"].T)
    dense = f"{attention}.output.dense.bias"
    attended = residual(f"{layer}.attended", output, dense, x, f"{attention}.output.LayerNorm")

    inner = g.product(attended, f"{layer}.inner", w[f"{source}.intermediate.dense.weight"].T)
    inner_bias = g.constant(f"{layer}.inner.bias", w[f"{source}.intermediate.dense.bias"])
    activated = g.node("BiasGelu", [inner, inner_bias], f"{layer}.activated", domain=CONTRIB)
    outer = g.product(activated, f"{layer}.outer", w[f"{source}.output.dense.weight"].T)
    return residual(f"{layer}.out", outer, f"{source}.output.dense.bias", attended, f"{source}.output.LayerNorm")
