"""What the commands that take a question have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.interfaces.cli.filter_options import Wanted, filter_options
from ragbase.interfaces.cli.screen import visible
from ragbase.interfaces.cli.session import NOT_UTF8, Number, is_utf8, typed_name
from ragbase.interfaces.near_miss_text import near_miss_lines

if TYPE_CHECKING:
    from ragbase.interfaces.knowledge.knowledge import Knowledge
    from ragbase.messages.api.answer import AnswerResponse
    from ragbase.messages.api.query import QueryResponse

_WHY_HINT = 'To see why a document is not found, ask the same: ragbase explain "…" --document PATH'


def question_options(command: Callable[..., None]) -> Callable[..., None]:
    """The question, and the options that say what may be found for it."""
    return click.argument("text", callback=question)(search_options(command))


def search_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what may be found."""
    for option in reversed(
        (
            click.option(
                "--top-k",
                type=click.IntRange(1, MAX_TOP_K),
                help="Find at most this many passages. [default: the setting top_k, 5]",
            ),
            click.option(
                "--threshold",
                type=Number(0, 1),
                help="Leave out passages below this score. [default: the setting similarity_threshold, 0.5]",
            ),
            click.option("--tenant", callback=typed_name, help="Search this tenant only. [default: all]"),
            filter_options,
        )
    ):
        command = option(command)
    return command


def print_nothing_found(
    response: QueryResponse | AnswerResponse, wanted: Wanted, place: str, knowledge: Knowledge
) -> None:
    """Why there is nothing to show, and what was nearest. A part of the filter that no document matches is named on
    standard error. So are documents that were read before ragbase knew what the filter asks for. `place` is where the
    documents are."""
    for warning in response.warnings or ():
        option = wanted.option_of(warning)
        if option is not None:
            click.echo(f"warning: no document matches {visible(option)}", err=True)
    for line in _nothing_found(response, wanted, place):
        click.echo(visible(line))
    if wanted != Wanted() and (older := knowledge.older()) is not None:
        click.echo(older, err=True)


def _nothing_found(response: QueryResponse | AnswerResponse, wanted: Wanted, place: str) -> Iterator[str]:
    from ragbase.interfaces.wire.nothing_to_search import NO_DOCUMENTS, NOTHING_INDEXED

    miss, warnings = response.near_miss, response.warnings or ()
    where = " of the documents that were asked for" if wanted != Wanted() else ""
    if miss is not None:
        yield f"Nothing found: no passage{where} scores {miss.threshold:g} or more."
        yield from near_miss_lines(miss, visible)
        yield f"{_WHY_HINT}. A lower --threshold shows more."
    elif NO_DOCUMENTS in warnings or NOTHING_INDEXED in warnings:
        yield f"No document in {place} is searchable yet. Add some with: ragbase ingest PATH"
    else:
        yield f"Nothing found: there is no passage{where}."
        yield from (warning for warning in warnings if wanted.option_of(warning) is None)
        yield _WHY_HINT


def question(_: click.Context, __: click.Parameter, text: str) -> str:
    """The question, checked."""
    query = text.strip()
    problem = problem_of_question(query)
    if problem is not None:
        raise click.BadParameter(problem)
    return query


def problem_of_question(query: str) -> str | None:
    """Why this cannot be asked; None if it can."""
    if not is_utf8(query):
        return NOT_UTF8
    if not query:
        return "it is empty. Ask a question, or name what you look for."
    if len(query) > MAX_QUERY_LENGTH:
        return f"it has {len(query):,} characters, and the limit is {MAX_QUERY_LENGTH:,}. Shorten it."
    return None
