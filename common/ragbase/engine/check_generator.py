"""Whether the language model of the settings writes."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragbase.bootstrap.generators import chat_model_of
from ragbase.ports import Billed, CutOff

if TYPE_CHECKING:
    from ragbase.settings import Config

_INSTRUCTIONS = "Write the one word ready, and nothing else."
_MESSAGE = "Are you ready?"


def try_chat_model(config: Config) -> str:
    """What the language model of the settings writes, tried with a few words, with at most `answer_tokens` for its
    answer: a model that thinks may need them. "No language model" if the generator has none.

    Raises what ChatModel.write raises.
    """
    with ExitStack() as opened:
        model = chat_model_of(config, opened)
        if model is None:
            return "no language model"
        parts = list(model.write(_INSTRUCTIONS, _MESSAGE, most_tokens=config.answer_tokens))
    tokens = sum(part.input_tokens + part.output_tokens for part in parts if isinstance(part, Billed))
    cut_off = next((f"; cut off ({part.reason})" for part in parts if isinstance(part, CutOff)), "")
    return f"{model.model} writes; {tokens} tokens for a word{cut_off}"
