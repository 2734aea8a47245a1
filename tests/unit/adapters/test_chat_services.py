"""What the chat model for services with an API like OpenAI's makes of their answers (chat_services.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from ragbase.adapters.openai.chat_model import OpenAIChatModel
from ragbase.ports import Billed, CutOff
from tests.unit.adapters.chat_service import KEY, Answering, Server, serving
from tests.unit.adapters.chat_services import TEXT, USAGE, WORKING


@contextmanager
def on(answer: Answering) -> Iterator[tuple[Server, OpenAIChatModel]]:
    with (
        serving(answer) as server,
        closing(OpenAIChatModel(f"{server.url}/v1", KEY, "model", timeout=30, sleep=lambda _: None)) as model,
    ):
        yield server, model


def written(model: OpenAIChatModel) -> tuple[str, Billed, list[CutOff]]:
    parts = list(model.write("Answer.", "Who counts the ships?", most_tokens=100))
    *_, billed = parts
    assert isinstance(billed, Billed)
    text = "".join(part for part in parts if isinstance(part, str))
    return text, billed, [part for part in parts if isinstance(part, CutOff)]


@pytest.mark.parametrize("name", WORKING)
def test_every_service_says_the_same_also_the_second_time(name: str) -> None:
    with on(WORKING[name][1]) as (server, model):
        text, billed, cut_off = written(model)
        asked = len(server.requests)
        assert written(model)[0].strip() == text.strip() == TEXT
        assert len(server.requests) == asked + 1, "what was refused once is not sent again"
    assert not cut_off
    if "usage" not in name or "Groq" in name:
        assert billed == Billed(USAGE["prompt_tokens"], USAGE["completion_tokens"])
    assert billed.input_tokens > 0 and billed.output_tokens > 0, "else the answer would cost nothing in a day's limit"


def test_the_instructions_and_the_message_go_apart_and_the_tokens_are_limited() -> None:
    with on(WORKING["OpenAI"][1]) as (server, model):
        written(model)
    (request,) = server.requests
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert (request["max_tokens"], request["temperature"], request["stream"]) == (100, 0, True)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.paths == ["/v1/chat/completions"]
    assert "tools" not in request
