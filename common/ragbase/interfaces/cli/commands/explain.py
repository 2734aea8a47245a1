"""ragbase explain"""

from __future__ import annotations

import click

from ragbase.domain.limits import MAX_TOP_K
from ragbase.domain.question import Question
from ragbase.interfaces.cli.explanation import TITLES, explanation_fields
from ragbase.interfaces.cli.filter_options import Wanted, filter_options_but_document
from ragbase.interfaces.cli.question import question
from ragbase.interfaces.cli.screen import print_fields, print_json, visible
from ragbase.interfaces.cli.session import (
    Number,
    Session,
    endpoint_options,
    json_option,
    pass_session,
    session_options,
    typed_name,
    utf8,
)


@click.command("explain")
@click.argument("text", callback=question)
@click.option(
    "--document", required=True, metavar="ID|PATH", callback=utf8, help="The document that the question should find."
)
@click.option(
    "--top-k", type=click.IntRange(1, MAX_TOP_K), help="As in `ragbase query`. [default: the setting top_k, 5]"
)
@click.option(
    "--threshold", type=Number(0, 1), help="As in `ragbase query`. [default: the setting similarity_threshold, 0.5]"
)
@click.option("--tenant", callback=typed_name, help="As in `ragbase query`. [default: all]")
@filter_options_but_document
@json_option
@endpoint_options
@session_options
@pass_session
def command(
    session: Session,
    text: str,
    *,
    document: str,
    top_k: int | None,
    threshold: float | None,
    tenant: str | None,
    wanted: Wanted,
    as_json: bool,
) -> None:
    """Say why a question does not find a document.

    It names the stage that loses the document on its way from the bucket to a result, and shows the figures of each
    stage. Ask with the options that the search had. The exit code is 1 if the document is not found.
    """
    with session.knowledge(tenant=tenant) as knowledge:
        asked = Question(text, top_k, threshold, wanted.within(knowledge))
        explained = knowledge.explain(asked, document)
    if as_json:
        print_json(explained)
    else:
        click.echo(click.style(TITLES.get(explained.stage, explained.stage), bold=True))
        click.echo(visible(explained.reason))
        if explained.remedy:
            click.echo(visible(explained.remedy))
        click.echo("")
        print_fields(explanation_fields(explained, text))
    if not explained.is_found:
        raise click.exceptions.Exit(1)
