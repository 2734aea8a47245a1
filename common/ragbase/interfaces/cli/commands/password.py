"""ragbase password"""

from __future__ import annotations

import sys

import click

from ragbase.access.password import MAX_PASSWORD, MIN_PASSWORD, PasswordHash
from ragbase.interfaces.cli.messages import HashedPassword
from ragbase.interfaces.cli.screen import print_json
from ragbase.interfaces.cli.session import json_option, session_options


@click.command("password")
@json_option
@session_options
def command(as_json: bool) -> None:
    """Make the hash of a password for the HTTP API.

    Asks for the password twice without showing it, or reads it from standard input. Prints the value for the setting
    password_hash. The password itself is not kept anywhere.
    """
    password = _asked() if sys.stdin.isatty() else sys.stdin.read().rstrip("\r\n")
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise click.ClickException(
            f"The password has {len(password)} characters, but needs {MIN_PASSWORD} to {MAX_PASSWORD:,}."
        )
    hashed = str(PasswordHash.of(password))
    if as_json:
        print_json(HashedPassword(password_hash=hashed))
    else:
        click.echo(hashed)
        click.echo(
            "Set it as RAGBASE_PASSWORD_HASH, or as password_hash in ragbase.toml. On Google Cloud, make it a version "
            "of the secret that ends in -password-hash. A new hash ends all sign-ins.",
            err=True,
        )


def _asked() -> str:
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return password
