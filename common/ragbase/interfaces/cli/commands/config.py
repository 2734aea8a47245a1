"""ragbase config"""

from __future__ import annotations

import click

from ragbase.interfaces.cli.messages import Setting, Settings
from ragbase.interfaces.cli.screen import print_json, print_table
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options
from ragbase.settings import Config, variable_of


@click.command("config")
@json_option
@session_options
@pass_session
def command(session: Session, as_json: bool) -> None:
    """Show every setting, its value and its origin.

    A setting comes from its default, ragbase.toml in the data folder, the environment variable RAGBASE_<NAME>, or an
    option. If several are given, the last in this list wins.
    """
    config = session.config()
    values = config.model_dump(mode="json")
    settings = [
        Setting(
            name=name,
            value=values[name],
            origin="--home" if (name, config.origin(name)) == ("home", "argument") else config.origin(name),
            variable=variable_of(name),
            description=field.description or "",
        )
        for name, field in Config.model_fields.items()
    ]
    if as_json:
        print_json(Settings(settings=tuple(settings)))
    else:
        print_table(
            ("SETTING", "VALUE", "ORIGIN", "MEANING"),
            [(setting.name, str(setting.value), setting.origin, setting.description) for setting in settings],
            wrap=True,
        )
