"""What all commands have in common: the data folder and the settings that they work with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ragbase.bootstrap import Profile
    from ragbase.config import Config
    from ragbase.engine import RAGEngine

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(slots=True)
class Session:
    """One call of `ragbase`, with the data folder and the profile that its options name."""

    home: Path | None = None
    profile_name: str | None = None

    def config(self, **settings: Any) -> Config:
        """The settings in force, and the log set up by them. A setting that is None counts as not given.

        A command says itself what went wrong: unless a level was asked for, only errors are logged beside it.
        """
        from ragbase import telemetry
        from ragbase.config import load_config

        config = load_config(home=self.home, profile=self.profile_name, **settings)
        telemetry.configure("ERROR" if config.origin("log_level") == "default" else config.log_level)
        return config

    @contextmanager
    def profile(self, **settings: Any) -> Iterator[Profile]:
        from ragbase.bootstrap import open_profile

        profile = open_profile(self.config(**settings))
        try:
            yield profile
            if "live" in vars(profile) and profile.live.is_outdated:  # asked by the command, that is
                click.echo(
                    "The index was made with another model or language than the settings name, and goes on with its "
                    "own. `ragbase reindex` makes a new one.",
                    err=True,
                )
        finally:
            profile.close()

    def engine(self) -> RAGEngine:
        from ragbase.engine import RAGEngine

        return RAGEngine(self.config())


pass_session = click.make_pass_decorator(Session, ensure=True)


def _remember_home(context: click.Context, _: click.Parameter, home: Path | None) -> None:
    session = context.ensure_object(Session)
    if home is not None:
        session.home = home


def _remember_profile(context: click.Context, _: click.Parameter, profile: str | None) -> None:
    session = context.ensure_object(Session)
    if profile is not None:
        session.profile_name = profile


def session_options(command: Command) -> Command:
    """--home and --profile, before the command's name or after it."""
    with_profile = click.option(
        "--profile",
        type=click.Choice(["embedded", "gcp"]),
        expose_value=False,
        callback=_remember_profile,
        help="Which adapters are used. Without it RAGBASE_PROFILE, or embedded.",
    )(command)
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        expose_value=False,
        callback=_remember_home,
        help="The data folder. Without it RAGBASE_HOME, or ~/.local/share/ragbase.",
    )(with_profile)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
