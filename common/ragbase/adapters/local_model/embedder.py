"""A model on this machine's processor: onnxruntime runs the graph that local_model/prepare.py has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ragbase.adapters.local_model.model import GRAPH, TOKENIZER, LocalModel, checked_files
from ragbase.adapters.local_model.quiet_runtime import quiet_runtime
from ragbase.adapters.local_model.turns import turns_of_process
from ragbase.ports import Embeddings
from ragbase.processors import processors

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

    Runs = list[list[int]]
    """The ids of a text's tokens, in one list for each run of the model."""


class LocalEmbedder:
    """An Embedder with the model in its folder below `models`. A text's vector does not depend on the texts that it is
    embedded with.

    It is loaded by `load` or with the first text, and prepared before that if it is not on this machine yet. Each text
    is run in one thread. As many texts of documents run at once as there are processors; a question runs in its
    caller's thread, before the next text.
    """

    def __init__(self, model: LocalModel, models: Path) -> None:
        self._model = model
        self._models = models
        self._turns = turns_of_process()
        self._loading = Lock()
        self._loaded: LoadedModel | None = None

    @property
    def model(self) -> str:
        return self._model.name

    @property
    def dimension(self) -> int:
        return self._model.dimension

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
            (runs,) = model.runs([text], self._model.query_prefix)
            return model.embed(runs)

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        if not texts:
            return Embeddings([])
        model = self.load()
        runs = model.runs(texts, self._model.passage_prefix)
        # The longest first: at the end, no processor waits long for another.
        order = sorted(range(len(runs)), key=lambda text: sum(map(len, runs[text])), reverse=True)
        made = self._workers.map(lambda text: self._in_turn(model, runs[text]), order)
        vectors = dict(zip(order, made, strict=True))
        return Embeddings([vectors[text] for text in range(len(texts))])

    def _in_turn(self, model: LoadedModel, runs: Runs) -> Vector:
        self._turns.wait_for_questions()
        return model.embed(runs)

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(processors(), "local-model")

    def prepare(self) -> Path:
        """The model's folder, with its files. Raises ConfigurationError if they are missing and cannot be made."""
        from ragbase.adapters.local_model.prepare import prepare

        return prepare(self._model, self._models)

    def files(self) -> dict[str, Path]:
        """The prepared files by name. Raises ConfigurationError as `load`."""
        return checked_files(self._model, self.prepare())

    def load(self) -> LoadedModel:
        """The model, loaded only once, even if several threads ask for it.

        Raises ConfigurationError if it cannot be prepared, or one of its files is wrong.
        """
        with self._loading:
            if self._loaded is None:
                self._loaded = LoadedModel(self._model, self.files())
            return self._loaded


class LoadedModel:
    """A session and its tokenizer. Both may be used by several threads at once."""

    def __init__(self, model: LocalModel, files: Mapping[str, Path]) -> None:
        import tokenizers

        onnxruntime = quiet_runtime()

        self._model = model
        self._tokenizer = tokenizers.Tokenizer.from_file(str(files[TOKENIZER]))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.max_tokens * model.most_runs)
        begin, self._end = self._tokenizer.encode("").ids
        self._begin_with = {
            prefix: [begin, *self._tokenizer.encode(prefix, add_special_tokens=False).ids]
            for prefix in (model.query_prefix, model.passage_prefix)
        }
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(files[GRAPH]),  # of bytes, the session would keep a copy
            options,
            providers=["CPUExecutionProvider"],
            # The fused operator is slower than the sum and the normalisation that it replaces.
            disabled_optimizers=["SkipLayerNormFusion"],
        )

    def runs(self, texts: Sequence[str], prefix: str) -> list[Runs]:
        """What the model reads of each text, with the prefix in each run."""
        encodable = [text.encode(errors="replace").decode() for text in texts]  # UTF-8 has no lone surrogates
        begin = self._begin_with[prefix]
        encoded = self._tokenizer.encode_batch_fast(encodable, add_special_tokens=False)
        return [self._split(encoding.ids, begin) for encoding in encoded]

    def _split(self, ids: Sequence[int], begin: Sequence[int]) -> Runs:
        """The first runs are as long as the model reads: a text of one token too many has nearly the vector that it has
        without it."""
        room = self._model.max_tokens - len(begin) - 1
        starts = range(0, max(1, len(ids)), room)[: self._model.most_runs]
        return [[*begin, *ids[start : start + room], self._end] for start in starts]

    def embed(self, runs: Runs) -> Vector:
        """The vector of one text. Other threads go on meanwhile."""
        import numpy as np

        vectors = [self._run(tokens) for tokens in runs]
        if len(vectors) == 1:
            return vectors[0]
        mean = np.average(vectors, axis=0, weights=[len(tokens) for tokens in runs])
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def _run(self, tokens: Sequence[int]) -> Vector:
        import numpy as np

        ((vector,),) = self._session.run(None, {"input_ids": np.array([tokens], np.int64)})
        return np.asarray(vector, np.float32)
