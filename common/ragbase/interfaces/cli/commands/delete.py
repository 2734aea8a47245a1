"""ragbase delete"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ragbase.interfaces.cli.identified import not_found
from ragbase.interfaces.cli.messages import DeleteSummary
from ragbase.interfaces.cli.screen import counted, print_json, visible
from ragbase.interfaces.cli.session import (
    Session,
    endpoint_options,
    json_option,
    pass_session,
    quiet_option,
    session_options,
)

if TYPE_CHECKING:
    from ragbase.interfaces.knowledge.knowledge import Knowledge


def _not_empty(_: click.Context, __: click.Parameter, given: Sequence[str]) -> Sequence[str]:
    """An empty name would mean the current folder: a variable of a shell may have been empty."""
    if "" in given:
        raise click.BadParameter("a name is empty. Name a document, a folder or a pattern.")
    return given


@click.command("delete")
@click.argument("documents", metavar="PATH|ID|HASH...", nargs=-1, required=True, callback=_not_empty)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation of a folder or a pattern.")
@quiet_option
@json_option
@endpoint_options
@session_options
@pass_session
def command(session: Session, documents: Sequence[str], yes: bool, as_json: bool) -> None:
    """Delete documents.

    Name each by the path that it was ingested from, its name in the bucket, its id, or what the Python function
    `hash_file_path` returns for its path. A folder stands for all documents below it, and a pattern such as
    'notes/**/*.md' for those that match. The ingested files themselves are not deleted.
    """
    with session.knowledge() as knowledge:
        named, below, missing = _meant(documents, knowledge)
        if below and not yes:
            click.confirm(f"Delete {counted(len(below), 'document')}?", abort=True, err=True)
        ids = dict.fromkeys([*named.values(), *below])
        back = knowledge.delete(list(ids))
    for source in back:
        click.echo(f"{visible(source)}: it was deleted, and somebody has uploaded it again meanwhile.", err=True)
    for identifier in missing:
        click.echo(f"failed: {visible(str(not_found(identifier)))}", err=True)
    if as_json:
        print_json(DeleteSummary(deleted=(*named, *below.values()), not_found=tuple(missing)))
    elif not session.quiet:
        click.echo(f"{counted(len(ids), 'document')} deleted")
    if missing:
        raise click.exceptions.Exit(1)


def _meant(identifiers: Sequence[str], knowledge: Knowledge) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """The ids of the documents that are named; the names of those below folders and in patterns, by their ids; and what
    means no document."""
    found = {identifier: knowledge.find(identifier) for identifier in identifiers}
    named = {identifier: document.id for identifier, document in found.items() if document is not None}
    others = [identifier for identifier in found if identifier not in named]
    groups = knowledge.below(others) if others else {}
    below = {id: name for group in groups.values() for id, name in group.items()}
    return named, below, [identifier for identifier in others if not groups[identifier]]
