"""A cross-encoder on this machine's processor: onnxruntime runs a graph that reads question and passage together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from ragbase.adapters.local_model.cross_encoder_files import GRAPH, TOKENIZER
from ragbase.adapters.local_model.quiet_runtime import quiet_runtime
from ragbase.adapters.local_model.scoring_head import HEAD, ScoringHead
from ragbase.domain.errors import ConfigurationError
from ragbase.processors import processors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import tokenizers

    Scores = npt.NDArray[np.float32]

MOST_TOKENS = 512
"""Of a pair, if the model itself does not read fewer. A question and a passage of 1,000 characters have some 250."""

_IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"
_STATES = 3
"""The dimensions of hidden states: pairs, tokens, width."""
_TRIAL = ("Who counts the ships?", "The keeper counts the ships.")
_TRIAL_PATIENCE = 60.0
"""Seconds for one short pair. A model that needs longer is none for questions that somebody waits for."""


class TooSlow(Exception):
    """The pairs were not read within the seconds."""


class CrossEncoder:
    """A graph, its tokenizer, and its head if it has one apart. Several threads may use it at once, and each run takes
    all processors.

    Raises ConfigurationError for files that are no cross-encoder: each is tried with a pair.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._graph = files[GRAPH]
        self._tokenizer = self._opened_tokenizer(files[TOKENIZER])
        self._pad = (self._tokenizer.padding or {}).get("pad_id") or 0
        most = (self._tokenizer.truncation or {}).get("max_length") or MOST_TOKENS
        self._tokenizer.no_padding()
        # It shortens the longer of the two: the passage, as long as the question is not half of what the model reads.
        self._tokenizer.enable_truncation(min(most, MOST_TOKENS), strategy="longest_first")
        self._session = self._opened_session()
        self._inputs = self._checked_inputs()
        self._output, self._head = self._checked_output(files)
        self._try()

    def pairs(self, question: str, texts: Sequence[str]) -> list[tokenizers.Encoding]:
        """What the model reads of the question with each of the texts."""
        readable = [(_readable(question), _readable(text)) for text in texts]
        return list(self._tokenizer.encode_batch(readable))

    def logits(self, pairs: Sequence[tokenizers.Encoding], seconds: float) -> Scores:
        """A score, before any sigmoid, of each pair. Raises TooSlow after the seconds, and ValueError for scores that
        are no numbers."""
        import numpy as np

        width = max(len(pair.ids) for pair in pairs)
        given = {
            _IDS: [[*pair.ids, *[self._pad] * (width - len(pair.ids))] for pair in pairs],
            _MASK: [[1] * len(pair.ids) + [0] * (width - len(pair.ids)) for pair in pairs],
            _TYPES: [[*pair.type_ids, *[0] * (width - len(pair.ids))] for pair in pairs],
        }
        feed = {name: np.array(given[name], np.int64) for name in self._inputs}
        output = np.asarray(self._run(feed, seconds), np.float32)
        scores = self._scores(output, len(pairs))
        if not np.isfinite(scores).all():
            raise ValueError("the model gave scores that are no numbers")
        return scores

    def _scores(self, output: Scores, pairs: int) -> Scores:
        if self._head is not None:
            if output.ndim != _STATES or output.shape[0] != pairs or output.shape[2] != self._head.width:
                raise ValueError(f"states of the shape {output.shape}, for a head of {self._head.width}")
            return self._head(output[:, 0])
        if output.shape == (pairs, 1):
            return output[:, 0]
        if output.shape == (pairs, 2):
            # The logit of "relevant" in a softmax of both.
            return output[:, 1] - output[:, 0]
        raise ValueError(f"scores of the shape {output.shape}, where ({pairs}, 1) or ({pairs}, 2) belong")

    def _run(self, feed: Mapping[str, Any], seconds: float) -> Any:
        with _ended_after(seconds) as options:
            try:
                (output,) = self._session.run([self._output], dict(feed), options)
            except Exception as error:
                if options.terminate:
                    raise TooSlow from error
                raise
        return output

    def _opened_tokenizer(self, path: Path) -> tokenizers.Tokenizer:
        import tokenizers

        try:
            return tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises no narrower one
            raise ConfigurationError(f"{path} is no file of a tokenizer: {_line(error)}. Get it again.") from error

    def _opened_session(self) -> Any:
        onnxruntime = quiet_runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = processors()
        options.log_severity_level = 4  # what is wrong is raised, and said in one line
        try:
            return onnxruntime.InferenceSession(str(self._graph), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # one of many of the library's
            raise ConfigurationError(
                f"{self._graph} is no graph that onnxruntime can run: {_line(error)}. Get it again, or take another "
                "export of the model."
            ) from error

    def _checked_inputs(self) -> list[str]:
        names = [one.name for one in self._session.get_inputs()]
        if _IDS not in names or not {_IDS, _MASK, _TYPES}.issuperset(names):
            raise ConfigurationError(
                f"{self._graph} is no cross-encoder that ragbase can run: it reads {', '.join(names)}, where {_IDS}, "
                f"{_MASK} and {_TYPES} are known. Take another export of the model."
            )
        return names

    def _checked_output(self, files: Mapping[str, Path]) -> tuple[str, ScoringHead | None]:
        """The name of the output that counts, and the head for it if it holds states."""
        outputs = {one.name: len(one.shape) for one in self._session.get_outputs()}
        name = next(iter(outputs))
        if outputs[name] != _STATES:
            return name, None
        if missing := [one for one in HEAD if one not in files]:
            raise ConfigurationError(
                f"{self._graph} ends at hidden states, and the folder lacks what scores them: {', '.join(missing)}. "
                "Get these files from the same place as the graph."
            )
        return name, ScoringHead(files)

    def _try(self) -> None:
        try:
            self.logits(self.pairs(_TRIAL[0], [_TRIAL[1], ""]), _TRIAL_PATIENCE)
        except TooSlow as error:
            raise ConfigurationError(
                f"{self._graph} needs more than {_TRIAL_PATIENCE:.0f} seconds for two short pairs. Take a smaller "
                "cross-encoder."
            ) from error
        except Exception as error:  # onnxruntime's have no common class
            raise ConfigurationError(
                f"{self._graph} is no cross-encoder that ragbase can run: {_line(error)}. Take another export of the "
                "model, with its own tokenizer.json."
            ) from error


@contextmanager
def _ended_after(seconds: float) -> Iterator[Any]:
    """Options of a run that ends after so many seconds, between two of the graph's nodes."""
    options = quiet_runtime().RunOptions()
    timer = Timer(seconds, setattr, (options, "terminate", True))
    timer.daemon = True
    timer.start()
    try:
        yield options
    finally:
        timer.cancel()


def _readable(text: str) -> str:
    return text.encode(errors="replace").decode()  # UTF-8 has no lone surrogates


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
