"""The commands of scripts/dev: run the whole cloud on this machine (docs/local-cloud.md)."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path

import click

from scripts.local_cloud.local_cloud import LocalCloud, NotUp
from scripts.local_cloud.local_parts import FUNCTIONS, SERVERS
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.wiring import SERVICES, Service
from tests.doubles.cohere_answers import Vectors

PARTS = click.Choice([*SERVERS, *FUNCTIONS])


def cloud() -> LocalCloud:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return LocalCloud(cache / "ragbase" / "dev", say)


def say(line: str) -> None:
    click.echo(line, err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def dev() -> None:
    """Run the whole cloud on this machine: storage, queues, databases, embeddings and every function."""


@dev.command()
@click.option(
    "--vectors",
    type=click.Choice(["hashing", "minilm"]),
    help="What embeddings are made from: only the words (hashing, fast), or the meaning (minilm, the default).",
)
@click.option(
    "--rate",
    type=click.IntRange(min=0),
    help="How many inputs a minute the embedding server takes, as Cohere's (2000); 0 is no limit, the default.",
)
@click.option(
    "--service", type=click.Choice(SERVICES), help="Who embeds: cohere (the default), or vertex without a key."
)
def up(vectors: Vectors | None, rate: int | None, service: Service | None) -> None:
    """Start every part that does not run yet, and wait until all parts are healthy."""
    started = time.monotonic()
    cloud().up(vectors, rate, service)
    for part in cloud().status():
        click.echo(f"{part.name:12} http://127.0.0.1:{part.port}")
    say(f'Up after {time.monotonic() - started:.1f} s. To use it: eval "$(scripts/dev env)"')


@dev.command()
def env() -> None:
    """Print `export` lines. After `eval`, ragbase and Google's clients in this shell use the local cloud."""
    for name, value in cloud().settings().items():
        click.echo(f"export {name}={shlex.quote(value)}")


@dev.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def status(as_json: bool) -> None:
    """Print each part's name, process id, port and health. Exits with 1 unless all parts are healthy."""
    parts = cloud().status()
    if as_json:
        click.echo(json.dumps([asdict(part) for part in parts], indent=2))
    for part in () if as_json else parts:
        click.echo(f"{part.name:12} {part.health:10} pid {part.pid or '–':<8} http://127.0.0.1:{part.port}")
    if not parts:
        say("The local cloud is not up. Start it: scripts/dev up")
    sys.exit(0 if parts and all(part.health == "healthy" for part in parts) else 1)


@dev.command()
@click.argument("part", type=PARTS)
def restart(part: str) -> None:
    """Stop one part and start it again. A function is staged again, so it runs the code as it is now."""
    cloud().restart(part)


@dev.command()
@click.argument("part", type=PARTS)
@click.option("--follow", "-f", is_flag=True, help="Keep printing new lines as they come.")
def logs(part: str, follow: bool) -> None:
    """Print the last lines of a part's log."""
    arguments = ["tail", "-n", "200", *(["-f"] if follow else []), str(cloud().log(part))]
    os.execv(shutil.which("tail") or "tail", arguments)


@dev.command()
def down() -> None:
    """Stop every part and delete its data. The logs stay."""
    cloud().down()


if __name__ == "__main__":
    try:
        dev(prog_name="scripts/dev")
    except (NotUp, Missing) as reason:
        sys.exit(str(reason))
