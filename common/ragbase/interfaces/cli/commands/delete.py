"""ragbase delete"""

from __future__ import annotations

from collections.abc import Sequence

import click

from ragbase.interfaces.cli.messages import DeleteSummary
from ragbase.interfaces.cli.remote import delete_remote, not_found
from ragbase.interfaces.cli.screen import counted, print_json, visible
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options


@click.command("delete")
@click.argument("documents", metavar="PATH|ID|HASH...", nargs=-1, required=True)
@json_option
@endpoint_options
@session_options
@pass_session
def command(session: Session, documents: Sequence[str], as_json: bool) -> None:
    """Delete documents.

    Name each by the path that it was ingested from, its name in the bucket, its id, or what the Python function
    `hash_file_path` returns for its path. The ingested files themselves are not deleted.
    """
    if session.remote:
        with session.client() as client:
            done = delete_remote(documents, client)
    else:
        with session.engine() as engine:
            done = engine.delete(documents)
    for missing in done["not_found_ids"]:
        click.echo(f"failed: {visible(str(not_found(missing)))}", err=True)
    if as_json:
        print_json(DeleteSummary(deleted=tuple(done["deleted_ids"]), not_found=tuple(done["not_found_ids"])))
    else:
        click.echo(f"{counted(done['deleted_count'], 'document')} deleted")
    if done["not_found_ids"]:
        raise click.exceptions.Exit(1)
