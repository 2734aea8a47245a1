"""scripts/restore switch, with real Terraform: the deploy after it changes settings, and destroys nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scripts.restoring.deployed import IMPORTS, Deployed, TerraformState
from scripts.restoring.switch import DATABASE, DISK, switch_database, switch_disk
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import copied, run, with_variables

pytestmark = pytest.mark.prove

WAITING = {
    "name": "projects/ragbase-prod-example/databases/ragbase-2/collectionGroups/documents/indexes/9",
    "fields": [
        {"fieldPath": name, "order": "ASCENDING"} for name in ("shard", "tombstone", "status", "updated_at", "__name__")
    ],
}


def switched(prepared: Path) -> Mapping[str, Mapping[str, Any]]:
    """What the deploy after a switch to another database and another disk of prod would do, by address."""
    with copied(prepared) as copy:
        place = copy / "envs" / "prod"
        applied = run("apply", "-auto-approve", "-input=false", folder=place)
        assert not applied.returncode, applied.stderr
        state = TerraformState(place)
        deployed = Deployed.read(state.output("restore"))
        assert deployed.disk is not None
        switch_database(lambda *_: json.dumps([WAITING]), deployed, state, "ragbase-2", say=lambda _: None)
        imports = (place / IMPORTS).read_text(encoding="utf-8")
        switch_disk(deployed, deployed.disk, state, "data-2", say=lambda _: None)
        (place / "database.tf").write_text(imports, encoding="utf-8")  # both in one deploy
        variables = {"database": "ragbase-2", "weaviate_vm": {"disk": "data-2"}}
        planned = run("plan", "-input=false", "-out=after", folder=with_variables(place, json.dumps(variables)))
        assert not planned.returncode, planned.stderr
        plan = json.loads(run("show", "-json", "after", folder=place).stdout)
        return {one["address"]: one["change"] for one in plan["resource_changes"]}


ALL = Job(switched, seconds=25)


def actions(changes: Mapping[str, Mapping[str, Any]], start: str) -> Sequence[Sequence[str]]:
    return [change["actions"] for address, change in changes.items() if address.startswith(f"module.ragbase.{start}")]


@looks_at(ALL)
def test_nothing_with_data_is_destroyed(result: Mapping[str, Mapping[str, Any]]) -> None:
    destroyed = {address for address, change in result.items() if "delete" in change["actions"]}
    assert not {one for one in destroyed if "firestore" in one or "_disk.data" in one or "bucket" in one}, destroyed


@looks_at(ALL)
def test_the_new_database_and_the_new_disk_are_taken_over_and_protected(
    result: Mapping[str, Mapping[str, Any]],
) -> None:
    for address, name in ((DATABASE, "ragbase-2"), (DISK, "data-2")):
        before, after = result[address]["before"], result[address]["after"]
        assert (before["name"], after["name"], after["deletion_policy"]) == (name, name, "PREVENT")


@looks_at(ALL)
def test_the_new_database_gets_its_backups_its_expiry_and_the_index_that_it_lacks(
    result: Mapping[str, Mapping[str, Any]],
) -> None:
    assert actions(result, "google_firestore_backup_schedule") == [["create"]]
    assert actions(result, "google_firestore_field.expiry") == [["create"]]
    assert ["create"] not in actions(result, 'google_firestore_index.query["waiting"]')
    assert actions(result, 'google_firestore_index.query["by_name"]') == [["create"]]


@looks_at(ALL)
def test_all_functions_take_the_new_database(result: Mapping[str, Mapping[str, Any]]) -> None:
    functions = [change["after"] for address, change in result.items() if "cloudfunctions2_function" in address]
    named = {one["service_config"][0]["environment_variables"]["RAGBASE_FIRESTORE_DATABASE"] for one in functions}
    assert named == {"ragbase-2"}
