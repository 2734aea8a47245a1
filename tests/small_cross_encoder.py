"""A cross-encoder of the shape of published ones, and small: it counts the words of a question that a passage has."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

_MARKS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")
_END = _MARKS.index("[SEP]")
_WIDTH = 4
_OUTPUTS: Mapping[str, list[str | int | None]] = {
    "one": ["pairs", 1],
    "two": ["pairs", 2],
    "three": ["pairs", 3],
    "states": ["pairs", "length", _WIDTH],
}


def small_cross_encoder(
    folder: Path,
    texts: Sequence[str],
    *,
    ends_in: str = "one",
    types: bool = False,
    longest: int | None = None,
    endless_from: int = 1_000_000,
) -> Path:
    """Write its files, in the places of model hubs, for the words of the texts. `ends_in`: one logit, two, three, or
    hidden states, which a head of files beside scores. With `types`, it wants to know which tokens are of the passage;
    `longest` is what its tokenizer says it reads. It never ends with a pair of more than `endless_from` tokens."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(_graph(ends_in, types, endless_from).SerializeToString())
    _tokenizer(texts, longest).save(str(folder / "tokenizer.json"))
    if ends_in == "states":
        eye = np.eye(_WIDTH)
        write_tensors(folder / "2_Dense" / "model.safetensors", {"linear.weight": eye})
        write_tensors(
            folder / "3_LayerNorm" / "model.safetensors", {"norm.weight": eye.sum(0), "norm.bias": 0 * eye[0]}
        )
        score = {"linear.weight": eye[:1] - eye[1:2], "linear.bias": np.zeros(1)}
        write_tensors(folder / "4_Dense" / "model.safetensors", score)
    return folder


def write_tensors(path: Path, tensors: Mapping[str, Any]) -> None:
    """A file in the format safetensors."""
    header, data = {}, b""
    for name, values in tensors.items():
        raw = np.asarray(values, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(np.shape(values)), "data_offsets": [len(data), len(data + raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def _tokenizer(texts: Sequence[str], longest: int | None) -> Tokenizer:
    words = pre_tokenizers.Whitespace()
    found = {word for text in texts for word, _ in words.pre_tokenize_str(text.lower())}
    known = [*_MARKS, *sorted(found)]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = words
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", _END)],
    )
    if longest is not None:
        tokenizer.enable_truncation(longest)
    return tokenizer


def _loop(node: Callable[..., str]) -> None:
    """The ids as they are, after as many turns as the length wants."""
    node("Shape", ["input_ids"], "length", start=1, end=2)
    node("Cast", [node("Greater", ["length", "longest"], "too_long")], "endless", to=TensorProto.INT64)
    node("Squeeze", [node("Mul", ["endless", "many"], "turns")], "trips")

    def value(name: str, kind: int, shape: Sequence[str]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, shape)

    shape = ["pairs", "length"]
    body = helper.make_graph(
        [helper.make_node("Identity", ["on"], ["on_out"]), helper.make_node("Identity", ["kept"], ["kept_out"])],
        "turn",
        [
            value("turn", TensorProto.INT64, []),
            value("on", TensorProto.BOOL, []),
            value("kept", TensorProto.INT64, shape),
        ],
        [value("on_out", TensorProto.BOOL, []), value("kept_out", TensorProto.INT64, shape)],
    )
    node("Loop", ["trips", "go_on", "input_ids"], "ids", body=body)


def _graph(ends_in: str, types: bool, endless_from: int) -> onnx.ModelProto:
    constants: dict[str, Any] = {
        "end": np.array(_END),
        "marks": np.array(len(_MARKS) - 1),
        "one": np.array(1),
        "across": np.array([1]),
        "down": np.array([2]),
        "both": np.array([1, 2]),
        "worth": np.array(0 if ends_in == "states" else 2, np.float32),  # states have no negative numbers
        "columns": np.eye(3, dtype=np.float32)[:1],
        "turned": np.array([[-1, 1]], np.float32),
        "state": np.array([1, 0, 0, 0], np.float32),
        "rest": np.array([0, 1, 0, -1], np.float32),
        "zero": np.array(0),
        "many": np.array(10**12),
        "longest": np.array(endless_from),
        "go_on": np.array(True),
    }
    nodes: list[onnx.NodeProto] = []

    def node(operator: str, inputs: Sequence[str], output: str, **options: Any) -> str:
        nodes.append(helper.make_node(operator, inputs, [output], **options))
        return output

    _loop(node)
    node("Cast", [node("Equal", ["ids", "end"], "is_end")], "ends", to=TensorProto.INT64)
    node("CumSum", ["ends", "one"], "part")  # 0 in the question, 1 from the first end on
    node("Mul", ["attention_mask", "ids"], "unpadded")
    node("Greater", ["unpadded", "marks"], "is_word")
    of_passage = "token_type_ids" if types else "part"
    node("And", ["is_word", node("Equal", ["part", "zero"], "first")], "asked")
    node("And", ["is_word", node("Equal", [of_passage, "one"], "second")], "told")
    node("Equal", [node("Unsqueeze", ["ids", "down"], "rows"), node("Unsqueeze", ["ids", "across"], "cols")], "same")
    node(
        "And",
        [node("Unsqueeze", ["asked", "down"], "asked_rows"), node("Unsqueeze", ["told", "across"], "told_cols")],
        "apart",
    )
    node("Cast", [node("And", ["same", "apart"], "hits")], "numbers", to=TensorProto.FLOAT)
    node("ReduceSum", ["numbers", "both"], "count", keepdims=0)
    node("Unsqueeze", [node("Sub", ["count", "worth"], "logit"), "across"], "logits")
    output = "logits"
    if ends_in == "two":
        output = node("MatMul", ["logits", "turned"], "two")
    elif ends_in == "three":
        output = node("MatMul", ["logits", "columns"], "three")
    elif ends_in == "states":
        node("Cast", [node("Unsqueeze", ["ids", "down"], "places")], "floats", to=TensorProto.FLOAT)
        node("Mul", [node("Sub", ["floats", "floats"], "zeros"), "state"], "empty")
        scaled = node("Mul", [node("Unsqueeze", ["logits", "down"], "cube"), "state"], "scaled")
        output = node("Add", [node("Add", ["empty", scaled], "filled"), "rest"], "last_hidden_state")
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "length"]) for name in names],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, _OUTPUTS[ends_in])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
