"""The bot of examples/slack-bot, started as its README says, gets requests as Slack signs them."""

from __future__ import annotations

import ast
import hashlib
import hmac
import itertools
import json
import queue
import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import httpx2
import pytest
from playwright.sync_api import expect

from scripts.local_cloud.free_ports import free_port, free_ports
from scripts.local_cloud.user import eventually
from tests.chromium import PATIENCE, chromium
from tests.examples.machine import EXAMPLES, TIMEOUT, Machine, replaced
from tests.page_blocks import blocks_of

pytestmark = pytest.mark.slow

FOLDER = EXAMPLES / "slack-bot"
HOSTILE = "<!channel> & all.md"
EXPIRED = "/expired"
"""The end of a response_url that takes nothing any more."""
DOCUMENTS = {
    "backup.md": "The nightly backup starts at half past two. It is kept for ninety days.\n",
    "warranty.md": "The warranty of a boat covers its hull and its engine. The warranty of a boat ends when the boat "
    "is sold to somebody else.\n",
    HOSTILE: "The gardener writes <!here> & <@U1> on the greenhouse door every single morning.\n",
}


class Replies(ThreadingHTTPServer):
    """Slack's side of a response_url."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.texts: queue.Queue[str] = queue.Queue()
        self.hooks = f"http://127.0.0.1:{self.server_port}/commands/"
        self._numbers = itertools.count()

    def address(self) -> str:
        """The response_url of one more request. Each has its own."""
        return f"{self.hooks}{next(self._numbers)}"


class Reply(BaseHTTPRequestHandler):
    server: Replies

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.texts.put(json.loads(body)["text"])
        self.send_response(404 if self.path.endswith(EXPIRED) else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@dataclass(frozen=True)
class Slack:
    """A workspace with the bot. The secret is the README's."""

    bot: str
    secret: str
    replies: Replies
    server: str
    machine: Machine

    def send(self, text: str, *, user: str = "U1", age: int = 0, secret: str = "", altered: bytes = b"") -> int:
        """The status that the bot answers at once. `altered` is added to the body after it was signed."""
        body = question(text, user, self.replies.address())
        return post(self.bot, body + altered, signed(secret or self.secret, body, age))

    def ask(self, text: str, user: str = "U1") -> str:
        assert self.send(text, user=user) == 200
        return self.replies.texts.get(timeout=TIMEOUT)


def question(text: str, user: str, response_url: str) -> bytes:
    """The body of a slash command. Slack escapes "&", "<" and ">" in what it sends. Its documentation does not say so
    (https://github.com/slackapi/bolt-python/issues/513 has seen it of buttons); bots for slash commands undo it."""
    typed = escape(text, quote=False)
    asked = {"command": "/ask", "text": typed, "channel_id": "C1", "user_id": user, "response_url": response_url}
    return urlencode(asked).encode()


def signed(secret: str, body: bytes, age: int = 0) -> dict[str, str]:
    """The headers that Slack sends with a body. `age` is in seconds."""
    sent = str(int(time.time()) - age)
    return {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": sent,
        "X-Slack-Signature": signature(secret, sent, body),
    }


def signature(secret: str, sent: str, body: bytes) -> str:
    return f"v0={hmac.new(secret.encode(), f'v0:{sent}:'.encode() + body, hashlib.sha256).hexdigest()}"


def post(bot: str, body: bytes, headers: dict[str, str]) -> int:
    return httpx2.post(bot, content=body, headers=headers, timeout=TIMEOUT).status_code


@pytest.fixture(scope="module")
def slack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slack]:
    machine = Machine(tmp_path_factory.mktemp("slack") / "user")
    copied = machine.home / "slack-bot"
    shutil.copytree(FOLDER, copied)
    for name, text in DOCUMENTS.items():
        (machine.home / "handbook").mkdir(exist_ok=True)
        (machine.home / "handbook" / name).write_text(text, encoding="utf-8")
    machine.done("ragbase sync handbook --prefix handbook")
    (block,) = (one.text for one in blocks_of("examples/slack-bot/README.md"))
    first = free_ports(2)
    (secret,) = re.findall(r"SLACK_SIGNING_SECRET=(\w+)", block)
    script = replaced(block, {"8080": str(first)})
    with Replies() as replies:
        thread = threading.Thread(target=replies.serve_forever)
        thread.start()
        try:
            with machine.running(script, copied, first, first + 1, PORT=str(first + 1), SLACK_HOOKS=replies.hooks):
                server, bot = (f"http://127.0.0.1:{port}" for port in (first, first + 1))
                yield Slack(bot, secret, replies, server, machine)
        finally:
            replies.shutdown()
            thread.join()


def test_it_has_forty_lines() -> None:
    """Besides its imports, docstrings and blank lines."""
    text = (FOLDER / "bot.py").read_text(encoding="utf-8")
    left_out = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = [line for number, line in enumerate(text.splitlines(), 1) if line.strip() and number not in left_out]
    assert len(lines) <= 40


def test_requests_are_signed_here_as_slack_signs_them() -> None:
    """The example of https://docs.slack.dev/authentication/verifying-requests-from-slack."""
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&"
        b"channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url="
        b"https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&"
        b"trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    expected = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    assert signature("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", body) == expected


def test_an_answer_has_citations_with_links_to_documents_that_are_there(slack: Slack) -> None:
    sentence, *places = slack.ask("When does the nightly backup start?").split("\n")
    assert sentence.startswith("The nightly backup starts at half past two.")
    link = (
        r"• <https://rag\.example\.com/#/documents/([\w-]+)\|\S+/handbook/backup\.md>: “The nightly backup starts .*”"
    )
    found = re.fullmatch(link, places[0])
    assert found, places
    key = slack.machine.done("ragbase keys create test").strip()
    told = httpx2.get(f"{slack.server}/api/documents/{found[1]}", headers={"Authorization": f"Bearer {key}"})
    assert told.json()["filename"].endswith("/handbook/backup.md")


@pytest.mark.prove
def test_a_link_opens_its_document_in_the_console(slack: Slack) -> None:
    _, place, *_ = slack.ask("When does the nightly backup start?", "U12").split("\n")
    link = place.removeprefix("• <").partition("|")[0].replace("https://rag.example.com", slack.server)
    key = slack.machine.done("ragbase keys create reader").strip()
    with chromium() as browser:
        page = browser.new_context(locale="en-GB").new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(link)
        page.get_by_label("Password or API key").fill(key)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("handbook/backup.md")
        expect(page.locator("main")).to_contain_text("It is kept for ninety days.")


def test_a_follow_up_is_completed_from_what_the_same_person_asked_before(slack: Slack) -> None:
    slack.ask("When does the nightly backup start?", "U2")
    follow_up = "And how long is it kept?"
    assert "kept for ninety days" in slack.ask(follow_up, "U2")
    assert "ninety days" not in slack.ask(follow_up, "U3")


def test_a_question_without_an_answer_is_told_to_have_none(slack: Slack) -> None:
    text = slack.ask("Which planet has the most moons?", "U4")
    assert "•" not in text and "<" not in text
    assert "no information" in text.lower(), text


def test_what_documents_say_calls_nobody(slack: Slack) -> None:
    text = slack.ask("What does the gardener write on the greenhouse door?", "U5")
    assert "&lt;!here&gt; &amp; &lt;@U1&gt;" in text
    assert "/handbook/&lt;!channel&gt; &amp; all.md>: “" in text
    assert "<!" not in text and "<@" not in text


@pytest.mark.parametrize(
    ("secret", "age", "altered"),
    [("another", 0, b""), ("", 301, b""), ("", -310, b""), ("", 0, b"&text=another")],
    ids=["another secret", "too old", "of the future", "altered"],
)
def test_a_request_that_slack_did_not_send_now_is_refused(slack: Slack, secret: str, age: int, altered: bytes) -> None:
    assert slack.send("When does the nightly backup start?", secret=secret, age=age, altered=altered) == 401
    # It asked nothing: the next text is the answer to the next question.
    assert "gardener" in slack.ask("What does the gardener write on the greenhouse door?", "U6")
    assert slack.replies.texts.empty()


@pytest.mark.parametrize(
    "headers",
    [
        b"",
        b"Content-Length: -1\r\n",
        b"X-Slack-Signature: v0=\xff\r\nX-Slack-Request-Timestamp: now\r\n",
        b"Content-Length: 3\r\n",
        b"Content-Length: many\r\n",
        b"Content-Length: 1000000000\r\n",
    ],
    ids=["bare", "negative length", "no letters", "no signature", "no length", "huge"],
)
def test_a_request_of_somebody_else_is_refused(slack: Slack, headers: bytes) -> None:
    """Its client goes on sending."""
    place = urlsplit(slack.bot)
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=TIMEOUT) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\n" + headers + b"\r\nx=1" + bytes(100_000))
        assert connection.recv(12) == b"HTTP/1.0 401"


def test_the_one_who_asks_hears_that_ragbase_gives_no_answer(slack: Slack) -> None:
    text = slack.ask("x" * 20_000, "U7")
    assert text.startswith("ragbase gave no answer: "), text


def test_a_recorded_request_counts_once(slack: Slack) -> None:
    body = question("When does the nightly backup start?", "U8", slack.replies.address())
    headers = signed(slack.secret, body)
    assert [post(slack.bot, body, headers) for _ in range(3)] == [200, 401, 401]
    assert "half past two" in slack.replies.texts.get(timeout=TIMEOUT)
    assert "gardener" in slack.ask("What does the gardener write on the greenhouse door?", "U8")
    assert slack.replies.texts.empty()


def test_a_look_at_the_certificate_is_confirmed_and_asks_nothing(slack: Slack) -> None:
    """Slack does not say that it signs it (https://docs.slack.dev/interactivity/implementing-slash-commands)."""
    look = b"ssl_check=1&token=xyzz0WbapA4vBCDEFasx0q6G&"
    assert post(slack.bot, look, {}) == 200
    assert (
        post(slack.bot, look + question("When does the nightly backup start?", "U9", slack.replies.address()), {})
        == 200
    )
    assert "gardener" in slack.ask("What does the gardener write on the greenhouse door?", "U9")
    assert slack.replies.texts.empty()


def test_signs_that_slack_escapes_are_asked_as_they_were_typed(slack: Slack) -> None:
    """With "&amp;", ragbase looks for "amp", which no document has."""
    text = slack.ask("When does the nightly backup start & how long is it kept?", "U14")
    assert "half past two" in text and "ninety days" in text, text


def test_an_answer_that_slack_does_not_take_is_in_the_log_of_the_bot(slack: Slack) -> None:
    """Nobody else hears of it."""
    body = question("When does the nightly backup start?", "U15", f"{slack.replies.address()}{EXPIRED}")
    assert post(slack.bot, body, signed(slack.secret, body)) == 200
    assert "half past two" in slack.replies.texts.get(timeout=TIMEOUT)
    eventually(lambda: re.search(f"404 .*{EXPIRED}", slack.machine.log))


def test_a_question_without_words_is_told_to_be_one(slack: Slack) -> None:
    assert slack.ask("", "U13").startswith("ragbase gave no answer: ")


def test_bytes_that_are_no_letters_do_no_harm(slack: Slack) -> None:
    body = question("When does the nightly backup start?", "U10", slack.replies.address())
    body = body.replace(b"start", b"start+%FF+\xff\xfe")
    assert post(slack.bot, body, signed(slack.secret, body)) == 200
    assert "half past two" in slack.replies.texts.get(timeout=TIMEOUT)


def test_what_is_only_near_the_question_does_not_look_like_an_answer(slack: Slack) -> None:
    said, note, *places = slack.ask("What does the warranty of a boat cost?", "U11").split("\n")
    assert said == "The passages mention “warranty, boat”, but no sentence on it names an amount of money."
    assert note == "_This is no answer._"
    assert places and all("/handbook/warranty.md>: “The warranty of a boat " in place for place in places), places


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[str]:
    """The address of a bot as it is without the setting of the tests. Its ragbase takes a question and says nothing."""
    machine = Machine(tmp_path / "user")
    port = free_port()
    with socket.create_server(("127.0.0.1", 0)) as ragbase:
        variables = {
            "RAGBASE_ENDPOINT": f"http://127.0.0.1:{ragbase.getsockname()[1]}",
            "RAGBASE_KEY": "rb_nothing",
            "SLACK_SIGNING_SECRET": "secret",
            "PORT": str(port),
        }
        with machine.running("python3 bot.py", FOLDER, port, **variables):
            yield f"http://127.0.0.1:{port}"


def test_slack_does_not_wait_for_the_answer(silent: str) -> None:
    body = question("When does the nightly backup start?", "U1", "https://hooks.slack.com/commands/1")
    assert post(silent, body, signed("secret", body)) == 200


@pytest.mark.parametrize(
    "address",
    [
        "https://hooks.slack.com.example.com/commands/1",
        *(
            pytest.param(address, marks=pytest.mark.prove)
            for address in (
                "http://127.0.0.1:1/latest/meta-data",
                "http://hooks.slack.com/commands/1",
                "https://hooks.slack.com@example.com/commands/1",
                "",
            )
        ),
    ],
)
def test_the_answer_goes_to_slack_and_nobody_else(silent: str, address: str) -> None:
    """Even if somebody else has the secret."""
    body = question("When does the nightly backup start?", "U1", address)
    assert post(silent, body, signed("secret", body)) == 401
