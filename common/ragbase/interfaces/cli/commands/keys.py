"""ragbase keys"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import click

from ragbase.access.caller import Scope
from ragbase.access.daily_limits import Limited, Limits, parse_limits
from ragbase.access.settings import tenant_limits
from ragbase.domain.errors import ConfigurationError
from ragbase.engine.api_keys import WantedKey, keys_of, make_key, revoke_key
from ragbase.interfaces.cli.key_rows import COLUMNS, key_row, used_text, warnings_of
from ragbase.interfaces.cli.known_folders import has_documents, top_folders
from ragbase.interfaces.cli.messages import KeyList, RevokedKeys
from ragbase.interfaces.cli.open_access import LOCKED_UP, open_access
from ragbase.interfaces.cli.renew_upload_addresses import renew_upload_addresses
from ragbase.interfaces.cli.screen import counted, print_json, print_table, visible, when
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options, utf8
from ragbase.interfaces.wire.keys import LONGEST_NAME, MAX_DAYS, created_key, key_summary, used_limits


@click.group("keys")
@session_options
def command() -> None:
    """Make, list or revoke API keys.

    A key lets a program use the HTTP API: Authorization: Bearer KEY.
    """


def _name(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    if not text.strip() or len(text) > LONGEST_NAME or not text.isprintable():
        raise click.BadParameter(f"it needs 1 to {LONGEST_NAME} printable characters.")
    return utf8(context, parameter, text)


def _names(context: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> Sequence[str]:
    return [name for text in texts if (name := _name(context, parameter, text)) is not None]


def _lasting(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """The days; 0 for never."""
    if text is None:
        return None
    if text == "never":
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_DAYS)) and 1 <= int(text) <= MAX_DAYS):
        raise click.BadParameter(f"{visible(text)!r} is neither a number of days from 1 to {MAX_DAYS:,} nor never.")
    return int(text)


def _limits(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> Limits:
    try:
        return parse_limits(texts)
    except ConfigurationError as error:
        raise click.BadParameter(str(error)) from None


@command.command("create")
@click.argument("name", callback=_name)
@click.option(
    "--scope",
    "scopes",
    type=click.Choice([scope.value for scope in Scope]),
    multiple=True,
    default=[Scope.READ.value],
    show_default=True,
    help="What the key may do; may be given several times.",
)
@click.option("--tenant", callback=_name, help="The one tenant whose documents it reaches. [default: all]")
@click.option(
    "--prefix",
    "prefixes",
    callback=_names,
    multiple=True,
    metavar="FOLDER",
    help="The folder whose documents it reaches, such as finance/; may be given several times. [default: all]",
)
@click.option(
    "--origin",
    "origins",
    callback=_names,
    multiple=True,
    metavar="ORIGIN",
    help="The origin of the web pages on which alone it counts, such as https://www.example.com; may be given several "
    "times. [default: it counts everywhere]",
)
@click.option(
    "--expires",
    callback=_lasting,
    metavar="DAYS",
    help="After how many days it is over; or never. [default: the setting key_days]",
)
@click.option(
    "--limit",
    "limits",
    callback=_limits,
    multiple=True,
    metavar="NAME=NUMBER",
    help=f"What it may use in a day: {', '.join(Limited)}; may be given several times. [default: no limits]",
)
@json_option
@session_options
@pass_session
def create(
    session: Session,
    *,
    name: str,
    scopes: Sequence[str],
    tenant: str | None,
    prefixes: Sequence[str],
    origins: Sequence[str],
    expires: int | None,
    limits: Limits,
    as_json: bool,
) -> None:
    """Make a key and print it. This is the only time that it is shown.

    The scope read asks and looks, write changes documents, and extract serves an extractor elsewhere: such a key can
    list what waits to be read, get these files, and give their texts.

    With --origin, it is for a web page, which shows it to everybody: it may only read, and browsers use it on pages of
    these origins alone. What is no browser can send it from anywhere, so give it a --limit, too.
    """
    with session.profile() as profile:
        days = profile.config.key_days if expires is None else expires
        wanted = WantedKey(
            name=name,
            scopes=[Scope(scope) for scope in scopes],
            tenant=tenant,
            prefixes=prefixes,
            origins=origins,
            lasting=timedelta(days=days) if days else None,
            limits=limits,
        )
        key, token = make_key(wanted, profile)
        bucket = profile.config.bucket
        empty = [folder for folder in key.prefixes if not has_documents(folder, profile.documents, bucket)]
        known = ", ".join(visible(folder) for folder in top_folders(profile.documents, bucket)) if empty else ""
    for folder in empty:
        click.echo(f"No document is below {visible(folder)}/ yet. Folders with documents: {known or 'none'}.", err=True)
    if as_json:
        print_json(created_key(key, token))
    else:
        click.echo(token)
        end = f"It is over on {when(key.expires_at)}." if key.expires_at is not None else "It never expires."
        click.echo(
            f"{end} Keep it now: it is not shown again. Send it as the header Authorization: Bearer KEY.", err=True
        )
        if key.origins:
            click.echo(_tags(str(token), profile.config.public_url), err=True)


@command.command("list")
@json_option
@session_options
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List the keys that are not revoked, oldest first.

    The last use may be ten minutes behind. What was used today may be ahead: processes take some in advance.
    """
    with session.profile() as profile:
        book, now = keys_of(profile.checkpoints, profile.clock), profile.clock.now()
        keys = [(key, book.used_today(key)) for key in book.all()]
        shared = tenant_limits(profile.config)
        named = sorted({key.tenant for key, _ in keys if key.tenant is not None}) if shared else []
        tenants = {tenant: book.used_of_tenant(tenant, shared) for tenant in named}
    if as_json:
        summaries = tuple(key_summary(key, used) for key, used in keys)
        shown = {tenant: used_limits(shared, used) for tenant, used in tenants.items()}
        print_json(KeyList(keys=summaries, tenants=shown or None))
    elif keys:
        print_table(COLUMNS, [key_row(key, used, now) for key, used in keys])
        for tenant, used in tenants.items():
            click.echo(f"tenant {visible(tenant)}: {used_text(shared, used)}")
        for warning in warnings_of([key for key, _ in keys], now):
            click.echo(warning, err=True)
    else:
        click.echo("no keys")


@command.command("revoke")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
@session_options
@pass_session
def revoke(session: Session, ids: Sequence[str], as_json: bool) -> None:
    """Revoke keys. The HTTP API refuses them from the next request on, and their upload addresses, too."""
    with session.profile() as profile:
        keys = keys_of(profile.checkpoints, profile.clock)
        known = {key.id for key in keys.all()}
        revoked = [id for id in dict.fromkeys(ids) if id in known and revoke_key(id, keys, profile.audit)]
        is_locked_up = profile.access.is_locked_up
    missing = [id for id in ids if id not in known]
    for id in missing:
        click.echo(f"failed: {visible(id)}: there is no such key. `ragbase keys list` shows them.", err=True)
    if as_json:
        print_json(RevokedKeys(revoked=tuple(revoked), not_found=tuple(missing)))
    else:
        click.echo(f"{counted(len(revoked), 'key')} revoked")
    if is_locked_up:
        click.echo(LOCKED_UP, err=True)
    if missing:
        raise click.exceptions.Exit(1)


command.add_command(open_access)
command.add_command(renew_upload_addresses)


def _tags(key: str, public_url: str) -> str:
    """What a page has for <ragbase-ask>. Its script is that of this version, and its browser runs no other."""
    from ragbase.interfaces.console.ask_element import ask_element

    address = f"{(public_url or 'https://YOUR-SERVER').rstrip('/')}/ragbase-ask-{ask_element().version}.js"
    return (
        "For a box in which visitors of these pages ask, write into them (docs/access.md):\n"
        f'<script type="module" src="{address}" integrity="{ask_element().integrity}" crossorigin></script>\n'
        f'<ragbase-ask key="{key}"></ragbase-ask>'
    )
