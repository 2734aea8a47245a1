"""Commands are found, errors become messages and exit codes, and nobody sees a traceback."""

from __future__ import annotations

import itertools
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from ragbase import __version__
from ragbase.domain.errors import RagbaseError
from ragbase.extras import install_command
from ragbase.interfaces.cli.application import application
from ragbase.interfaces.cli.command_table import COMMANDS, EXAMPLES, GROUPS

COMMON = str(Path(__file__).resolve().parents[4] / "common")


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGBASE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAGBASE_EMBEDDER", "hashing")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(application, list(arguments), prog_name="ragbase")


def call_failing(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> Result:
    """What the user sees where a command raises `error`."""

    @click.command()
    def failing() -> None:
        raise error

    monkeypatch.setattr("ragbase.interfaces.cli.commands.list.command", failing)
    return call("list")


def test_version() -> None:
    result = call("--version")

    assert (result.exit_code, result.output) == (0, f"ragbase {__version__}\n")


def test_help_lists_every_command() -> None:
    result = call("--help")

    assert result.exit_code == 0
    assert all(f"  {name} " in result.output and summary in result.output for name, summary in COMMANDS.items())
    assert all(f"\n{group}:\n" in result.output for group in GROUPS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_their_own_help_says(name: str) -> None:
    result = call(name, "--help")

    assert result.exit_code == 0
    assert COMMANDS[name] in " ".join(result.output.split())


def words_of_all(command: click.Command = application, words: tuple[str, ...] = ()) -> Iterator[str]:
    """The words of every command, and of those in it."""
    if words:
        yield " ".join(words)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            assert one is not None
            yield from words_of_all(one, (*words, name))


def test_every_command_has_two_examples() -> None:
    assert set(words_of_all()) == EXAMPLES.keys()
    for words, examples in EXAMPLES.items():
        said = call(*words.split(), "--help").output
        assert "\n  Examples:\n" in said
        assert all(f"    {example}\n" in said for example in examples) and len(set(examples)) == 2


@pytest.mark.parametrize("example", sorted({one for pair in EXAMPLES.values() for one in pair}))
def test_an_example_is_understood(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is parsed, with all options, and not run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "questions.csv").write_text("question,expected\n")
    program, *words = itertools.takewhile(lambda word: word not in ("|", ">", "<"), shlex.split(example))
    assert program == "ragbase"
    command: click.Command = application
    context = application.make_context("ragbase", list(words))
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert name is not None and found is not None
        command, context = found, found.make_context(name, rest, parent=context)


def test_the_main_help_has_examples() -> None:
    assert '    ragbase query "How do I request leave?"\n' in call("--help").output


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("ragbase que", ["query"]),
        ("ragbase re", ["retry", "reindex", "reconcile"]),
        ("ragbase query --thr", ["--threshold"]),
        ("ragbase list --status F", ["failed"]),
        ("ragbase keys cr", ["create"]),
    ],
)
def test_a_shell_completes_commands_and_options(
    typed: str, completed: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_RAGBASE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    with pytest.raises(SystemExit):
        application(prog_name="ragbase")
    assert [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()] == completed


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("ingest",),
        ("query",),
        ("query", "   "),
        ("query", "x", "--top-k", "0"),
        ("query", "x", "--threshold", "1.5"),
        ("list", "--limit", "101"),
        ("list", "--status", "LOST"),
        ("serve", "--port", "70000"),
    ],
)
def test_a_command_that_makes_no_sense_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)

    assert result.exit_code == 2
    assert "Error:" in result.stderr


def test_a_question_without_quotation_marks_says_so() -> None:
    for command in (("ask",), ("query",), ("explain", "--document", "guide.md")):
        refused = call(*command, "how", "are", "backups", "made?")
        assert refused.exit_code == 2
        assert (
            "(are backups made?). The command takes TEXT: put quotation marks around a text with blanks."
            in refused.output
        )
    assert "(top_k). Leave it out: the command takes none." in call("config", "top_k").output


def test_an_error_of_ours_is_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call_failing(RagbaseError("a\x1b[2J.md: it is empty. Write to it.\nOr leave it."), monkeypatch)

    assert result.exit_code == 1
    assert result.stderr == "Error: a\\x1b[2J.md: it is empty. Write to it.\nOr leave it.\n"


def test_an_interruption_says_that_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call_failing(KeyboardInterrupt(), monkeypatch)

    assert result.exit_code == 130
    assert result.stderr == "\nInterrupted. Nothing is lost: run the same command again to go on.\n"


def test_a_missing_module_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call_failing(ModuleNotFoundError("No module named 'flask.json'", name="flask.json"), monkeypatch)

    assert result.exit_code == 1
    said = "flask is not installed. The extra serve has it, and the extra local all that one machine needs."
    assert result.stderr == f"Error: {said} Install it with: {install_command('serve')}\n"


@pytest.mark.parametrize("level", ["WARNING", "DEBUG"])
def test_an_unexpected_error_shows_its_traceback_only_on_request(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGBASE_LOG_LEVEL", level)

    result = call_failing(ZeroDivisionError("by zero"), monkeypatch)

    assert result.exit_code == 1
    assert "Error: ZeroDivisionError: by zero\n" in result.stderr
    assert "RAGBASE_LOG_LEVEL=DEBUG" in result.stderr
    assert ("Traceback" in result.stderr) == (level == "DEBUG")


@pytest.mark.parametrize("arguments", [("--home", "{}", "list"), ("list", "--home", "{}")])
def test_home_may_come_before_or_after_the_command(arguments: tuple[str, ...], tmp_path: Path) -> None:
    named = tmp_path / "named"

    result = call(*(argument.format(named) for argument in arguments))

    assert result.exit_code == 0
    assert named.is_dir()
    assert not (tmp_path / "home").exists()


def test_a_data_folder_that_is_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert call("list", "--home", str(tmp_path / "file")).exit_code == 2


def test_a_wrong_setting_is_named_with_its_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGBASE_TOP_K", "many")

    result = call("list")

    assert result.exit_code == 1
    assert "RAGBASE_TOP_K" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        (["--help"], {"pydantic", "numpy", "rich", "flask", "onnxruntime", "sqlite3"}),
        (["query", "anything"], {"rich", "flask", "waitress", "watchdog", "onnxruntime", "pypdfium2", "chardet"}),
        (["list"], {"numpy", "flask", "watchdog", "onnxruntime", "Stemmer"}),
    ],
)
def test_a_command_imports_no_more_than_it_needs(arguments: list[str], spared: set[str]) -> None:
    program = (
        "import sys; from ragbase.interfaces.cli.application import application\n"
        f"application({arguments!r}, standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": COMMON}, capture_output=True, check=True
    )

    assert spared.isdisjoint(done.stderr.decode().split())
