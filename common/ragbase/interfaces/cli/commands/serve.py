"""ragbase serve"""

from __future__ import annotations

import signal
import socket
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import ip_address
from types import FrameType
from urllib.parse import urlsplit

import click

from ragbase import telemetry
from ragbase.access.access import Access
from ragbase.client.endpoint import is_loopback
from ragbase.domain.errors import ConfigurationError
from ragbase.ending import end_work
from ragbase.engine.calibrate_when_due import calibrating_when_due
from ragbase.engine.check_embedder import check_embedder
from ragbase.engine.lanes import lanes
from ragbase.interfaces.api.app import create_app, streams_of
from ragbase.interfaces.api.body_limits import body_limit
from ragbase.interfaces.api.guard import first_look
from ragbase.interfaces.cli.exposed import exposed_secrets
from ragbase.interfaces.cli.messages import Serving
from ragbase.interfaces.cli.open_access import LOCKED_UP
from ragbase.interfaces.cli.screen import print_json, visible
from ragbase.interfaces.cli.session import (
    Session,
    json_option,
    pass_session,
    session_options,
    tell_exposed,
    tell_format_change,
)
from ragbase.interfaces.http.server import Server
from ragbase.ports import Watcher
from ragbase.settings import Config


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="The port to listen on. 0 takes a free one.",
)
@click.option("--open", "shows_console", is_flag=True, help="Open the console in a browser.")
@json_option
@session_options
@pass_session
def command(session: Session, host: str, port: int, shows_console: bool, as_json: bool) -> None:
    """Answer queries over HTTP and watch the bucket's folder.

    The address itself is the console, a page to upload, watch and ask. POST /api/query answers queries. A file that you
    put into the bucket's folder is searchable within seconds. Change or remove it there, and the index follows. Without
    a password (`ragbase password`) and API keys (`ragbase keys`), only programs of this machine are answered. Ctrl-C
    and SIGTERM stop the server, after it has answered the requests that it has.
    """
    with _listening(host, port) as listener, session.profile(**_settings(listener)) as profile:
        watcher = profile.watcher()  # first: without a folder, there is nothing to serve
        is_open = _is_open(profile.access, listener)
        if is_open:
            _check_unreached(profile.config)
        telemetry.configure(profile.config.log_level)  # only the log says what happens to the files
        app = create_app(profile)
        behind_proxies = profile.config.trusted_proxies > 0
        server = Server(
            app,
            listener,
            body_limit=body_limit,
            look=first_look(app),
            behind_proxies=behind_proxies,
            keep_alive=profile.config.keep_alive,
            ending=streams_of(app).end,
        )
        # Load the model now: the first query does not wait, and a missing model is reported at once.
        check_embedder(profile.open_index().embedder)
        profile.reranker  # noqa: B018 - as above
        profile.generator  # noqa: B018 - making it checks its settings; it is first asked for an answer
        with lanes(profile), ExitStack() as running:
            running.callback(end_work)  # last, just before the lanes wait for what they have in work
            running.enter_context(calibrating_when_due(profile))
            running.enter_context(_watching(watcher))
            running.enter_context(_stopping_on_signals(server))
            origin, folder = _origin(listener), str(profile.bucket_folder)
            tell_exposed(profile)
            tell_format_change(profile)
            if (exposed := exposed_secrets(profile.config)) is not None:
                click.echo(f"warning: {exposed}", err=True)
            _announce(Serving(url=f"{origin}/api/query", bucket=folder, open=is_open), origin, as_json=as_json)
            if shows_console:
                _open_browser(origin)
            server.run()
    click.echo("Stopped. Unfinished work goes on at the next start.", err=True)


def _announce(serving: Serving, origin: str, *, as_json: bool) -> None:
    if as_json:
        print_json(serving)
    else:
        click.echo(f"The console: {origin}")
        click.echo(f"Answering queries at {serving.url}. {origin}/docs shows all that it can do.")
        if serving.open:
            click.echo("Every program of this machine may use it: there is no password and no API key.")
        click.echo(f"Watching {visible(serving.bucket)}: put files there. Stop with Ctrl-C.")


def _open_browser(address: str) -> None:
    """In a thread: some browsers return only when somebody leaves them."""

    def open_() -> None:
        if not webbrowser.open(address):
            click.echo(f"warning: there is no browser here. Open {address} in one.", err=True)

    threading.Thread(target=open_, daemon=True).start()


def _settings(listener: socket.socket) -> dict[str, str]:
    """An address of another kind than loopback can be reached from other machines: everybody signs in."""
    return {} if _is_loopback(listener) else {"sign_in": "required"}


def _is_open(access: Access, listener: socket.socket) -> bool:
    """Whether no token is needed. Raises ConfigurationError if others could reach the server, but nobody sign in."""
    access.remember()
    if _is_loopback(listener):
        if access.is_locked_up:
            click.echo(LOCKED_UP, err=True)
        return access.is_open
    if not access.is_set_up:
        raise ConfigurationError(
            f"Other machines can reach {_origin(listener)}, but there is neither a password nor an API key. Make one "
            "(`ragbase password`, `ragbase keys create`), or listen on --host 127.0.0.1."
        )
    return False


def _check_unreached(config: Config) -> None:
    """Raises ConfigurationError if the settings name a proxy: it may tell the server nothing of whom it passes on, so
    that other machines would count as programs of this one."""
    named = ""
    if config.public_url and not is_loopback(urlsplit(config.public_url).hostname or ""):
        named = f"public_url = {config.public_url}"
    elif config.trusted_proxies:
        named = f"trusted_proxies = {config.trusted_proxies}"
    if named:
        raise ConfigurationError(
            f"Other machines can reach the server through a proxy ({named}), but there is neither a password nor an "
            f"API key. Make one (`ragbase password`, `ragbase keys create`), or unset {named.partition(' ')[0]}."
        )


def _is_loopback(listener: socket.socket) -> bool:
    return ip_address(listener.getsockname()[0]).is_loopback


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise ConfigurationError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another --port (0 takes a free one) or "
            "another --host."
        ) from error


def _origin(listener: socket.socket) -> str:
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def _watching(watcher: Watcher) -> Iterator[None]:
    watcher.start()
    try:
        yield
    finally:
        watcher.stop()


@contextmanager
def _stopping_on_signals(server: Server) -> Iterator[None]:
    """Ctrl-C, and SIGTERM, which service managers send, stop the server in order. A second Ctrl-C does not wait."""

    def stop(_: int, __: FrameType | None) -> None:
        server.stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
