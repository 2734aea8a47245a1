"""ragbase query"""

from __future__ import annotations

import click

from ragbase.domain.context import Expand, expansion
from ragbase.domain.limits import DEFAULT_EXPAND_TOKENS, MAX_EXPAND_TOKENS
from ragbase.domain.question import Question
from ragbase.interfaces.cli.filter_options import Wanted
from ragbase.interfaces.cli.question import print_nothing_found, question_options
from ragbase.interfaces.cli.result_text import lines_of_parts, result_text
from ragbase.interfaces.cli.screen import print_json
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options
from ragbase.messages.api.query import QueryResponse


@click.command("query")
@question_options
@click.option(
    "--expand",
    type=click.Choice([one.value for one in Expand]),
    help="Show what stands around each passage: its section, page or document.",
)
@click.option(
    "--expand-tokens",
    type=click.IntRange(1, MAX_EXPAND_TOKENS),
    help=f"Show at most so many tokens of it. [default: {DEFAULT_EXPAND_TOKENS}]",
)
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
    expand: str | None,
    expand_tokens: int | None,
    as_json: bool,
) -> None:
    """Find the passages that answer a question.

    Each passage has a score from 0 to 1. It does not depend on the other results: if no document is about the subject,
    nothing is found. The options from --document to --to leave out documents; they all have to fit.
    """
    if expand_tokens is not None and expand is None:
        raise click.UsageError("--expand-tokens needs --expand. Say --expand section, page or document.")
    with session.knowledge(tenant=tenant) as knowledge:
        response = knowledge.query(
            Question(
                text,
                top_k,
                threshold,
                wanted.within(knowledge),
                expand=expansion(expand, expand_tokens),
            )
        )
        if as_json:
            print_json(response)
        elif response.results:
            _print_results(response, text)
        else:
            print_nothing_found(response, wanted, session.place, knowledge)


def _print_results(response: QueryResponse, query: str) -> None:
    shown = (result_text(rank, result, query) for rank, result in enumerate(response.results, 1))
    missing = "\n".join(lines_of_parts(response.parts or ()))
    click.echo("\n\n".join((*shown, missing) if missing else shown))
    if response.reranked is False:
        click.echo("\nThe reranker gave no answer: the results are in the order of the search.", err=True)
