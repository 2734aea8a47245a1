"""ragbase keys open"""

from __future__ import annotations

import click

from ragbase import telemetry
from ragbase.domain.audit import Action
from ragbase.domain.errors import ConfigurationError
from ragbase.interfaces.cli.messages import OpenedAccess
from ragbase.interfaces.cli.screen import print_json
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options

LOCKED_UP = (
    "There is neither a password nor an API key now. The HTTP API stays closed: nobody can use it. Make a key "
    "(`ragbase keys create`), or let all programs of this machine in (`ragbase keys open`)."
)


@click.command("open")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@session_options
@pass_session
def open_access(session: Session, *, yes: bool, as_json: bool) -> None:
    """Let programs of this machine use the HTTP API without a token.

    It is so until there is a first password or key. From then on, the API stays closed, also without them. This opens
    it again. Revoke all keys and remove the setting password_hash first.
    """
    with session.profile() as profile:
        access = profile.access
        if profile.config.sign_in != "local":
            raise ConfigurationError(
                f"The setting `sign_in` is {profile.config.sign_in}: a token is always needed. Set it to local first."
            )
        if keys := access.keys.all():
            raise ConfigurationError(
                f"There are keys ({len(keys):,}), so the API stays closed. Revoke them first: `ragbase keys list`."
            )
        if access.is_set_up:
            raise ConfigurationError("There is still a password. Remove the setting `password_hash` first.")
        if not yes:
            click.confirm(
                "Let every program of this machine, of every user, read and write all documents?", abort=True, err=True
            )
        with profile.audit.changing(Action.OPEN_ACCESS):
            access.keys.forget()
    telemetry.log("access.opened")
    if as_json:
        print_json(OpenedAccess(open=True))
    else:
        click.echo("Every program of this machine may use the HTTP API. The next password or key closes it.")
