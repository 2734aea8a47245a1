"""The commands by name, imported only when they are called, and how their errors are shown."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ragbase.domain.errors import RagbaseError
from ragbase.extras import missing_module
from ragbase.interfaces.cli.command_table import COMMANDS, EXAMPLES, GROUPS
from ragbase.interfaces.cli.screen import visible
from ragbase.interfaces.cli.session import session_options

_ALSO_CALLED = {
    "add": "ingest",
    "index": "ingest",
    "search": "query",
    "find": "query",
    "answer": "ask",
    "why": "explain",
    "ls": "list",
    "show": "status",
    "remove": "delete",
    "rm": "delete",
    "rebuild": "reindex",
    "server": "serve",
    "check": "doctor",
    "settings": "config",
}
"""What other tools call such a command."""


class Interrupted(click.ClickException):
    """Ctrl-C. Every command can be run again without harm."""

    exit_code = 130  # 128 + SIGINT, as shells count

    def __init__(self) -> None:
        super().__init__("Interrupted. Nothing is lost: run the same command again to go on.")

    def show(self, file: Any = None) -> None:
        click.echo(f"\n{self.message}", err=True)


class Application(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = f"ragbase.interfaces.cli.commands.{cmd_name.replace('-', '_')}"
        command: click.Command = importlib.import_module(module).command
        _show_examples(command, cmd_name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands are completed without importing them."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        names = (name for name in COMMANDS if name.startswith(incomplete))
        return [CompletionItem(name, help=COMMANDS[name]) for name in names]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An unknown command is named with those that it may be meant for, as click does for options."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            name = args[0] if args else ""
            meant = get_close_matches(name, [*COMMANDS, *_ALSO_CALLED], n=3)
            meant = list(dict.fromkeys(_ALSO_CALLED.get(one, one) for one in meant))
            if not meant or name.startswith("-"):
                raise
            ctx.fail(f"No such command {visible(name)!r}. Did you mean {' or '.join(meant)}?")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in groups, without importing them."""
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl(list(commands.items()))

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the command line; `--help` and `--version` are printed here."""
        with _explained():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _explained():
            return super().invoke(ctx)


def _show_examples(command: click.Command, words: str) -> None:
    """Below the help of a command, and of those in it."""
    command.epilog = "\n".join(["\b", "Examples:", *(f"  {example}" for example in EXAMPLES[words])])
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            _show_examples(one, f"{words} {name}")


@contextmanager
def _explained() -> Iterator[None]:
    """Every error ends as a message and an exit code, never as a traceback."""
    try:
        yield
    except click.UsageError as error:
        remedy = _too_many_words(error)
        if remedy is None:
            raise
        raise click.UsageError(f"{error.message}. {remedy}", error.ctx) from error
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        raise Interrupted from None
    except BrokenPipeError:
        _drop_output()
        raise click.exceptions.Exit(141) from None  # 128 + SIGPIPE: the work may be half done
    except RagbaseError as error:
        raise click.ClickException("\n".join(map(visible, str(error).splitlines()))) from error
    except ModuleNotFoundError as error:
        raise click.ClickException(missing_module(error.name or "a module")) from error
    except Exception as error:
        if os.environ.get("RAGBASE_LOG_LEVEL", "").upper() == "DEBUG":
            traceback.print_exc()
        raise click.ClickException(_refusal(error) or _unexpected(error)) from error


def _too_many_words(error: click.UsageError) -> str | None:
    """The remedy for a question without quotation marks; None for another error. Click has no type for this one."""
    if error.ctx is None or not error.message.startswith("Got unexpected extra argument"):
        return None
    taken = [one.make_metavar(error.ctx) for one in error.ctx.command.params if isinstance(one, click.Argument)]
    if not taken:
        return "Leave it out: the command takes none."
    return f"The command takes {' '.join(taken)}: put quotation marks around a text with blanks."


def _drop_output() -> None:
    """At its end, the interpreter would write the rest to standard output, fail again and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refusal(error: Exception) -> str | None:
    """What the system refuses, and the remedy; None if it is something else."""
    if not isinstance(error, OSError):
        return None
    if error.errno == errno.ENOSPC:
        _drop_output()
        where = f"{visible(str(error.filename))}: " if error.filename else ""
        return f"{where}{error.strerror}. Free some, and run the command again."
    if isinstance(error, FileNotFoundError) and not _has_current_folder():
        return "The current folder was removed. Change to another one."
    return None


def _has_current_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _unexpected(error: Exception) -> str:
    return (
        f"{type(error).__name__}: {visible(str(error))}\n"
        "This was not expected. Check the installation with `ragbase doctor`, or run the same command with "
        "RAGBASE_LOG_LEVEL=DEBUG to see the traceback."
    )


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from ragbase import __version__  # a checkout asks git

        click.echo(f"ragbase {__version__}")
        context.exit()


@click.group(
    cls=Application,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='\b\nExamples:\n  ragbase ingest ~/notes\n  ragbase query "How do I request leave?"\n\n'
    "Exit codes: 0 done, 1 something failed or was not found, 2 usage error, 130 interrupted.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@session_options
def application() -> None:
    """Search the files in a bucket, with citations."""
