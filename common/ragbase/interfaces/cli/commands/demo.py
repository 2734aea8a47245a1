"""ragbase demo"""

from __future__ import annotations

import click

from ragbase.formats.extractor import allowed_formats
from ragbase.formats.table import FORMATS
from ragbase.interfaces.cli.result_text import result_text
from ragbase.interfaces.cli.session import Session, pass_session
from ragbase.interfaces.demo.run import run
from ragbase.interfaces.wire.query import query_response
from ragbase.retrieval.search_result import SearchResult

NEXT = """
With your own documents: plain text under any name, and the formats {formats}.
  ragbase ingest ~/notes             make a folder searchable
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
    allowed = allowed_formats(session.config().allowed_formats)
    run(click.echo, _shown)
    click.echo(NEXT.format(formats=", ".join(name for name in FORMATS if name in allowed)))


def _shown(result: SearchResult, question: str) -> str:
    (shown,) = query_response([result]).results
    return result_text(result.rank, shown, question, indent="     ")
