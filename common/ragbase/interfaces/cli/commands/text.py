"""ragbase text"""

from __future__ import annotations

import sys

import click

from ragbase.interfaces.cli.identified import identified
from ragbase.interfaces.cli.messages import DocumentText
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
    with session.knowledge() as knowledge:
        found = identified(document, knowledge)
        text = knowledge.text(found.id)
    if as_json:
        print_json(DocumentText(document_id=found.id, filename=found.filename, text=text))
    elif sys.stdout.isatty():
        for line in text.split("\n"):
            click.echo(visible(line))
    else:
        click.echo(text.encode("utf-8", "replace"), nl=False)
