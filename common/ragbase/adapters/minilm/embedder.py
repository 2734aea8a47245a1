"""all-MiniLM-L6-v2 on this machine's processor: onnxruntime runs the model that minilm/export.py makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ragbase.adapters.minilm.model import DIMENSION, GRAPH, MAX_TOKENS, MODEL, TOKENIZER, read
from ragbase.adapters.minilm.turns import Turns
from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

_BATCH_TOKENS = 384
"""Tokens of one run, padding included. Short texts are faster together, long ones alone, because then the data between
layers stays in the processor's cache (texts of 235 tokens: 29 a second alone, 22 in pairs, 16 in groups of eight)."""

_PATIENCE = 0.2
"""Seconds that a batch of documents waits for questions, each of which takes some milliseconds."""


class MiniLM:
    """The model in `models`/MODEL. A text's vector does not depend on the texts that it is embedded with.

    It is loaded by `load` or with the first text, and prepared before that if it is not on this machine yet.
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

    def embed_query(self, text: str) -> Vector:
        return self._embed([text], self._turns.question)[0]

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings(self._embed(texts, self._turns.batch) if texts else [])

    def _embed(self, texts: Sequence[str], turn: Callable[[], AbstractContextManager[None]]) -> list[Vector]:
        """The vectors of at least one text. Each run of the model waits for its turn."""
        import numpy as np

        model = self.load()
        encodable = [text.encode(errors="replace").decode() for text in texts]  # UTF-8 has no lone surrogates
        tokens = [encoding.ids for encoding in model.tokenizer.encode_batch_fast(encodable)]
        vectors = np.empty((len(texts), DIMENSION), np.float32)
        for batch in _batches([len(ids) for ids in tokens]):
            length = len(tokens[batch[-1]])
            ids = np.zeros((len(batch), length), np.int64)
            mask = np.zeros_like(ids)
            for row, text in enumerate(batch):
                ids[row, : len(tokens[text])] = tokens[text]
                mask[row, : len(tokens[text])] = 1
            with turn():
                (vectors[batch],) = model.session.run(None, {"input_ids": ids, "attention_mask": mask})
        return list(vectors)

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

        self.tokenizer = tokenizers.Tokenizer.from_buffer(files[TOKENIZER])
        # The file sets truncation and padding to 128 tokens.
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        # Idle threads of the session sleep, because extraction and the store need the processor too.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(files[GRAPH], options, providers=["CPUExecutionProvider"])


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indexes of texts in groups of about equal length, shortest first, so that little is computed for padding."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    yield batch
