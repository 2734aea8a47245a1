"""ragbase query"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ragbase.engine.search import search
from ragbase.interfaces.cli.filter_options import Wanted
from ragbase.interfaces.cli.question import (
    check_remote,
    check_tenant,
    nothing_found,
    nothing_found_remotely,
    print_warnings,
    question_options,
    warn_of_filter,
)
from ragbase.interfaces.cli.result_text import result_text
from ragbase.interfaces.cli.screen import print_json
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.client.answers import FoundPassage
    from ragbase.interfaces.wire.query import QueryResult


@click.command("query")
@question_options
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
    if session.remote:
        check_remote(tenant)
        _query_remote(session, text, top_k, threshold, wanted, as_json=as_json)
        return
    from ragbase.interfaces.wire.query import query_response

    with session.profile(top_k=top_k, similarity_threshold=threshold) as profile:
        config = profile.config
        check_tenant(tenant, profile)
        response = query_response(search(text, profile, within=wanted.within(profile), tenant=tenant))
        nothing = ""
        if not response.results and response.near_miss is None:
            warnings = _warnings(profile, wanted, tenant, as_json=as_json)
            response = response.model_copy(update={"warnings": warnings})
        if not response.results and not as_json:
            nothing = nothing_found(profile, wanted, response.near_miss)
    if as_json:
        print_json(response)
    elif response.results:
        _print_results(response.results, text, config.language, reranked=response.reranked)
    else:
        click.echo(nothing)


def _warnings(profile: Profile, wanted: Wanted, tenant: str | None, *, as_json: bool) -> tuple[str, ...] | None:
    """Why there was nothing to search, in JSON; a person is told of the filter at once."""
    from ragbase.interfaces.wire.nothing_to_search import nothing_to_search

    if as_json:
        return nothing_to_search(wanted.within(profile), profile.documents, tenant)
    warn_of_filter(profile, wanted, tenant)
    return None


def _query_remote(
    session: Session, query: str, top_k: int | None, threshold: float | None, wanted: Wanted, *, as_json: bool
) -> None:
    with session.client() as client:
        found = client.query(query, top_k=top_k, threshold=threshold, filter=wanted.remote_filter(client))
    if as_json:
        print_json(found.answer())
    elif found:
        _print_results(found, query, "english", reranked=found.reranked)
    else:
        print_warnings(found.warnings)
        click.echo(nothing_found_remotely(found.near_miss))


def _print_results(
    results: Sequence[QueryResult | FoundPassage], query: str, language: str, *, reranked: bool | None
) -> None:
    shown = (result_text(rank, result, query, language=language) for rank, result in enumerate(results, 1))
    click.echo("\n\n".join(shown))
    if reranked is False:
        click.echo("\nThe reranker gave no answer: the results are in the order of the search.", err=True)
