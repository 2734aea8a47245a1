"""What the commands that take a question have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from ragbase.domain.errors import TenantNotFound
from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.interfaces.cli.filter_options import Wanted, filter_options, option_of
from ragbase.interfaces.cli.screen import visible
from ragbase.interfaces.cli.session import Number, utf8
from ragbase.interfaces.near_miss_text import near_miss_lines

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.client.answers import NearestPassages
    from ragbase.interfaces.wire.near_miss import NearMissBody

_MOST_TENANTS = 10
"""Names in a message."""
_MOST_DOCUMENTS = 20_000
"""Documents whose records are read to say which part of a filter no document matches."""


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


def check_tenant(tenant: str | None, profile: Profile) -> None:
    """Raises TenantNotFound for a tenant that has nothing, while others have. It names them: who uses the command may
    read all."""
    from ragbase.engine.tenant_names import tenant_names

    if tenant is None or profile.documents.count(tenant=tenant) or not profile.documents.page(limit=1):
        return
    known = tenant_names(profile)
    if tenant not in known:
        raise TenantNotFound(f"There is no tenant {tenant!r}.{_of_known(tenant, known)}")


def _of_known(tenant: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    shown = get_close_matches(tenant, known, n=3) or known[:_MOST_TENANTS]
    more = f" and {len(known) - len(shown):,} others" if len(known) > len(shown) else ""
    names = ", ".join(repr(name) for name in shown)
    return f" Those that have documents are {names}{more}: `ragbase tenants list`." if known else ""


def nothing_found(profile: Profile, wanted: Wanted, miss: NearMissBody | None) -> str:
    """Why there is nothing to show, and what was nearest."""
    config = profile.config
    if not profile.documents.page(limit=1):
        place = config.home if config.profile == "embedded" else f"the bucket {config.bucket}"
        return f"There are no documents in {place} yet. Add some with: ragbase ingest PATH"
    where = " of the documents that were asked for" if wanted != Wanted() else ""
    return _with_near_miss(f"Nothing found: no passage{where} scores {config.similarity_threshold:g} or more.", miss)


def nothing_found_remotely(miss: NearestPassages | None) -> str:
    """The same for a deployment."""
    rule = f"scores {miss.threshold:g} or more" if miss is not None else "has enough to do with the question"
    return _with_near_miss(f"Nothing found: no passage {rule}.", miss)


def _with_near_miss(said: str, miss: NearMissBody | NearestPassages | None) -> str:
    if miss is None:
        return f"{said}\n{_WHY_HINT}"
    nearest = "\n".join(map(visible, near_miss_lines(miss)))
    return f"{said}\n{nearest}\n{_WHY_HINT}. A lower --threshold shows more."


_WHY_HINT = 'To see why a document is not found, ask the same: ragbase explain "…" --document PATH'


def warn_of_filter(profile: Profile, wanted: Wanted, tenant: str | None) -> None:
    """Name the options that no document matches."""
    from ragbase.retrieval.unmatched import unmatched_parts

    within = wanted.within(profile)
    if within is None:
        return
    for part in unmatched_parts(within, profile.documents, tenant=tenant, most=_MOST_DOCUMENTS):
        click.echo(f"warning: no document matches {option_of(part.name)} {visible(part.value)}", err=True)


def print_warnings(warnings: Sequence[str] | None) -> None:
    """What a deployment says of the filter."""
    for warning in warnings or ():
        click.echo(f"warning: {visible(warning)}", err=True)


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
