"""The bot of examples/slack-bot, started as its README says, gets requests as Slack signs them."""

from __future__ import annotations

import ast
import hashlib
import hmac
import json
import queue
import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode, urlsplit

import httpx2
import pytest

from scripts.local_cloud.free_ports import free_ports
from scripts.page_blocks import blocks_of
from tests.examples.machine import EXAMPLES, TIMEOUT, Machine, replaced

pytestmark = pytest.mark.slow

FOLDER = EXAMPLES / "slack-bot"
HOSTILE = "<!channel> & all.md"
DOCUMENTS = {
    "backup.md": "The nightly backup starts at half past two. It is kept for ninety days.\n",
    HOSTILE: "The gardener writes <!here> & <@U1> on the greenhouse door every single morning.\n",
}


class Replies(ThreadingHTTPServer):
    """Slack's side of a response_url."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.texts: queue.Queue[str] = queue.Queue()
        self.url = f"http://127.0.0.1:{self.server_port}/commands/1"


class Reply(BaseHTTPRequestHandler):
    server: Replies

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.texts.put(json.loads(body)["text"])
        self.send_response(200)
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

    def send(self, text: str, *, user: str = "U1", age: int = 0, secret: str = "", altered: str = "") -> int:
        """The status that the bot answers at once. `altered` is added to the body after it was signed."""
        fields = {
            "command": "/ask",
            "text": text,
            "channel_id": "C1",
            "user_id": user,
            "response_url": self.replies.url,
        }
        body = urlencode(fields)
        sent = str(int(time.time()) - age)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "X-Slack-Request-Timestamp": sent,
            "X-Slack-Signature": signature(secret or self.secret, sent, body),
        }
        return httpx2.post(self.bot, content=body + altered, headers=headers, timeout=TIMEOUT).status_code

    def ask(self, text: str, user: str = "U1") -> str:
        assert self.send(text, user=user) == 200
        return self.replies.texts.get(timeout=TIMEOUT)


def signature(secret: str, sent: str, body: str) -> str:
    return f"v0={hmac.new(secret.encode(), f'v0:{sent}:{body}'.encode(), hashlib.sha256).hexdigest()}"


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
            with machine.running(script, copied, first, first + 1, PORT=str(first + 1)):
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
        "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&"
        "channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url="
        "https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&"
        "trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
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
    [("another", 0, ""), ("", 301, ""), ("", -310, ""), ("", 0, "&text=another")],
    ids=["another secret", "too old", "of the future", "altered"],
)
def test_a_request_that_slack_did_not_send_now_is_refused(slack: Slack, secret: str, age: int, altered: str) -> None:
    question = "When does the nightly backup start?"
    assert slack.send(question, secret=secret, age=age, altered=altered) == 401
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
    ],
    ids=["bare", "negative length", "no letters", "no signature"],
)
def test_a_request_of_somebody_else_is_refused(slack: Slack, headers: bytes) -> None:
    """Its client goes on sending."""
    place = urlsplit(slack.bot)
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=TIMEOUT) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\n" + headers + b"\r\nx=1")
        assert connection.recv(12) == b"HTTP/1.0 401"


def test_the_one_who_asks_hears_that_ragbase_gives_no_answer(slack: Slack) -> None:
    text = slack.ask("x" * 20_000, "U7")
    assert text.startswith("ragbase gave no answer: "), text
