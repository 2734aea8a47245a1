"""ragbase explain"""

from __future__ import annotations

import click

from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.engine.explain import explain
from ragbase.interfaces.cli.explanation import TITLES, explained_document, explanation_fields
from ragbase.interfaces.cli.filter_options import Wanted, filter_options_but_document
from ragbase.interfaces.cli.screen import print_fields, print_json, visible
from ragbase.interfaces.cli.session import Number, Session, json_option, pass_session, session_options, utf8
from ragbase.retrieval.explain.explanation import LossStage


@click.command("explain")
@click.argument("text", callback=utf8)
@click.option(
    "--document", required=True, metavar="ID|PATH", callback=utf8, help="The document that the question should find."
)
@click.option("--top-k", type=click.IntRange(1, 100), help="As in `ragbase query`. [default: the setting top_k, 5]")
@click.option(
    "--threshold", type=Number(0, 1), help="As in `ragbase query`. [default: the setting similarity_threshold, 0.5]"
)
@click.option("--tenant", callback=utf8, help="As in `ragbase query`. [default: all]")
@filter_options_but_document
@json_option
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
    query = text.strip()
    if not query:
        raise click.BadParameter("it is empty. Give the question that should find the document.", param_hint="'TEXT'")
    if len(query) > MAX_QUERY_LENGTH:
        raise click.BadParameter(
            f"it has {len(query):,} characters, and the limit is {MAX_QUERY_LENGTH:,}. Shorten it.", param_hint="'TEXT'"
        )
    with session.profile(top_k=top_k, similarity_threshold=threshold) as profile:
        explanation = explain(query, document, profile, within=wanted.within(profile), tenant=tenant)
        language = profile.config.language
    if as_json:
        print_json(explained_document(explanation))
    else:
        click.echo(click.style(TITLES[explanation.stage], bold=True))
        click.echo(visible(explanation.reason))
        if explanation.remedy:
            click.echo(visible(explanation.remedy))
        click.echo("")
        print_fields(explanation_fields(explanation, query, language))
    if explanation.stage is not LossStage.FOUND:
        raise click.exceptions.Exit(1)
