"""ragbase text"""

from __future__ import annotations

import sys

import click

from ragbase.engine.indexed_text import indexed_text
from ragbase.interfaces.cli.messages import DocumentText
from ragbase.interfaces.cli.remote import not_found, remote_document
from ragbase.interfaces.cli.screen import print_json, visible
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options


@click.command("text")
@click.argument("document", metavar="ID|PATH")
@json_option
@endpoint_options
@session_options
@pass_session
def command(session: Session, document: str, as_json: bool) -> None:
    """Print a document's text, to check a citation.

    It is the extracted text: a citation says from which character to which character of it a passage goes. A terminal
    shows escape sequences in it as text; a file or a pipe gets every character as it is.
    """
    if session.remote:
        with session.client() as client:
            found = remote_document(document, client)
            id, filename, text = found.id, found.filename, client.text(found.id)
    else:
        with session.engine() as engine:
            record = engine.find(document)
            if record is None:
                raise not_found(document)
            id, filename, text = record.id, record.source, "".join(indexed_text(record, engine.profile))
    if as_json:
        print_json(DocumentText(document_id=id, filename=filename, text=text))
    elif sys.stdout.isatty():
        for line in text.split("\n"):
            click.echo(visible(line))
    else:
        click.echo(text.encode("utf-8", "replace"), nl=False)
