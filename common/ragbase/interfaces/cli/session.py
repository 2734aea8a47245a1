"""What all commands share: the data folder and the settings."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragbase.domain.name_forms import nfc

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.client.client import Client
    from ragbase.domain.chunk_size import ChunkSize
    from ragbase.interfaces.knowledge.evaluator import Evaluator
    from ragbase.interfaces.knowledge.ingestion import Ingestion
    from ragbase.interfaces.knowledge.knowledge import Knowledge
    from ragbase.settings import Config

NOT_UTF8 = "it is not valid UTF-8. Correct it."
ENDPOINT, KEY = "RAGBASE_ENDPOINT", "RAGBASE_KEY"
"""The variables for --endpoint and --key."""

_MOST_DOCUMENTS = 20_000
"""Documents whose records are read to say which part of a filter no document matches."""

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(slots=True)
class Session:
    """One call of `ragbase`, with the data folder and the profile from its options."""

    home: Path | None = None
    profile_name: str | None = None
    endpoint: str | None = None
    """The deployment that --endpoint names."""
    key: str | None = None
    quiet: bool = False
    """Whether a command only says what has failed."""

    @property
    def remote(self) -> str | None:
        """The deployment to ask over HTTP; None to work with the profile itself. --home and --profile win over the
        environment."""
        if self.endpoint is not None and (self.home is not None or self.profile_name is not None):
            raise click.UsageError("--endpoint does not go together with --home and --profile. Leave one out.")
        is_chosen = self.home is not None or self.profile_name is not None
        return self.endpoint or (None if is_chosen else os.environ.get(ENDPOINT) or None)

    @property
    def place(self) -> str:
        """Where the documents are, for a person."""
        if self.remote:
            return self.remote
        config = self.config()
        return str(config.home) if config.profile == "embedded" else f"the bucket {config.bucket}"

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A client of the deployment. The key is --key or RAGBASE_KEY."""
        from ragbase.client.client import Client

        with Client(self.remote or "", self.key or os.environ.get(KEY) or None) as client:
            yield client

    def _check_profile(self) -> None:
        """Raises ConfigurationError if the user may believe that the work is done elsewhere."""
        if self.remote is not None:
            from ragbase.domain.errors import ConfigurationError

            raise ConfigurationError(
                f"This command works with a data folder or with the services themselves, and {ENDPOINT} names a "
                "deployment. Unset it, or add --profile."
            )

    def config(self, **settings: Any) -> Config:
        """Read the settings, and set up the log with them. A setting that is None counts as not given.

        A command reports its own errors. So the log has errors only, unless a level was set.
        """
        from ragbase import telemetry
        from ragbase.config import load_config

        config = load_config(home=self.home, profile=self.profile_name, **settings)
        telemetry.configure("ERROR" if config.origin("log_level") == "default" else config.log_level)
        return config

    @contextmanager
    def profile(self, **settings: Any) -> Iterator[Profile]:
        from ragbase.bootstrap.open_profile import open_profile

        self._check_profile()
        profile = open_profile(self.config(**settings))
        profile.audit.actor = _user()
        try:
            yield profile
            tell_exposed(profile)
            if profile.current_index.is_outdated:
                click.echo(
                    "The current index has another model, language, tenancy or kind than the settings, and ragbase "
                    "goes on using it. Rebuild it with: ragbase reindex",
                    err=True,
                )
        finally:
            tell_format_change(profile)
            profile.close()

    @contextmanager
    def records(self) -> Iterator[Profile]:
        """The profile, for a command that shows what only records have."""
        if self.remote:
            raise click.UsageError("--verbose does not go together with --endpoint: a deployment shows no records.")
        with self.profile() as profile:
            yield profile

    @contextmanager
    def knowledge(self, *, tenant: str | None = None) -> Iterator[Knowledge]:
        """The documents of the deployment or of the profile; of this tenant alone, if it is named.

        Raises TenantNotFound, and UsageError for a tenant of a deployment."""
        if self.remote:
            if tenant is not None:
                raise click.UsageError("--tenant does not go together with --endpoint: the key decides the tenant.")
            from ragbase.interfaces.knowledge.deployment_knowledge import DeploymentKnowledge

            with self.client() as client:
                yield DeploymentKnowledge(client)
            return
        from ragbase.interfaces.cli.tenancy import check_tenant
        from ragbase.interfaces.knowledge.local_knowledge import LocalKnowledge

        with self.profile() as profile:
            check_tenant(tenant, profile)
            yield LocalKnowledge(profile, tenant, most=_MOST_DOCUMENTS)

    @contextmanager
    def ingestion(self, *, chunk_size: ChunkSize | None = None) -> Iterator[Ingestion]:
        """What brings files to the deployment or the profile; with chunks of this size, if it is named. Raises
        UsageError for a chunk size of a deployment."""
        if self.remote:
            if chunk_size is not None:
                raise click.UsageError(
                    "--chunk-size does not go together with --endpoint: the deployment's settings hold."
                )
            from ragbase.interfaces.knowledge.deployment_ingestion import DeploymentIngestion

            with self.client() as client:
                yield DeploymentIngestion(client)
            return
        from ragbase.interfaces.knowledge.profile_ingestion import ProfileIngestion

        with self.profile() as profile:
            profile.prepare()
            yield ProfileIngestion(profile, chunk_size)

    @contextmanager
    def evaluator(self, **settings: Any) -> Iterator[Evaluator]:
        """What asks the documents of the deployment or of the profile, with these settings of a search. One that is
        None is that of the deployment or of the profile."""
        from functools import partial

        if self.remote:
            from ragbase.interfaces.knowledge.deployment_evaluation import evaluate_deployment

            config = self.config(**settings)
            given = {name: getattr(config, name) for name, value in settings.items() if value is not None}
            with self.client() as client:
                yield partial(
                    evaluate_deployment,
                    client=client,
                    top_k=given.get("top_k"),
                    threshold=given.get("similarity_threshold"),
                )
            return
        from ragbase.engine.evaluate import evaluate_index

        with self.profile(**settings) as profile:
            yield partial(evaluate_index, profile=profile)


def tell_exposed(profile: Profile) -> None:
    """Warn once of what other users of this machine can reach."""
    paths, profile.left_exposed = profile.left_exposed, ()
    if paths:
        from ragbase.interfaces.cli.exposed import exposed_message

        click.echo(f"warning: {exposed_message(paths, profile.config.home)}", err=True)


def tell_format_change(profile: Profile) -> None:
    """Say once that the data folder has another format than before."""
    change, profile.format_change = profile.format_change, None
    if change is not None:
        click.echo(change, err=True)


pass_session = click.make_pass_decorator(Session, ensure=True)


def _user() -> str:
    """Who works with the command: the user of the process. A variable such as USER could say anything."""
    import pwd

    try:
        return f"command:{pwd.getpwuid(os.getuid()).pw_name}"
    except KeyError:
        return f"command:{os.getuid()}"


def _remember_home(context: click.Context, _: click.Parameter, home: str | None) -> None:
    session = context.ensure_object(Session)
    if home == "":
        raise click.BadParameter("it is empty. Name a folder, or leave it out for the default.")
    if home is not None:
        session.home = Path(home)


def _remember_profile(context: click.Context, _: click.Parameter, profile: str | None) -> None:
    session = context.ensure_object(Session)
    if profile is not None:
        session.profile_name = profile


class Number(click.FloatRange):
    """A number in a range. click's own range takes `nan`, because nothing is above or below it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


def utf8(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """The text, checked, if there is one. Python accepts other bytes in an argument, but nothing can be found with
    them."""
    if not is_utf8(text or ""):
        raise click.BadParameter(NOT_UTF8)
    return text


def is_utf8(text: str) -> bool:
    """Whether a text that somebody typed has no bytes of another encoding."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def typed_name(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """What names a document, folder or tenant, as `utf8` checks it, in the form that ragbase keeps."""
    checked = utf8(context, parameter, text)
    return nfc(checked) if checked is not None else None


def session_options(command: Command) -> Command:
    """--home and --profile, before or after the command's name."""
    with_profile = click.option(
        "--profile",
        type=click.Choice(["embedded", "gcp"]),
        expose_value=False,
        callback=_remember_profile,
        help="embedded (this machine) or gcp (Google Cloud). [default: RAGBASE_PROFILE, or embedded]",
    )(command)
    return click.option(
        "--home",
        type=click.Path(file_okay=False),
        expose_value=False,
        callback=_remember_home,
        help="The data folder. [default: RAGBASE_HOME, or ~/.local/share/ragbase]",
    )(with_profile)


def _remember_endpoint(context: click.Context, _: click.Parameter, endpoint: str | None) -> None:
    if endpoint is not None:
        context.ensure_object(Session).endpoint = endpoint


def _remember_key(context: click.Context, _: click.Parameter, key: str | None) -> None:
    if key is not None:
        context.ensure_object(Session).key = key


def endpoint_options(command: Command) -> Command:
    """--endpoint and --key."""
    with_key = click.option(
        "--key",
        metavar="KEY",
        expose_value=False,
        callback=_remember_key,
        help=f"The API key for --endpoint. Others on this machine can see it; {KEY} is safer. [default: {KEY}]",
    )(command)
    return click.option(
        "--endpoint",
        metavar="URL",
        expose_value=False,
        callback=_remember_endpoint,
        help=f"Ask this deployment over HTTP. [default: {ENDPOINT}, or none]",
    )(with_key)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def _remember_quiet(context: click.Context, _: click.Parameter, quiet: bool) -> None:
    if quiet:
        context.ensure_object(Session).quiet = True


def quiet_option(command: Command) -> Command:
    return click.option(
        "--quiet",
        "-q",
        is_flag=True,
        expose_value=False,
        callback=_remember_quiet,
        help="Only say what has failed: no progress, notes or summary.",
    )(command)


def follow_links_option(command: Command) -> Command:
    return click.option(
        "--follow-links",
        is_flag=True,
        help="Follow links of a folder to files and folders elsewhere, also to what others must not see.",
    )(command)


def verbose_option(command: Command) -> Command:
    return click.option("--verbose", "-v", is_flag=True, help="Name each file that was left out, with the reason.")(
        command
    )


def records_option(command: Command) -> Command:
    return click.option(
        "--verbose", "-v", is_flag=True, help="Show what the record has, too. Not with --endpoint, nor with --json."
    )(command)
