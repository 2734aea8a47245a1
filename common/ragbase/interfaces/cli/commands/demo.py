"""ragbase demo"""

from __future__ import annotations

import click

from ragbase.interfaces.cli.result_text import result_text
from ragbase.interfaces.cli.session import Session, pass_session
from ragbase.interfaces.demo.run import run
from ragbase.interfaces.wire.query import query_response
from ragbase.retrieval.search_one_index import SearchResult

NEXT = """
With your own documents:
  ragbase ingest ~/notes             make a folder searchable: Markdown, text, JSON and PDF files
  ragbase query "where is the key?"  ask, in your own words
  ragbase serve                      answer over HTTP, and watch a folder
  ragbase --help                     everything else"""


@click.command("demo")
@pass_session
def command(session: Session) -> None:
    """Try the whole pipeline on sample documents.

    Documents about an invented weather station are uploaded, searched, edited and deleted in a temporary data folder.
    Every claim is checked. The exit code is 1 if one is not true.
    """
    session.config()  # for the log
    run(click.echo, _shown)
    click.echo(NEXT)


def _shown(result: SearchResult, question: str) -> str:
    (shown,) = query_response([result]).results
    return result_text(result.rank, shown, question, language="english", indent="     ")
