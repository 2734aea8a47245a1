"""What every chat model does: it writes what it is told to, says when it was cut off, and what it cost."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ragbase.adapters.cohere.chat_model import CohereChatModel
from ragbase.domain.errors import Unavailable
from ragbase.ports import ChatModel, work_until
from ragbase.testing.chat_model import MemoryChatModel
from ragbase.testing.contracts.chat_model import ChatModelContract
from tests.unit.adapters.chat_service import Answering, Reply, serving
from tests.unit.adapters.chat_vendors import VENDORS, answered


def _repeated(message: str, most_tokens: int) -> tuple[str, bool]:
    words = message.split()
    return " ".join(words[:most_tokens]), len(words) > most_tokens


def of_vendor(name: str) -> Callable[[], AbstractContextManager[ChatModel]]:
    vendor = VENDORS[name]

    def answer(request: Mapping[str, Any]) -> Reply:
        text, cut_off = _repeated(vendor.message(request), request["max_tokens"])
        return Reply(answered(name, text, "cut" if cut_off else "stop"))

    @contextmanager
    def made() -> Iterator[ChatModel]:
        with serving(answer) as server, closing(vendor.made(server.url, 30, lambda _: None)) as model:
            yield model

    return made


def _cohere_events(text: str, finish: str) -> Iterator[bytes]:
    start = {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant", "content": []}}}
    words = {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}}
    usage = {"billed_units": {"input_tokens": 9, "output_tokens": 5}}
    end = {"type": "message-end", "id": "1", "delta": {"finish_reason": finish, "usage": usage}}
    yield from (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in (start, words, end))


def _as_cohere(request: Mapping[str, Any]) -> Reply:
    text, cut_off = _repeated(request["messages"][1]["content"], request["max_tokens"])
    return Reply(_cohere_events(text, "MAX_TOKENS" if cut_off else "COMPLETE"))


@contextmanager
def cohere(answer: Answering = _as_cohere) -> Iterator[ChatModel]:
    with serving(answer) as server, closing(CohereChatModel("key", model="command-a", url=server.url)) as model:
        yield model


CHAT_MODELS: Mapping[str, Callable[[], AbstractContextManager[ChatModel]]] = {
    **{name: of_vendor(name) for name in VENDORS},
    "cohere": cohere,
}


@pytest.fixture(params=CHAT_MODELS)
def chat_model(request: pytest.FixtureRequest) -> Iterator[ChatModel]:
    with CHAT_MODELS[request.param]() as chat_model:
        yield chat_model


class TestChatModels(ChatModelContract):
    """Each of ours."""


@pytest.mark.parametrize("name", [*VENDORS, "cohere"])
def test_it_waits_no_longer_than_the_work_may_take(name: str) -> None:
    """A rule stands ready where a short text does not come in time."""
    over = threading.Event()

    def late(request: Mapping[str, Any]) -> Reply:
        over.wait(10)
        return Reply(answered(name, "Ships.")) if name in VENDORS else _as_cohere(request)

    with ExitStack() as opened:
        if name in VENDORS:
            server = opened.enter_context(serving(late))
            model: ChatModel = opened.enter_context(closing(VENDORS[name].made(server.url, 30, lambda _: None)))
        else:
            model = opened.enter_context(cohere(late))
        opened.callback(over.set)
        with work_until(datetime.now(UTC) + timedelta(seconds=0.3)), pytest.raises(Unavailable):
            list(model.write("Repeat.", "ships", most_tokens=9))


def test_the_one_in_memory_names_itself_and_bills() -> None:
    model = MemoryChatModel(lambda _, message: message)
    assert model.model
    assert next(iter(model.write("Repeat.", "a b", most_tokens=9))) == "a b"
