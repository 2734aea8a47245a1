"""ragbase query"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.engine.search import search
from ragbase.interfaces.cli.filter_options import Wanted, filter_options
from ragbase.interfaces.cli.result_text import result_text
from ragbase.interfaces.cli.screen import print_json
from ragbase.interfaces.cli.session import (
    Number,
    Session,
    endpoint_options,
    json_option,
    pass_session,
    session_options,
    utf8,
)

if TYPE_CHECKING:
    from ragbase.client.answers import FoundPassage
    from ragbase.interfaces.wire.query import QueryResult


@click.command("query")
@click.argument("text", callback=utf8)
@click.option(
    "--top-k", type=click.IntRange(1, 100), help="Show at most this many results. [default: the setting top_k, 5]"
)
@click.option(
    "--threshold",
    type=Number(0, 1),
    help="Leave out results below this score. [default: the setting similarity_threshold, 0.5]",
)
@click.option("--tenant", callback=utf8, help="Search this tenant only. [default: all]")
@filter_options
@json_option
@endpoint_options
@session_options
@pass_session
def command(
    session: Session,
    text: str,
    *,
    top_k: int | None,
    threshold: float | None,
    tenant: str | None,
    wanted: Wanted,
    as_json: bool,
) -> None:
    """Find the passages that answer a question.

    Each passage has a score from 0 to 1. It does not depend on the other results: if no document is about the subject,
    nothing is found. The options from --document to --to leave out documents; they all have to fit.
    """
    query = text.strip()
    if not query:
        raise click.BadParameter("it is empty. Ask a question, or name what you look for.", param_hint="'TEXT'")
    if len(query) > MAX_QUERY_LENGTH:
        raise click.BadParameter(
            f"it has {len(query):,} characters, and the limit is {MAX_QUERY_LENGTH:,}. Shorten it.", param_hint="'TEXT'"
        )
    if session.remote:
        if threshold is not None:
            raise click.UsageError("--threshold does not go together with --endpoint: the deployment's setting holds.")
        if tenant is not None:
            raise click.UsageError("--tenant does not go together with --endpoint: the key decides the tenant.")
        _query_remote(session, query, top_k, wanted, as_json=as_json)
        return
    with session.profile(top_k=top_k, similarity_threshold=threshold) as profile:
        config = profile.config
        results = search(query, profile, within=wanted.within(profile), tenant=tenant)
        is_empty = not results and not profile.documents.page(limit=1).total
    from ragbase.interfaces.wire.query import query_response

    response = query_response(results)
    if as_json:
        print_json(response)
    elif results:
        _print_results(response.results, query, config.language)
    elif is_empty:
        place = config.home if config.profile == "embedded" else f"the bucket {config.bucket}"
        click.echo(f"There are no documents in {place} yet. Add some with: ragbase ingest PATH")
    else:
        where = " of the documents that were asked for" if wanted != Wanted() else ""
        click.echo(f"Nothing found: no passage{where} scores {config.similarity_threshold:g} or more.")


def _query_remote(session: Session, query: str, top_k: int | None, wanted: Wanted, *, as_json: bool) -> None:
    from ragbase.client.answers import FoundPassages

    with session.client() as client:
        found = client.query(query, top_k=top_k, filter=wanted.remote_filter(client))
    if as_json:
        print_json(FoundPassages(results=tuple(found)))
    elif found:
        _print_results(found, query, "english")
    else:
        click.echo("Nothing found: no passage has enough to do with the question.")


def _print_results(results: Sequence[QueryResult | FoundPassage], query: str, language: str) -> None:
    shown = (result_text(rank, result, query, language=language) for rank, result in enumerate(results, 1))
    click.echo("\n\n".join(shown))
