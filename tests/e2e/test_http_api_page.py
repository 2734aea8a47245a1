"""The examples of docs/http-api.md are answered as the page says: a shell and curl run all of them, in their order."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_string
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.dead_letter import DeadLetter, UnreadMessage
from ragbase.domain.errors import ErrorCode
from ragbase.interfaces.api.operation import Protocol
from ragbase.interfaces.api.operations import OPERATIONS
from tests.e2e.command_line import TIMEOUT, CommandLine
from tests.e2e.test_access import hashed, serving, settings
from tests.page_blocks import blocks_of

ANSWER = re.compile(r"(\d{3}) ([A-Z][A-Za-z -]+)")
"""The first line of an answer."""

CURL = """
curl() {
  command curl -D "$OUT.headers" -w '%{stderr}%{method} %{url_effective}' "$@" 2> "$OUT.asked" | tee "$OUT.body"
}
"""
"""Runs curl, and keeps what it was told."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("curl") is None, reason="The examples of docs/http-api.md need curl. Install it with your system."
    ),
]


@dataclass(frozen=True, slots=True)
class Example:
    """A request and its answer, as the page shows them below a heading."""

    heading: str
    command: str
    status: int
    phrase: str
    headers: dict[str, str]
    body: str

    def __str__(self) -> str:
        return f"{self.heading}, {self.status}"


@dataclass(frozen=True, slots=True)
class Told:
    """What curl asked and was told."""

    method: str
    path: str
    status: int
    headers: dict[str, str]
    body: str


def paragraphs() -> Iterator[tuple[str, str]]:
    """The paragraphs of the blocks of the page, each with the heading above it."""
    for block in blocks_of("docs/http-api.md"):
        yield from ((block.heading, paragraph) for paragraph in block.text.rstrip("\n").split("\n\n"))


def read_examples() -> tuple[str, Sequence[Example]]:
    """What the shell runs before all examples, and the examples."""
    (_, first), *others = paragraphs()
    examples: list[Example] = []
    command = ""
    for heading, paragraph in others:
        if re.search(r"^curl ", paragraph, re.MULTILINE):
            assert not command, f"no answer is shown for: {command}"
            assert len(re.findall(r"\bcurl ", paragraph)) == 1, f"more than one request: {paragraph}"
            command = paragraph
        elif command:
            status, *headers = paragraph.split("\n")
            begun = ANSWER.fullmatch(status)
            assert begun, f"no answer is shown for: {command}"
            shown = dict(header.split(": ", 1) for header in headers)
            examples.append(Example(heading, command, int(begun[1]), begun[2], shown, ""))
            command = ""
        else:
            examples[-1] = with_body(examples[-1], paragraph)
    assert not command, f"no answer is shown for: {command}"
    return first, examples


def with_body(example: Example, paragraph: str) -> Example:
    body = f"{example.body}\n\n{paragraph}".strip()
    return Example(example.heading, example.command, example.status, example.phrase, example.headers, body)


FIRST, EXAMPLES = read_examples()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Told]:
    """The answers to all examples."""
    folder = tmp_path_factory.mktemp("session")
    (folder / "home").mkdir()
    ragbase = CommandLine(folder / "home")
    settings(ragbase, password_hash=hashed(), cors_origins="https://app.example.com")
    lose_a_message(folder / "home")
    with serving(ragbase) as served:
        port = urlsplit(str(served["url"])).port
        lines = [CURL, FIRST.replace("localhost:8080", f"localhost:{port}")]
        for number, example in enumerate(EXAMPLES):
            lines += [f"OUT={number}", example.command]
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    return [read_told(folder / str(number), port) for number in range(len(EXAMPLES))]


def lose_a_message(home: Path) -> None:
    """The page shows a dead letter."""
    now = datetime.now(UTC)
    lost = DeadLetter(
        message=UnreadMessage.of(b"{}", {}),
        attempts=5,
        code=ErrorCode.INTERNAL_ERROR,
        reason="This is no job: documentId: Field required.",
        first_seen=now,
        last_seen=now,
    )
    with closing(open_profile(load_config(home=home, environment={}))) as profile:
        profile.dead_letters.keep(lost)


def read_told(file: Path, port: int | None) -> Told:
    method, url = file.with_suffix(".asked").read_text().split()
    # After a redirection, the last answer counts.
    status, _, headers = file.with_suffix(".headers").read_text().strip().split("\n\n")[-1].partition("\n")
    body = file.with_suffix(".body").read_text(encoding="utf-8", errors="replace")  # an image is no text
    return Told(
        method=method,
        path=urlsplit(url).path,
        status=int(status.split()[1]),
        headers={name.lower(): value for name, value in message_from_string(headers).items()},
        body=body.replace(f"localhost:{port}", "localhost:8080"),
    )


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=lambda number: str(EXAMPLES[number]))
def test_an_example_is_answered_as_the_page_says(told: Sequence[Told], number: int) -> None:
    shown, answer = EXAMPLES[number], told[number]
    assert (answer.status, HTTPStatus(answer.status).phrase) == (shown.status, shown.phrase), answer.body
    for name, value in shown.headers.items():
        assert fits(value, answer.headers.get(name.lower())), (name, answer.headers)
    try:
        body = json.loads(shown.body)
    except ValueError:
        assert fits(shown.body, answer.body.strip()), answer.body
    else:
        assert fits(body, json.loads(answer.body)), answer.body


def fits(shown: Any, got: object) -> bool:
    """Whether the page shows this. `…` stands for any text. Times, and numbers with a point, may be others."""
    if isinstance(shown, dict):
        return (
            isinstance(got, dict) and shown.keys() == got.keys() and all(fits(shown[name], got[name]) for name in shown)
        )
    if isinstance(shown, list):
        return isinstance(got, list) and len(shown) == len(got) and all(map(fits, shown, got))
    if isinstance(shown, str) and isinstance(got, str):
        if is_time(shown):
            return is_time(got)
        return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), got, re.DOTALL) is not None
    return type(shown) is type(got) and (isinstance(shown, float) or shown == got)


def is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("method", "path", "statuses"),
    [
        (one.method, re.sub(r"{\w+}", "…", one.path.replace("{id}", "ID").replace("{page}", "PAGE")), set(one.answers))
        for one in OPERATIONS
        if one.protocol is Protocol.OWN  # the others have docs/openai-and-dify.md
    ],
)
def test_every_route_has_an_example(told: Sequence[Told], method: str, path: str, statuses: set[int]) -> None:
    """Below a heading of its own, and with an answer that is no error, if it has such an answer."""
    pattern = "[^/]+".join(map(re.escape, re.split("ID|PAGE|…", path)))
    assert any(
        f"{method} {path}" in example.heading.split(", ")
        and answer.method == method
        and re.fullmatch(pattern, answer.path)
        and answer.status in statuses
        for example, answer in zip(EXAMPLES, told, strict=True)
    )
