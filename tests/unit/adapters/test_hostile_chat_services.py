"""No service can break a promise of an answer: every vendor, against a server that is well, at fault, or hostile."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field

import pytest

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.adapters.chat.generator import ChatGenerator
from ragbase.domain.errors import ConfigurationError, QuestionRefused, RagbaseError, Unavailable
from ragbase.ports import Billed, DraftCitation, DraftSentence
from ragbase.testing.passages import passage
from tests.unit.adapters.chat_service import JSON, KEY, STREAM, Answering, Reply, Server, serving
from tests.unit.adapters.chat_vendors import VENDORS, ClosedChatModel, Vendor, answered, begin, failed

EVIDENCE = (
    passage(1, "Bread is baked at four.", name="bakery.md"),
    passage(2, "It is old. The keeper counts the ships.", name="tower.md", header="Tower > Work"),
)
QUESTION = "Who counts the ships?"
TEXT = "The keeper counts the ships. [2] It is old. [2]"
SENTENCES = [
    DraftSentence("The keeper counts the ships.", (DraftCitation("2", "The keeper counts the ships."),)),
    DraftSentence("It is old.", (DraftCitation("2", "It is old."),)),
]
PATIENT, HASTY = 30.0, 0.2
"""Seconds that a service may be silent: where it is not, and where it is."""


class Asked:
    """A server for each vendor and patience, and its model: to make them takes longer than to ask."""

    def __init__(self) -> None:
        self._opened: dict[tuple[str, float], tuple[Server, ClosedChatModel, list[float]]] = {}
        self._closing = ExitStack()

    def of(self, vendor: str, timeout: float) -> tuple[Server, ClosedChatModel, list[float]]:
        if (vendor, timeout) not in self._opened:
            waits: list[float] = []
            server = self._closing.enter_context(serving(replying()))
            model = VENDORS[vendor].made(server.url, timeout, waits.append)
            self._closing.callback(model.close)
            self._opened[vendor, timeout] = server, model, waits
        server, model, waits = self._opened[vendor, timeout]
        server.requests.clear()
        waits.clear()
        return server, model, waits

    def close(self) -> None:
        self._opened.clear()
        self._closing.close()


_ASKED = Asked()


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    _ASKED.close()


@dataclass
class Outcome:
    """What became of one question."""

    server: Server
    waits: list[float]
    sentences: list[DraftSentence] = field(default_factory=list)
    billed: Billed | None = None
    error: RagbaseError | None = None


def ask(vendor: str, answer: Answering, *, timeout: float = PATIENT, most_tokens: int = 1000) -> Outcome:
    server, model, waits = _ASKED.of(vendor, timeout)
    server.answer = answer
    outcome = Outcome(server, waits)
    try:
        for part in ChatGenerator(model, most_tokens=most_tokens).generate(QUESTION, EVIDENCE):
            if isinstance(part, Billed):
                outcome.billed = part
            else:
                outcome.sentences.append(part)
    except RagbaseError as error:
        outcome.error = error
        assert KEY not in str(error) and "keeper" not in str(error)
    return outcome


def replying(*pieces: bytes, **of_reply: object) -> Answering:
    return lambda _: Reply(pieces, **of_reply)  # type: ignore[arg-type]


@pytest.fixture(params=VENDORS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def vendor(name: str) -> Vendor:
    return VENDORS[name]


def test_a_good_answer_has_its_sentences_and_its_price(name: str, vendor: Vendor) -> None:
    outcome = ask(name, replying(*answered(name, TEXT)))
    assert (outcome.sentences, outcome.error) == (SENTENCES, None)
    assert outcome.billed == Billed(100, 7)
    (request,) = outcome.server.requests
    assert "keeper" not in vendor.instructions(request)
    assert "The keeper counts the ships." in vendor.message(request)
    assert "tools" not in request


def test_an_answer_that_is_no_stream_is_one(name: str, vendor: Vendor) -> None:
    outcome = ask(name, replying(json.dumps(vendor.whole(TEXT)).encode(), headers=JSON))
    assert (outcome.sentences, outcome.billed, outcome.error) == (SENTENCES, Billed(100, 7), None)


@pytest.mark.parametrize("broken", [True, False], ids=["the connection breaks", "the body ends"])
def test_half_a_sentence_is_none(name: str, vendor: Vendor, broken: bool) -> None:
    pieces = (begin(name), vendor.words("The keeper counts the ships. [2] It is"))
    outcome = ask(name, replying(*pieces, broken=broken))
    assert outcome.sentences == SENTENCES[:1]
    assert isinstance(outcome.error, Unavailable)
    assert len(outcome.server.requests) == 1, "what has begun is not tried again"


def test_an_event_that_breaks_off_is_none(name: str, vendor: Vendor) -> None:
    pieces = (begin(name), vendor.words("The keeper counts the ships. [2] It"), vendor.words(" is old. [2]")[:-20])
    for broken in (True, False):
        outcome = ask(name, replying(*pieces, broken=broken))
        assert (outcome.sentences, type(outcome.error)) in [(SENTENCES[:1], Unavailable), (SENTENCES[:1], Unreachable)]


def test_the_sentence_in_which_an_answer_is_cut_off_is_left_out(name: str, vendor: Vendor) -> None:
    outcome = ask(name, replying(*answered(name, "The keeper counts the ships. [2] It is old and", "cut")))
    assert (outcome.sentences, outcome.error) == (SENTENCES[:1], None)


def test_tokens_that_do_not_suffice_for_a_word_are_named(name: str, vendor: Vendor) -> None:
    outcome = ask(name, replying(*answered(name, "", "cut")), most_tokens=20)
    assert isinstance(outcome.error, ConfigurationError) and "RAGBASE_ANSWER_TOKENS" in str(outcome.error)


def test_a_model_that_declines_refuses_the_question(name: str, vendor: Vendor) -> None:
    assert isinstance(ask(name, replying(*answered(name, "", "declined"))).error, QuestionRefused)


def test_a_passage_that_was_invented_is_not_cited(name: str, vendor: Vendor) -> None:
    outcome = ask(name, replying(*answered(name, "The keeper counts the ships. [7][2][0] It is old. [999]")))
    assert outcome.sentences == [SENTENCES[0], DraftSentence("It is old.")]


def test_a_tool_is_not_called_and_what_is_said_beside_it_counts(name: str, vendor: Vendor) -> None:
    *words, _ = answered(name, TEXT)
    assert ask(name, replying(*words, vendor.tool, vendor.end("tool"))).sentences == SENTENCES
    outcome = ask(name, replying(begin(name), vendor.tool, vendor.end("tool")))
    assert isinstance(outcome.error, Unavailable) and "call a tool" in str(outcome.error)


def test_words_without_end_are_stopped_by_the_tokens(name: str, vendor: Vendor) -> None:
    outcome = ask(name, lambda _: Reply(outcome_of.endless(vendor.words("It is old. [2] "))), most_tokens=50)
    assert outcome.error is None
    assert set(outcome.sentences) == {SENTENCES[1]} and len(outcome.sentences) <= 50 * 16
    assert outcome.billed is not None and outcome.billed.output_tokens > 50, "what was read is counted"


class outcome_of:  # noqa: N801 - it stands for the server of the call, whose stream ends when its caller hangs up
    @staticmethod
    def endless(piece: bytes) -> Iterator[bytes]:
        while True:
            yield piece


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 65_536, b": " + b"x" * 65_536 + b"\n", b"\r\n" * 32_768])
def test_bytes_without_end_are_stopped(name: str, piece: bytes) -> None:
    outcome = ask(name, lambda _: Reply(outcome_of.endless(piece)))
    assert isinstance(outcome.error, Unavailable) and "more than 8 MB" in str(outcome.error)
    assert not outcome.sentences


def test_a_bomb_is_not_unpacked(name: str) -> None:
    bomb = gzip.compress(b"data: " + b"x" * 64_000_000)
    outcome = ask(name, replying(bomb, headers={**STREAM, "Content-Encoding": "gzip"}))
    assert isinstance(outcome.error, Unavailable) and "more than 8 MB" in str(outcome.error)


def test_a_packed_answer_is_unpacked_and_one_packed_otherwise_refused(name: str) -> None:
    packed = gzip.compress(b"".join(answered(name, TEXT)))
    assert ask(name, replying(packed, headers={**STREAM, "Content-Encoding": "gzip"})).sentences == SENTENCES
    for packing in ("br", "gzip, gzip", "zstd"):
        outcome = ask(name, replying(packed, headers={**STREAM, "Content-Encoding": packing}))
        assert isinstance(outcome.error, Unavailable) and "was not asked for" in str(outcome.error)
    damaged = ask(name, replying(packed[:20] + b"damaged." * 9, headers={**STREAM, "Content-Encoding": "gzip"}))
    assert isinstance(damaged.error, Unavailable)


def test_silence_ends(name: str, vendor: Vendor) -> None:
    with waiting() as over:

        def silent(*pieces: bytes) -> Iterator[bytes]:
            yield from pieces
            over.wait(60)

        before = ask(name, lambda _: Reply(silent()), timeout=HASTY)
        assert isinstance(before.error, Unreachable) and before.waits == [1], "one more attempt before the first word"
        amid = ask(name, lambda _: Reply(silent(begin(name), vendor.words("The keeper"))), timeout=HASTY)
        assert isinstance(amid.error, Unreachable) and not amid.sentences


def test_signs_of_life_are_no_words(name: str, vendor: Vendor) -> None:
    with waiting() as over:

        def lively() -> Iterator[bytes]:
            while not over.wait(0.05):
                yield vendor.quiet

        outcome = ask(name, lambda _: Reply(lively()), timeout=HASTY)
        readers = [thread for thread in threading.enumerate() if thread.name == "chat"]
        for thread in readers:
            thread.join(30)
        assert not any(map(threading.Thread.is_alive, readers)), "nobody reads them, although the server goes on"
    assert isinstance(outcome.error, Unreachable) and "said nothing" in str(outcome.error)


def test_headers_byte_by_byte_are_silence(name: str) -> None:
    with waiting() as over, socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            while not over.is_set():
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=slowly, args=(connection,), daemon=True).start()

        def slowly(connection: socket.socket) -> None:
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not over.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        model = VENDORS[name].made(f"http://127.0.0.1:{listening.getsockname()[1]}", HASTY, lambda _: None)
        with closing(model), pytest.raises(Unreachable, match="said nothing"):
            list(model.write("Answer.", QUESTION, most_tokens=100))


def test_a_server_that_is_away_is_named_with_the_setting_of_its_address(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    model = VENDORS[name].made(address, PATIENT, lambda _: None)
    said = r"gave no answer: .+Check .+\([A-Z]+_(BASE_)?(VERTEX_|CHAT_)?URL\)"
    with closing(model), pytest.raises(Unreachable, match=said):
        list(model.write("Answer.", QUESTION, most_tokens=100))


@contextmanager
def waiting() -> Iterator[threading.Event]:
    over = threading.Event()
    try:
        yield over
    finally:
        over.set()


@pytest.mark.parametrize(
    ("replies", "error", "waits"),
    [
        ([failed(429, headers={"Retry-After": "1"}), None], None, [1]),
        ([failed(429), None], None, [1]),
        ([failed(429), failed(429)], RateLimited, [1]),
        ([failed(429, headers={"Retry-After": "86400"}), None], RateLimited, []),
        ([Reply([], broken=True), None], None, [1]),
        ([Reply([]), None], None, [1]),
        ([failed(500), None], Unavailable, []),
        ([failed(503), None], Unavailable, []),
        ([failed(529, "Overloaded"), None], Unavailable, []),
        ([failed(400, "prompt is too long: 210000 tokens > 200000 maximum"), None], QuestionRefused, []),
        ([failed(400, "Your credit balance is too low"), None], Unavailable, []),
        ([failed(404, "model: claude-1 does not exist"), None], ConfigurationError, []),
    ],
)
def test_attempts_are_counted(
    name: str, replies: Sequence[Reply | None], error: type[Exception] | None, waits: list[float]
) -> None:
    left = list(replies)

    def answer(_: object) -> Reply:
        reply = left.pop(0)
        return Reply(answered(name, TEXT)) if reply is None else reply

    outcome = ask(name, answer)
    assert (type(outcome.error) if outcome.error else None, outcome.waits) == (error, waits)
    assert outcome.sentences == ([] if error else SENTENCES)


def test_a_wrong_key_is_named_with_what_to_do(name: str, vendor: Vendor) -> None:
    outcome = ask(name, lambda _: failed(401, f"invalid x-api-key: {KEY}"))
    assert isinstance(outcome.error, ConfigurationError) and vendor.wrong_key in str(outcome.error)


def test_a_redirect_is_not_followed(name: str) -> None:
    with serving(replying(*answered(name, TEXT))) as elsewhere:
        for status in (301, 302, 303, 307, 308):
            outcome = ask(name, replying(status=status, headers={"Location": f"{elsewhere.url}/v1"}))
            assert isinstance(outcome.error, ConfigurationError) and "redirect" in str(outcome.error)
        assert not elsewhere.requests


ODD = {
    "no JSON": b"data: {broken}\n\n",
    "a list": b"data: [1, 2]\n\n",
    "a number": b"data: 5\n\n",
    "nothing": b"data: null\n\n",
    "a deep list": b"data: " + b"[" * 100_000 + b"\n\n",
    "an event over too many lines": b"data: [\n" * 1000,
}
NO_STREAM = {"a page": b"<!DOCTYPE html><title>Sign in</title>", "words": b"Service unavailable\n"}
"""Amid a stream, a line that is no field is passed over, as the specification says."""


@pytest.mark.parametrize("odd", [*ODD, *NO_STREAM])
def test_what_is_not_of_the_api_is_an_error(name: str, vendor: Vendor, odd: str) -> None:
    outcome = ask(name, replying((ODD | NO_STREAM)[odd]))
    assert isinstance(outcome.error, (Unavailable, ConfigurationError)) and not outcome.sentences
    if odd in ODD:
        begun = begin(name) + vendor.words("The keeper counts the ships. [2] It")
        outcome = ask(name, replying(begun, ODD[odd]))
        assert isinstance(outcome.error, Unavailable) and outcome.sentences == SENTENCES[:1]


def test_an_error_amid_the_stream_is_one(name: str, vendor: Vendor) -> None:
    outcome = ask(name, replying(begin(name), vendor.words("It is old. [2] The"), vendor.error))
    assert isinstance(outcome.error, Unavailable)
    assert outcome.sentences == SENTENCES[1:]


def test_bytes_that_are_no_text_and_halves_of_characters_do_no_harm(name: str, vendor: Vendor) -> None:
    pieces = [begin(name), *map(vendor.words, ("It \ud83d", "\ude00 is ", "\ud83d old", ". [2]")), vendor.end("stop")]
    (sentence,) = ask(name, replying(*pieces)).sentences
    assert sentence.text == "It \U0001f600 is \ufffd old."
    pieces[1] = vendor.words("It QQ").replace(b"QQ", b"\xff\xfe")
    assert ask(name, replying(*pieces)).sentences[0].text.startswith("It \ufffd\ufffd")


@pytest.mark.parametrize(
    "odd",
    [
        "choices",
        "delta",
        "content",
        "message",
        "usage",
        "type",
        "content_block",
        "finish_reason",
        "stop_reason",
        "error",
    ],
)
def test_a_field_of_another_type_does_no_harm(name: str, vendor: Vendor, odd: str) -> None:
    values: tuple[object, ...] = (5, "x", [5], {"text": 5}, None, [[]], {"content": [5]}, True)
    for value in values:
        strange = f"data: {json.dumps({odd: value, 'z': 1})}\n\n".encode()
        nested = f"data: {json.dumps({'choices': [{'delta': {odd: value}, odd: value}], 'type': 'message_delta'})}\n\n"
        outcome = ask(name, replying(begin(name), strange, nested.encode(), *answered(name, TEXT)))
        assert outcome.error is None or isinstance(outcome.error, (Unavailable, QuestionRefused, ConfigurationError))


def test_what_nobody_reads_any_more_is_not_fetched(name: str, vendor: Vendor) -> None:
    with serving(lambda _: Reply(outcome_of.endless(vendor.words("It is old. [2] ")))) as server:
        model = VENDORS[name].made(server.url, PATIENT, lambda _: None)
        with closing(model):
            parts = ChatGenerator(model, most_tokens=30_000).generate(QUESTION, EVIDENCE)
            assert next(parts) == SENTENCES[1]
            parts.close()  # type: ignore[attr-defined]
            before = threading.active_count()
        assert before < 50
