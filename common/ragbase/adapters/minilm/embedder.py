"""all-MiniLM-L6-v2 on this machine's processor: onnxruntime runs the model that minilm/export.py makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ragbase.adapters.minilm.model import DIMENSION, GRAPH, MAX_TOKENS, MODEL, TOKENIZER, read
from ragbase.adapters.minilm.turns import Turns
from ragbase.ports import Embeddings
from ragbase.processors import processors

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

_PATIENCE = 0.2
"""Seconds that a text of a document waits for questions, each of which takes some milliseconds."""


class MiniLM:
    """The model in `models`/FOLDER. A text's vector does not depend on the texts that it is embedded with.

    It is loaded by `load` or with the first text, and prepared before that if it is not on this machine yet. Each text
    is one run of the model in one thread. As many texts of documents run at once as there are processors; a question
    runs in its caller's thread, before the next text.
    """

    def __init__(self, models: Path) -> None:
        self._models = models
        self._turns = Turns(_PATIENCE)
        self._loading = Lock()
        self._loaded: LoadedModel | None = None

    @property
    def model(self) -> str:
        return MODEL

    @property
    def dimension(self) -> int:
        return DIMENSION

    @property
    def max_batch(self) -> int:
        return 64

    @property
    def at_a_time(self) -> int:
        """One call keeps all processors busy."""
        return 1

    def embed_query(self, text: str) -> Vector:
        model = self.load()
        with self._turns.question():
            return model.embed(model.tokens([text])[0])

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        if not texts:
            return Embeddings([])
        model = self.load()
        tokens = model.tokens(texts)
        # The longest first: at the end, no processor waits long for another.
        order = sorted(range(len(tokens)), key=lambda text: len(tokens[text]), reverse=True)
        made = self._workers.map(lambda text: self._in_turn(model, tokens[text]), order)
        vectors = dict(zip(order, made, strict=True))
        return Embeddings([vectors[text] for text in range(len(texts))])

    def _in_turn(self, model: LoadedModel, tokens: Sequence[int]) -> Vector:
        self._turns.wait_for_questions()
        return model.embed(tokens)

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(processors(), "minilm")

    def prepare(self) -> Path:
        """The model's folder, with its files. Raises ConfigurationError if they are missing and cannot be made."""
        from ragbase.adapters.minilm.export import prepare

        return prepare(self._models)

    def load(self) -> LoadedModel:
        """The model, loaded only once, even if several threads ask for it.

        Raises ConfigurationError if it cannot be prepared, or one of its files is wrong.
        """
        with self._loading:
            if self._loaded is None:
                self._loaded = LoadedModel(read(self.prepare()))
            return self._loaded


class LoadedModel:
    """A session and its tokenizer. Both may be used by several threads at once."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # it ships no types
        import tokenizers

        self._tokenizer = tokenizers.Tokenizer.from_buffer(files[TOKENIZER])
        # The file sets truncation and padding to 128 tokens.
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            files[GRAPH],
            options,
            providers=["CPUExecutionProvider"],
            # The fused operator is slower than the sum and the normalisation that it replaces.
            disabled_optimizers=["SkipLayerNormFusion"],
        )

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text's tokens, at most MAX_TOKENS."""
        encodable = [text.encode(errors="replace").decode() for text in texts]  # UTF-8 has no lone surrogates
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(encodable)]

    def embed(self, tokens: Sequence[int]) -> Vector:
        """The vector of one text. Other threads go on meanwhile."""
        import numpy as np

        ((vector,),) = self._session.run(None, {"input_ids": np.array([tokens], np.int64)})
        return np.asarray(vector, np.float32)
