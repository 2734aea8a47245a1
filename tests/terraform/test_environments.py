"""What dev and prod have, and the differences between them, read from their plans."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import (
    ENVIRONMENTS,
    Resource,
    copied,
    of_type,
    planned,
    run,
    services,
    with_variables,
)

pytestmark = pytest.mark.prove

NEW_PROJECT = {"cpu": 20, "memory_gib": 40}
"""What Cloud Run lets a new project use in a region: its refusal says "CpuAllocPerProjectRegion … allowed: 20000" and
"MemAllocPerProjectRegion … allowed: 42949672960" (github.com/googlecodelabs/feedback/issues/1856)."""


def plan(prepared: Path, environment: str, variables: str = "{}") -> Sequence[Resource]:
    """The resources of an environment whose terraform.tfvars has these variables, too."""
    with copied(prepared) as copy:
        return planned(with_variables(copy / "envs" / environment, variables))


def refused(prepared: Path, environment: str, variables: str) -> CompletedProcess[str]:
    """How a plan with these variables ends."""
    with copied(prepared) as copy:
        return run("plan", "-input=false", folder=with_variables(copy / "envs" / environment, variables))


def planning(environment: str, **variables: object) -> Job:
    return Job(plan, (environment, json.dumps(variables)), seconds=4)


DEV, PROD = planning("dev"), planning("prod")
READERS = "group:readers@example.com"
CLOUD = {"url": "https://abc.c0.europe-west3.gcp.weaviate.cloud"}


def at(resources: Sequence[Resource], address: str) -> Mapping[str, Any]:
    (found,) = [one.values for one in resources if one.address == address]
    return found


def callers(resources: Sequence[Resource]) -> list[str]:
    """Who may call the api, apart from Google itself."""
    grants = [one for one in resources if one.address.startswith("google_cloud_run_v2_service_iam_member.api[")]
    return [one.values["member"] for one in grants]


def deletion(resources: Sequence[Resource]) -> set[str]:
    """What the bucket, the database and the disk answer to a command that destroys them."""
    addresses = (
        "google_storage_bucket.documents",
        "google_firestore_database.records",
        "module.weaviate[0].google_compute_disk.data",
    )
    return {at(resources, address)["deletion_policy"] for address in addresses}


def locks(resources: Sequence[Resource]) -> dict[str, object]:
    """The locks that the services themselves have."""
    secrets = of_type(resources, "google_secret_manager_secret")
    return {
        "database": at(resources, "google_firestore_database.records")["delete_protection_state"],
        "secrets": {one["deletion_protection"] for one in secrets},
        "empties the bucket": at(resources, "google_storage_bucket.documents")["force_destroy"],
    }


def demand(resources: Sequence[Resource]) -> dict[str, float]:
    """The CPUs and the memory of all functions together, if every instance runs."""
    all_services = services(resources).values()
    mib = sum(one["max_instance_count"] * int(one["available_memory"].removesuffix("Mi")) for one in all_services)
    return {
        "cpu": sum(one["max_instance_count"] * float(one["available_cpu"]) for one in all_services),
        "memory_gib": mib / 1024,
    }


@looks_at(PROD)
def test_prod_protects_its_data(result: Sequence[Resource]) -> None:
    assert deletion(result) == {"PREVENT"}
    assert locks(result) == {"database": "DELETE_PROTECTION_ENABLED", "secrets": {True}, "empties the bucket": False}


@looks_at(PROD)
def test_what_was_deleted_in_prod_can_be_had_back(result: Sequence[Resource]) -> None:
    database = at(result, "google_firestore_database.records")
    bucket = at(result, "google_storage_bucket.documents")
    assert database["point_in_time_recovery_enablement"] == "POINT_IN_TIME_RECOVERY_ENABLED"
    assert bucket["soft_delete_policy"][0]["retention_duration_seconds"] == 30 * 86_400


@looks_at(planning("prod", protect=False), DEV)
def test_an_environment_without_protection_can_be_destroyed(result: Sequence[Resource]) -> None:
    assert deletion(result) == {"DELETE"}
    disk = at(result, "module.weaviate[0].google_compute_disk.data")
    assert disk["create_snapshot_before_destroy"], "only a disk without protection goes, and its last snapshot stays"
    assert locks(result) == {"database": "DELETE_PROTECTION_DISABLED", "secrets": {False}, "empties the bucket": True}


@looks_at(DEV)
def test_dev_costs_nothing_without_requests(result: Sequence[Resource]) -> None:
    assert {one["min_instance_count"] for one in services(result).values()} == {0}
    assert of_type(result, "google_billing_budget") == []
    database = at(result, "google_firestore_database.records")
    assert database["point_in_time_recovery_enablement"] == "POINT_IN_TIME_RECOVERY_DISABLED"


@looks_at(PROD)
def test_prod_answers_without_a_cold_start(result: Sequence[Resource]) -> None:
    assert services(result)["api"]["min_instance_count"] == 1


@looks_at(planning("prod", functions={"api": {"max_instances": 3}}))
def test_one_limit_can_be_changed_alone(result: Sequence[Resource]) -> None:
    api = services(result)["api"]
    assert (api["min_instance_count"], api["max_instance_count"], api["available_memory"]) == (1, 3, "1024Mi")


@looks_at(DEV, PROD)
def test_there_is_one_janitor(result: Sequence[Resource]) -> None:
    assert services(result)["janitor"]["max_instance_count"] == 1


@looks_at(DEV, PROD)
def test_all_instances_fit_into_the_quota_of_a_new_project(result: Sequence[Resource]) -> None:
    needed = demand(result)
    assert needed["cpu"] <= NEW_PROJECT["cpu"]
    assert needed["memory_gib"] <= NEW_PROJECT["memory_gib"]


@looks_at(*(Job(refused, (name, '{"functions": {"api": {"max_instances": 20}}}'), seconds=2) for name in ENVIRONMENTS))
def test_more_than_the_quota_is_refused_before_anything_is_made(result: CompletedProcess[str]) -> None:
    assert result.returncode == 1
    assert "the quota is 20 and 40" in " ".join(result.stderr.replace("│", "").split())


@looks_at(PROD)
def test_prod_alerts_somebody_and_has_a_budget(result: Sequence[Resource]) -> None:
    (channel,) = of_type(result, "google_monitoring_notification_channel")
    (budget,) = of_type(result, "google_billing_budget")
    assert channel["labels"]["email_address"] == "oncall@example.com"
    assert budget["amount"][0]["specified_amount"][0]["units"] == "300"


@looks_at(*(planning(name, api_callers=[READERS]) for name in ENVIRONMENTS))
def test_an_environment_is_closed_except_for_the_api(result: Sequence[Resource]) -> None:
    reachable = [name for name, one in services(result).items() if one["ingress_settings"] != "ALLOW_INTERNAL_ONLY"]
    assert reachable == ["api"]
    assert callers(result) == [READERS]
    assert {one["public_access_prevention"] for one in of_type(result, "google_storage_bucket")} == {"enforced"}


@looks_at(planning("prod", api_public=True))
def test_a_public_prod_asks_everybody_to_sign_in(result: Sequence[Resource]) -> None:
    assert callers(result) == ["allUsers"]
    assert services(result)["api"]["environment_variables"]["RAGBASE_SIGN_IN"] == "required"


@looks_at(*(planning(name, weaviate=CLOUD) for name in ENVIRONMENTS))
def test_an_environment_uses_weaviate_cloud_if_it_is_set(result: Sequence[Resource]) -> None:
    api = services(result)["api"]
    assert api["environment_variables"]["WEAVIATE_URL"] == CLOUD["url"]
    assert api["direct_vpc_network_interface"] == []
    assert of_type(result, "google_compute_instance") == []


@looks_at(planning("prod", weaviate={"url": "http://10.20.0.5:8080", "network": {"network": "n", "subnetwork": "s"}}))
def test_prod_uses_a_replicated_weaviate_in_a_private_network(result: Sequence[Resource]) -> None:
    (interface,) = services(result)["fast_lane"]["direct_vpc_network_interface"]
    assert (interface["network"], interface["subnetwork"]) == ("n", "s")
    assert of_type(result, "google_compute_instance") == []


ELSEWHERE = {
    "region": "us-east1",
    "locations": {"bucket": "US", "database": "nam5"},
    "weaviate_vm": {"zone": "us-east1-d", "machine_type": "e2-highmem-4", "disk_gib": 200, "version": "1.40.0"},
    "settings": {"chunk_size": "800"},
    "log_level": "DEBUG",
    "alert_when": {"query_p95_seconds": 17},
}


@looks_at(*(planning(name, **ELSEWHERE) for name in ENVIRONMENTS))
def test_an_environment_is_where_its_variables_say_and_as_large(result: Sequence[Resource]) -> None:
    assert {one["location"] for one in of_type(result, "google_cloudfunctions2_function")} == {"us-east1"}
    assert at(result, "google_storage_bucket.documents")["location"] == "US"
    assert at(result, "google_firestore_database.records")["location_id"] == "nam5"
    (machine,) = of_type(result, "google_compute_instance")
    (disk,) = of_type(result, "google_compute_disk")
    assert (machine["zone"], machine["machine_type"]) == ("us-east1-d", "e2-highmem-4")
    assert (disk["zone"], disk["size"]) == ("us-east1-d", 200)
    assert not [one.address for one in result if "europe" in json.dumps(one.values)]


@looks_at(*(planning(name, **ELSEWHERE) for name in ENVIRONMENTS))
def test_an_upgrade_of_weaviate_changes_its_machine(result: Sequence[Resource]) -> None:
    (machine,) = of_type(result, "google_compute_instance")
    assert "weaviate:1.40.0" in json.dumps(machine["metadata"])


@looks_at(*(planning(name, **ELSEWHERE) for name in ENVIRONMENTS))
def test_settings_of_ragbase_and_of_the_alerts_reach_them(result: Sequence[Resource]) -> None:
    lane = services(result)["fast_lane"]["environment_variables"]
    assert (lane["RAGBASE_CHUNK_SIZE"], lane["RAGBASE_LOG_LEVEL"]) == ("800", "DEBUG")
    assert [one for one in of_type(result, "google_logging_metric") if one["filter"].endswith('latency>"17s"')]


@looks_at(*(planning(name, audit_retention={"days": 400, "locked": True}) for name in ENVIRONMENTS))
def test_exports_of_the_audit_log_are_kept_from_everybody(result: Sequence[Resource]) -> None:
    bucket = at(result, "google_storage_bucket.audit[0]")
    (policy,) = bucket["retention_policy"]
    assert (policy["retention_period"], policy["is_locked"]) == ("34560000", True)
    assert at(result, "google_storage_bucket_iam_member.audit[0]")["bucket"] == bucket["name"]
