"""`ragbase chat` as a person at a terminal has it: Ctrl-C, Ctrl-D, and no file."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE = 60.0
"""Seconds that a busy machine may take to show something."""
BEFORE_PRESSING_AGAIN = 10.0
"""Seconds that a person waits before a second Ctrl-C."""

PROGRAM = """
import fcntl, signal, sys, termios, threading
from contextlib import contextmanager
from ragbase.interfaces.cli.application import application
from ragbase.interfaces.cli.session import Session
from ragbase.messages.api.answer import AnswerResponse, AnswerSentenceBody

class Documents:
    def answer(self, question):
        yield ()
        said = AnswerSentenceBody(text=f"{question.text} after {len(question.history)}.", supported=True, citations=())
        yield said
        if question.text == "slow":
            threading.Event().wait()
        yield AnswerResponse(text=said.text, answered=True, sentences=(said,), evidence=())

@contextmanager
def knowledge(*_, **__):
    yield Documents()

Session.knowledge = knowledge
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # Ctrl-C is for whom the terminal belongs to
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background of a shell ignore it
application(["chat"], prog_name="ragbase")
"""


class Person:
    """Types, and waits for what the screen shows."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._seen = b""

    def types(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def sees(self, text: bytes) -> None:
        assert self._sees_within(PATIENCE, text), self._seen

    def presses_ctrl_c_until(self, text: bytes) -> None:
        """Python hears a signal once it runs again. One that comes just before it begins to wait for a key or a lock
        does not wake it (`readline_until_enter_or_signal` in CPython's Modules/readline.c): a person presses again."""
        for _ in range(int(PATIENCE / BEFORE_PRESSING_AGAIN)):
            self.types(b"\x03")
            if self._sees_within(BEFORE_PRESSING_AGAIN, text):
                return
        raise AssertionError(self._seen)

    def _sees_within(self, seconds: float, text: bytes) -> bool:
        while text not in self._seen:
            if not select.select([self._terminal], [], [], seconds)[0]:
                return False
            self._seen += os.read(self._terminal, 65536)
        self._seen = self._seen.partition(text)[2]
        return True


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[tuple[Person, subprocess.Popen[bytes]]]:
    terminal, screen = pty.openpty()

    environment = {**os.environ, "HOME": str(tmp_path), "RAGBASE_HOME": str(tmp_path / "home"), "TERM": "dumb"}
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=screen, stdout=screen, stderr=screen, env=environment, start_new_session=True,
    )  # fmt: skip
    os.close(screen)
    try:
        yield Person(terminal), child
    finally:
        child.kill()
        child.wait()
        os.close(terminal)


@pytest.mark.slow
def test_ctrl_c_ends_the_answer_and_ctrl_d_the_conversation(
    chat: tuple[Person, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    person, child = chat
    person.sees(b"/exit ends.")
    person.sees(b"> ")
    person.types(b"quick\n")
    person.sees(b"quick after 0.")
    person.sees(b"> ")
    person.types(b"slow\n")
    person.sees(b"slow after 2.")
    person.presses_ctrl_c_until(b"Stopped.")
    person.sees(b"> ")
    person.types(b"half a line")
    person.sees(b"half a line")
    person.presses_ctrl_c_until(b"> ")
    person.types(b"/help\n")
    person.sees(b"There is no command /help.")
    person.sees(b"> ")
    person.types(b"again\n")
    person.sees(b"again after 2.")
    person.sees(b"> ")
    person.types(b"\x04")
    assert child.wait(PATIENCE) == 0, "what a person mistypes is no failure of the command"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []
