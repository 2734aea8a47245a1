"""ragbase keys renew-upload-addresses"""

from __future__ import annotations

import click

from ragbase import telemetry
from ragbase.domain.audit import Action
from ragbase.interfaces.cli.messages import RenewedUploadKey
from ragbase.interfaces.cli.screen import print_json
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options


@click.command("renew-upload-addresses")
@json_option
@session_options
@pass_session
def renew_upload_addresses(session: Session, as_json: bool) -> None:
    """End all upload addresses that were given, at once.

    Another key signs the next ones, also in a server that is running. Addresses that Cloud Storage has signed itself
    end within an hour.
    """
    with session.profile() as profile, profile.audit.changing(Action.RENEW_UPLOAD_KEY):
        profile.upload_key.renew()
    telemetry.log("access.upload_key_renewed")
    if as_json:
        print_json(RenewedUploadKey(renewed=True))
    else:
        click.echo("All upload addresses that were given are over. POST /api/uploads gives new ones.")
