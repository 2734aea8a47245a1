"""ragbase keys"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import click

from ragbase import telemetry
from ragbase.access.api_keys import ApiKey, ApiKeys
from ragbase.access.caller import Scope
from ragbase.bootstrap.profile import Profile
from ragbase.domain.audit import Action
from ragbase.interfaces.cli.messages import CreatedKey, KeyList, KeySummary, RevokedKeys
from ragbase.interfaces.cli.screen import counted, print_json, print_table, visible, when
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options, utf8
from ragbase.interfaces.cli.tenancy import check_tenancy

COLUMNS = ("ID", "NAME", "SCOPES", "TENANT", "CREATED", "EXPIRES", "LAST USE")
_LONGEST_NAME = 100


@click.group("keys")
@session_options
def command() -> None:
    """Make, list or revoke API keys.

    A key lets a program use the HTTP API: Authorization: Bearer KEY.
    """


def _name(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    if not text.strip() or len(text) > _LONGEST_NAME or not text.isprintable():
        raise click.BadParameter(f"it needs 1 to {_LONGEST_NAME} printable characters.")
    return utf8(context, parameter, text)


@command.command("create")
@click.argument("name", callback=_name)
@click.option(
    "--scope",
    "scopes",
    type=click.Choice([scope.value for scope in Scope]),
    multiple=True,
    default=[Scope.READ.value],
    show_default=True,
    help="What the key may do; may be given twice.",
)
@click.option("--tenant", callback=_name, help="The one tenant whose documents it reaches. [default: all]")
@click.option("--expires", type=click.IntRange(1, 3650), metavar="DAYS", help="After how many days it is over.")
@json_option
@session_options
@pass_session
def create(
    session: Session, *, name: str, scopes: Sequence[str], tenant: str | None, expires: int | None, as_json: bool
) -> None:
    """Make a key and print it. This is the only time that it is shown."""
    lasting = timedelta(days=expires) if expires is not None else None
    with session.profile() as profile:
        if tenant is not None:
            check_tenancy(profile)
        with profile.audit.changing(Action.CREATE_KEY) as end:
            key, token = _keys(profile).create(name, scopes=map(Scope, scopes), tenant=tenant, lasting=lasting)
            end.update(key=key.id, scopes=" ".join(sorted(key.scopes)))
    telemetry.log("access.key_created", id=key.id, name=name)
    if as_json:
        print_json(CreatedKey(key=str(token), **dict(_summary(key))))
    else:
        click.echo(token)
        click.echo("Keep it now: it is not shown again. Send it as the header Authorization: Bearer KEY.", err=True)


@command.command("list")
@json_option
@session_options
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List the keys that are not revoked, oldest first.

    The last use may be ten minutes behind.
    """
    with session.profile() as profile:
        keys = _keys(profile).all()
    if as_json:
        print_json(KeyList(keys=tuple(map(_summary, keys))))
    elif keys:
        print_table(COLUMNS, map(_row, keys))
    else:
        click.echo("no keys")


@command.command("revoke")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
@session_options
@pass_session
def revoke(session: Session, ids: Sequence[str], as_json: bool) -> None:
    """Revoke keys. The HTTP API refuses them from the next request on."""
    with session.profile() as profile:
        keys = _keys(profile)
        known = {key.id for key in keys.all()}
        revoked = [id for id in dict.fromkeys(ids) if id in known and _revoked(id, keys, profile)]
    for id in revoked:
        telemetry.log("access.key_revoked", id=id)
    missing = [id for id in ids if id not in known]
    for id in missing:
        click.echo(f"failed: {visible(id)}: there is no such key. `ragbase keys list` shows them.", err=True)
    if as_json:
        print_json(RevokedKeys(revoked=tuple(revoked), not_found=tuple(missing)))
    else:
        click.echo(f"{counted(len(revoked), 'key')} revoked")
    if missing:
        raise click.exceptions.Exit(1)


def _revoked(id: str, keys: ApiKeys, profile: Profile) -> bool:
    with profile.audit.changing(Action.REVOKE_KEY, details={"key": id}):
        return keys.revoke(id) is not None


def _keys(profile: Profile) -> ApiKeys:
    return ApiKeys(lambda: profile.checkpoints, profile.clock)


def _summary(key: ApiKey) -> KeySummary:
    return KeySummary(
        id=key.id,
        name=key.name,
        scopes=tuple(sorted(key.scopes)),
        tenant=key.tenant,
        created_at=key.created_at,
        expires_at=key.expires_at,
        used_at=key.used_at,
    )


def _row(key: ApiKey) -> tuple[str, ...]:
    return (
        key.id,
        key.name,
        ", ".join(sorted(key.scopes)),
        key.tenant if key.tenant is not None else "all",
        when(key.created_at),
        when(key.expires_at) if key.expires_at else "never",
        when(key.used_at) if key.used_at else "never",
    )
