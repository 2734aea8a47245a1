"""ragbase demo"""

from __future__ import annotations

import click

from ragbase.interfaces.cli.result_text import result_text
from ragbase.interfaces.cli.session import Session, pass_session
from ragbase.interfaces.demo.run import run
from ragbase.retrieval.search import SearchResult

NEXT = """
With documents of your own:
  ragbase ingest ~/notes             make a folder searchable: Markdown, text, JSON and PDF files
  ragbase query "where is the key?"  ask, in your own words
  ragbase serve                      answer over HTTP, and watch a folder
  ragbase --help                     everything else"""


@click.command("demo")
@pass_session
def command(session: Session) -> None:
    """Watch sample documents become answers.

    Documents about an invented weather station go through the whole pipeline, in a temporary data folder: they are
    uploaded, asked, edited and deleted, and every claim is checked. The exit code is 1 where one does not come true.
    """
    session.config()  # for the log
    run(click.echo, _shown)
    click.echo(NEXT)


def _shown(result: SearchResult, question: str) -> str:
    return result_text(result, question, language="english", indent="     ")
