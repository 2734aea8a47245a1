"""What the commands that take a question have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.interfaces.cli.filter_options import Wanted, filter_options
from ragbase.interfaces.cli.session import Number, utf8

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def question_options(command: Callable[..., None]) -> Callable[..., None]:
    """The question, and the options that say what may be found for it."""
    for option in reversed(
        (
            click.argument("text", callback=question),
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
            click.option("--tenant", callback=utf8, help="Search this tenant only. [default: all]"),
            filter_options,
        )
    ):
        command = option(command)
    return command


def check_remote(tenant: str | None) -> None:
    """Raises UsageError for an option that a deployment does not take."""
    if tenant is not None:
        raise click.UsageError("--tenant does not go together with --endpoint: the key decides the tenant.")


def nothing_found(profile: Profile, wanted: Wanted) -> str:
    """Why there is nothing to show."""
    config = profile.config
    if not profile.documents.page(limit=1):
        place = config.home if config.profile == "embedded" else f"the bucket {config.bucket}"
        return f"There are no documents in {place} yet. Add some with: ragbase ingest PATH"
    where = " of the documents that were asked for" if wanted != Wanted() else ""
    return f"Nothing found: no passage{where} scores {config.similarity_threshold:g} or more."


def question(context: click.Context, parameter: click.Parameter, text: str) -> str:
    """The question, checked."""
    query = (utf8(context, parameter, text) or "").strip()
    if not query:
        raise click.BadParameter("it is empty. Ask a question, or name what you look for.")
    if len(query) > MAX_QUERY_LENGTH:
        raise click.BadParameter(
            f"it has {len(query):,} characters, and the limit is {MAX_QUERY_LENGTH:,}. Shorten it."
        )
    return query
