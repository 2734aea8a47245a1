"""Each command in a sentence of the documentation, or in a message, is one that the program takes.

Nobody pastes the mere name of a command, as in "`ragbase ingest` says so": it is there, and may lack its arguments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import click
import pytest

from ragbase.interfaces.cli.application import application
from ragbase.interfaces.cli.command_table import COMMANDS
from scripts.site.messages_page import text_of
from tests.architecture.test_house import tracked
from tests.docs.calls import GCLOUD, OF_OTHERS, calls, check
from tests.page_blocks import code_in_sentences, pages

COMMAND = re.compile(
    rf"(?:\w+=\S+ +)*(?:\./scripts/[\w/-]+(?: |$)|scripts/[\w/-]+ |(?:ragbase|{'|'.join(OF_OTHERS)}) +\S)"
)
"""How a command begins."""
PART = re.compile(rf"(?:{'|'.join(COMMANDS)}) --[a-z]")
"""How a command of ragbase begins where its name is left out."""
REMEDY = re.compile(r'(?:: |^ +)(ragbase [a-z](?:"…"|[^`…\n])*?)(?:\.?$| {2,})', re.MULTILINE)
"""What a message tells to run, at the end of a sentence or on a line of its own."""
FOR_FISH = "_RAGBASE_COMPLETE=fish_source ragbase | source"
"""It is not for bash, which reads the others."""


def commands_of(page: str) -> Sequence[str]:
    named = [f"ragbase {code}" if PART.match(code) else code for code in code_in_sentences(page)]
    return [code for code in named if COMMAND.match(code) and code != FOR_FISH]


def messages_of(file: Path) -> Iterator[str]:
    """The texts of a file of Python, without docstrings, or of the strings of a page."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        yield from re.findall(r'"(.*?)"', source)
    if file.suffix != ".py":
        return
    nodes, parts = list(ast.walk(ast.parse(source))), set[int]()
    for node in nodes:
        if isinstance(node, ast.JoinedStr | ast.BinOp):
            parts.update(id(part) for part in ast.walk(node) if part is not node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.add(id(node.value))
    yield from (text for node in nodes if id(node) not in parts and (text := text_of(node)))


@cache
def commands_of_messages() -> Sequence[str]:
    """What messages tell to run, and what comments and the advice of alerts name."""
    found: set[str] = set()
    for file in tracked("common/*.py", "common/*.json", "functions/*.py", "scripts/*", "terraform/*.tf"):
        messages = list(messages_of(file))
        for text in (file.read_text(encoding="utf-8", errors="replace"), *messages):
            found.update(code for code in re.findall(r"`([^`\n{]+)`", text) if COMMAND.match(code))
        found.update(command for message in messages for command in REMEDY.findall(message))
    return sorted(found)


def is_a_name(words: Sequence[str]) -> bool:
    """Whether these are the words of a command of ragbase, and no argument."""
    command: click.Command | None = application
    for word in words:
        if not isinstance(command, click.Group) or word not in command.list_commands(click.Context(command)):
            return False
        command = command.get_command(click.Context(command), word)
    return True


def look_at(text: str, folder: Path) -> None:
    """Raises AssertionError or UsageError for a call that a program does not take. A word in capitals stands for
    something that only the reader has."""
    for program, arguments in calls(text, folder):
        words = [word for word in arguments if word not in ("--profile", "gcp", "…")]
        if program == "ragbase" and is_a_name(words):
            continue
        try:
            check(program, arguments)
        except click.exceptions.Exit:
            continue  # of --help or --version
        except click.MissingParameter:
            assert is_a_name([word for word in words if not word.startswith("-")]), text
        except click.UsageError as error:
            assert "requires an argument" in error.message or re.search(r"'[A-Z]+'", error.message), text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "questions.csv").write_text("question,expected\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(GCLOUD is None, reason="The Google Cloud CLI says which commands it has. Install it.")
@pytest.mark.parametrize("page", [page for page in pages() if commands_of(page)])
def test_a_command_in_a_sentence_is_one_that_the_program_takes(page: str, folder: Path) -> None:
    for command in commands_of(page):
        look_at(command, folder)


def test_a_command_in_a_message_is_one_that_the_program_takes(folder: Path) -> None:
    for command in commands_of_messages():
        look_at(command, folder)


@pytest.mark.parametrize(
    "mistake",
    [
        "ragbase reindex --dryrun",
        "ragbase reindx",
        "ragbase keys make NAME",
        "ragbase explain NAME",
        "ragbase dead-letters --json",
        "ragbase list --limit many",
        "ragbase --profile gpc list",
        "ragbase query 'unfinished",
        "pip install 'ragbase[offices]'",
        "./scripts/simulat --seeds 3",
        "./scripts/dev start",
        "scripts/bench/site --data FOLDER",
        "scripts/bench/scale delete --date FOLDER",
    ],
)
def test_a_mistake_in_a_sentence_is_found(mistake: str, folder: Path) -> None:
    assert COMMAND.match(mistake)
    with pytest.raises((AssertionError, click.UsageError)):
        look_at(mistake, folder)


def test_commands_are_found_wherever_they_stand(tmp_path: Path) -> None:
    assert "ragbase list --status FAILED" in commands_of("docs/cli.md")  # a cell of a table
    assert "ragbase reindex --gate" in commands_of("docs/cli.md")  # without the program's name
    assert "ragbase ingest PATH" in commands_of_messages()  # at the end of a message
    assert "ragbase reconcile --repair" in commands_of_messages()
    assert 'ragbase explain "…" --document PATH' in commands_of_messages()
    assert "ragbase reconcile" in commands_of_messages()  # of the console
    assert "ragbase sources run NAME" in commands_of_messages()  # of an alert
    code = tmp_path / "code.py"
    code.write_text('"""Say: ragbase docstring"""\nfail(f"{why}: " + "run this: ragbase " f"ingest {path}")')
    assert list(messages_of(code)) == ["…: run this: ragbase ingest …"]
