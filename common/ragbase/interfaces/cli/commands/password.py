"""ragbase password"""

from __future__ import annotations

import sys
import unicodedata

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

    Asks for the password twice without showing it, or reads it from standard input, which has to be one line. Prints
    the value for the setting password_hash. The password itself is not kept anywhere.
    """
    password = _typed(_asked() if sys.stdin.isatty() else _line_of(sys.stdin.buffer.read()))
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


def _line_of(given: bytes) -> str:
    """The one line of standard input, without its end (LF or CRLF). Of several lines, nobody could tell which of them
    is meant to be the password. Raises ClickException."""
    try:
        text = given.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.ClickException("Standard input is not UTF-8. Send the password as UTF-8.") from None
    line = text.removesuffix("\n").removesuffix("\r")
    if not line:
        raise click.ClickException("Standard input has no password. Send it as one line.")
    lines = len(line.splitlines())
    if lines > 1 or line.splitlines() != [line]:
        raise click.ClickException(
            f"Standard input has {max(lines, 2)} lines, but a password is one line. Send the password alone."
        )
    return line


def _typed(password: str) -> str:
    """The password. Nobody can type a control character into a form. Raises ClickException for one that has any."""
    for place, character in enumerate(password, start=1):
        if unicodedata.category(character) == "Cc":
            raise click.ClickException(
                f"Character {place} of the password is the control character U+{ord(character):04X}, which nobody can "
                "type. Leave it out."
            )
    return password
