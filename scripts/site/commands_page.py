"""The reference page of the command line: the help of every command."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ragbase.interfaces.cli.application import application

WIDTH = 100


def commands_page() -> str:
    return "\n".join([*_described(application, "ragbase", None)])


def _described(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH, terminal_width=WIDTH)
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for one in command.list_commands(context):
            below = command.get_command(context, one)
            if below is not None and not below.hidden:
                yield from _described(below, one, context)
