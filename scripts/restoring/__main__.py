"""The commands of scripts/restore (docs/restore.md)."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from scripts.bench.machine import machine
from scripts.deployment.commands import gcloud, need_programs
from scripts.local_cloud.local_cloud import NotUp
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.restoring import bucket as versions
from scripts.restoring import records as databases
from scripts.restoring import vectors as disks
from scripts.restoring.check import ways
from scripts.restoring.deployed import IMPORTS, Deployed, TerraformState
from scripts.restoring.rehearsal import LocalGoogle, Rehearsal, Rehearsed
from scripts.restoring.settle import Unsettled
from scripts.restoring.settle import settle as repair
from scripts.restoring.switch import switch_database, switch_disk

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = click.Choice(sorted(one.name for one in (ROOT / "terraform" / "envs").iterdir() if one.is_dir()))
PROCEDURES = ("region", "bucket", "snapshot", "reindex", "backup", "records")


def say(line: str) -> None:
    click.echo(line, err=True)


class Moment(click.ParamType[datetime]):
    """A time with its zone."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> datetime:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value} is no time. Write it as 2026-11-26T08:15:00Z.", param, context)
        if moment.tzinfo is None:
            self.fail(f"{value} has no time zone. Write it as {value}Z for UTC.", param, context)
        if moment > datetime.now(UTC):
            self.fail(f"{value} is in the future.", param, context)
        return moment


def state_of(environment: str) -> TerraformState:
    need_programs()
    return TerraformState(ROOT / "terraform" / "envs" / environment)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def restore() -> None:
    """Ways back after a loss on Google Cloud, and their rehearsal on this machine (docs/restore.md)."""


@restore.command()
@click.argument("environment", type=ENVIRONMENTS)
def check(environment: str) -> None:
    """Say how far back each way leads now. Exits with 1 if one leads nowhere: run it each night."""
    wrong = False
    for way in ways(gcloud, Deployed.read(state_of(environment).output("restore")), datetime.now(UTC)):
        click.echo(f"{'ok   ' if way.is_open else 'WRONG'}  {way.name}: {way.found}")
        wrong |= not way.is_open
    sys.exit(1 if wrong else 0)


@restore.command()
@click.argument("environment", type=ENVIRONMENTS)
@click.option("--at", "moment", type=Moment(), help="The time to go back to, in the last 7 days.")
@click.option("--backup", help="The full name of a backup, as `gcloud firestore backups list` prints it.")
@click.option("--into", required=True, help="The id of the new database.")
def records(environment: str, moment: datetime | None, backup: str | None, into: str) -> None:
    """Copy the records of an earlier time into a new database."""
    if (moment is None) == (backup is None):
        raise click.UsageError("Give either --at or --backup.")
    deployed = Deployed.read(state_of(environment).output("restore"))
    if moment is not None:
        databases.clone(gcloud, deployed, moment, into, say=say)
    elif backup is not None:
        databases.from_backup(gcloud, deployed, backup, into, say=say)
    say(f"Now: ./scripts/restore switch {environment} --database {into}")


@restore.command()
@click.argument("environment", type=ENVIRONMENTS)
@click.option("--at", "moment", type=Moment(), required=True, help="The time to go back to.")
@click.option("--prefix", default="", help="Only objects whose names start like this.")
@click.option("--document", help="Only the object with this name.")
@click.option("--yes", is_flag=True, help="Bring them back. Without it, they are only listed.")
def bucket(environment: str, moment: datetime, prefix: str, document: str | None, yes: bool) -> None:
    """Bring back objects that were overwritten or deleted since. What is new stays."""
    from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package has no types

    deployed = Deployed.read(state_of(environment).output("restore"))
    place = Client(project=deployed.project).bucket(deployed.bucket)
    found = 0
    for back in versions.lost(versions.versions_of(place, prefix, only=document), moment):
        found += 1
        click.echo(f"{'gone       ' if back.replaces is None else 'overwritten'} {back.name}")
        if yes:
            versions.bring_back(place, back)
    say(f"{found:,} objects {'are back' if yes else 'can come back: add --yes'}.")
    if yes:
        say("Now: ./scripts/restore settle")


@restore.command()
@click.argument("environment", type=ENVIRONMENTS)
@click.option("--snapshot", required=True, help="A snapshot, as `gcloud compute snapshots list` prints it.")
@click.option("--into", required=True, help="The name of the new disk.")
def vectors(environment: str, snapshot: str, into: str) -> None:
    """Let Weaviate's VM run on a new disk from a snapshot."""
    deployed = Deployed.read(state_of(environment).output("restore"))
    disks.from_snapshot(gcloud, deployed, snapshot, into, now=datetime.now(UTC), say=say)
    say(f"Now: ./scripts/restore switch {environment} --disk {into}")


@restore.command()
@click.argument("environment", type=ENVIRONMENTS)
@click.option("--database", help="The id of the new database.")
@click.option("--disk", help="The name of the new disk.")
def switch(environment: str, database: str | None, disk: str | None) -> None:
    """Let Terraform take over a new database or disk. The one before stays, and is no longer Terraform's."""
    state = state_of(environment)
    deployed = Deployed.read(state.output("restore"))
    if database is not None and disk is None:
        switch_database(gcloud, deployed, state, database, say=say)
        setting = f'database = "{database}"'
    elif disk is not None and database is None:
        if deployed.disk is None:
            raise click.UsageError("This environment has no VM for Weaviate.")
        switch_disk(deployed, deployed.disk, state, disk, say=say)
        setting = f'weaviate_vm = {{ disk = "{disk}" }}'
    else:
        raise click.UsageError("Give either --database or --disk.")
    say(f"Now: set {setting} in terraform.tfvars, and run ./scripts/deploy {environment}.")
    say("Its plan must destroy no data.")
    say(f"Then remove terraform/envs/{environment}/{IMPORTS}, and run ./scripts/restore settle.")


@restore.command()
@click.option("--minutes", type=click.FloatRange(min=0), default=120, show_default=True, help="How long to repair.")
def settle(minutes: float) -> None:
    """Repair until `ragbase reconcile` finds nothing. Needs the variables of commands against a deployment
    (docs/operate.md)."""
    try:
        report = repair({"RAGBASE_PROFILE": "gcp"}, minutes * 60, say=say)
    except Unsettled as left:
        sys.exit(str(left))
    say(f"Reconcile finds nothing: {report['inStep']:,} documents are in step.")


@restore.command()
@click.argument("procedures", nargs=-1, type=click.Choice(PROCEDURES))
@click.option("--documents", type=click.IntRange(min=3), default=60, show_default=True)
def rehearse(procedures: tuple[str, ...], documents: int) -> None:
    """Lose data on a local cloud, and bring them back: all procedures, or these. One line of JSON for each."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, temporary_cloud() as (cloud, user):
        rehearsal = Rehearsal(cloud, user, LocalGoogle(cloud, Path(folder)), documents, say)
        for name in procedures or PROCEDURES:
            ended: Rehearsed = rehearsal.by_name(name)
            click.echo(json.dumps({**asdict(ended), "machine": machine()}))
            wrong += bool(ended.found or ended.different)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    try:
        restore(prog_name="scripts/restore")
    except (NotUp, Missing) as reason:
        sys.exit(str(reason))
