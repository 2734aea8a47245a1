"""What a plan would lose, and what of it is protected."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from scripts.deployment.losses import HOLDS_DATA, MADE_AGAIN, SWITCHES_OFF, WAYS_BACK, losses, protected
from scripts.deployment.service_agents import SERVICES
from tests.unit.scripts.deployment.plans import change, plan

TERRAFORM = Path(__file__).resolve().parents[4] / "terraform"
BUCKET = "module.ragbase.google_storage_bucket.documents"
DATABASE = "module.ragbase.google_firestore_database.records"
DISK = "module.ragbase.module.weaviate[0].google_compute_disk.data"
SECRET = "module.ragbase.google_secret_manager_secret.this"
MESSAGES = "module.ragbase.module.lane.google_pubsub_subscription.this"
FUNCTION = "module.ragbase.module.function.google_cloudfunctions2_function.this"
RULES = "google_logging_rulebook.new"

OLD = {"action": [{"type": "Delete"}], "condition": [{"with_state": "ARCHIVED", "days_since_noncurrent_time": 90}]}
SOONER = {"action": [{"type": "Delete"}], "condition": [{"with_state": "ARCHIVED", "days_since_noncurrent_time": 7}]}
LATER = {"action": [{"type": "Delete"}], "condition": [{"with_state": "ARCHIVED", "days_since_noncurrent_time": 91}]}
LIVE = {"action": [{"type": "Delete"}], "condition": [{"with_state": "ANY", "days_since_noncurrent_time": 90}]}


def lost(address: str, actions: list[str], before: Any = None, after: Any = None, **marks: Any) -> list[str]:
    return [
        loss.text for loss in losses(plan(change(address, actions, {"name": "n", **(before or {})}, after, **marks)))
    ]


def changed(address: str, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return lost(address, ["update"], before, {"name": "n", **after})


def all_of_terraform() -> str:
    files = (file for file in sorted(TERRAFORM.rglob("*.tf")) if ".terraform" not in file.parts)
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def test_each_type_of_resource_has_one_place() -> None:
    """A type that nobody has thought about would be asked for at each change, or be destroyed without a question."""
    used = set(re.findall(r'^\s*resource\s+"(\w+)"', all_of_terraform(), re.MULTILINE))
    places = [set(HOLDS_DATA), set(WAYS_BACK), set(MADE_AGAIN), {SWITCHES_OFF}]
    assert used <= set().union(*places), "Say in scripts/deployment/losses.py whether these hold data"
    assert sum(map(len, places)) == len(set().union(*places))
    assert not set(MADE_AGAIN) - used, "These are not in terraform/ any more"


def test_what_nobody_can_make_again_counts_as_data() -> None:
    kinds = ("storage_bucket", "firestore_database", "compute_disk", "secret_manager_secret", "kms_crypto_key")
    lanes = ("pubsub_topic", "pubsub_subscription")
    assert {f"google_{kind}" for kind in (*kinds, *lanes)} <= set(HOLDS_DATA)
    copies = ("firestore_backup_schedule", "compute_resource_policy", "project_iam_audit_config")
    assert {f"google_{kind}" for kind in copies} <= set(WAYS_BACK)


def test_each_account_that_gets_a_grant_is_made_first() -> None:
    """The accounts are named after their services, apart from two that have a word more."""
    text = all_of_terraform()
    agents = set(re.findall(r"service-\$\{[^}]+\}@(?:gcp-sa-)?([a-z-]+)\.iam\.gserviceaccount", text))
    assert {re.sub("-(system|notification)$", "", name) for name in agents} <= set(SERVICES)
    assert agents >= {"compute-system", "firestore", "monitoring-notification", "pubsub", "secretmanager"}
    for service in SERVICES:
        assert f'"{service}.googleapis.com"' in text, f"{service} is not switched on"


@pytest.mark.parametrize("type", HOLDS_DATA)
@pytest.mark.parametrize("actions", [["delete"], ["delete", "create"], ["create", "delete"], ["forget"]], ids="-".join)
def test_whatever_ends_a_resource_with_data_loses_it(type: str, actions: list[str]) -> None:
    (text,) = lost(f"module.ragbase.{type}.this", actions)
    assert text.startswith(("Terraform no longer looks after", "destroys")) and "None" not in text


def test_what_is_made_again_loses_nothing() -> None:
    assert not lost(FUNCTION, ["delete"]) and not lost(FUNCTION, ["create", "delete"])


def test_a_type_that_nobody_knows_counts_as_data() -> None:
    assert lost(RULES, ["delete"]) == [
        "destroys google_logging_rulebook n, of which this script does not know whether it holds data"
    ]


@pytest.mark.parametrize("type", WAYS_BACK)
def test_copies_that_are_no_longer_made_are_a_loss_and_a_new_schedule_is_none(type: str) -> None:
    (text,) = lost(f"module.ragbase.{type}.this", ["delete"])
    assert text.startswith("ends the ")
    assert not lost(f"module.ragbase.{type}.this", ["delete", "create"])


def test_an_api_that_is_switched_off_takes_what_it_has_with_it() -> None:
    address = "module.ragbase.google_project_service.required"
    (text,) = lost(address, ["delete"], {"service": "firestore.googleapis.com", "disable_on_destroy": True})
    assert "firestore.googleapis.com" in text
    assert not lost(address, ["delete"], {"service": "firestore.googleapis.com", "disable_on_destroy": False})


def test_a_bucket_that_nobody_empties_stops_the_apply() -> None:
    (kept,) = lost(BUCKET, ["delete"], {"force_destroy": None})
    (emptied,) = lost(BUCKET, ["delete"], {"force_destroy": True})
    assert kept.endswith("the apply stops there if it holds any object") and emptied.endswith("their old versions")


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        (
            {"replace_paths": [["location"], ["encryption", 0, "default_kms_key_name"]]},
            "location, encryption.0.default",
        ),
        ({"action_reason": "replace_because_tainted"}, "an apply broke off"),
        ({"action_reason": "replace_by_request"}, "somebody asked Terraform"),
        ({"action_reason": "delete_because_no_resource_config"}, "the configuration no longer has it"),
    ],
    ids=["a value", "tainted", "-replace", "removed"],
)
def test_a_loss_says_why(marks: dict[str, Any], why: str) -> None:
    (text,) = lost(BUCKET, ["delete", "create"], **marks)
    assert f"because {why}" in text


def test_a_disk_says_whether_a_last_snapshot_stays() -> None:
    (kept,) = lost(DISK, ["delete"], {"create_snapshot_before_destroy": True})
    (none,) = lost(DISK, ["delete"], {"create_snapshot_before_destroy": False})
    assert kept.endswith("a last snapshot of it stays") and "no last snapshot is taken" in none
    key = {"create_snapshot_before_destroy": True, "disk_encryption_key": [{"kms_key_self_link": "projects/p"}]}
    (encrypted,) = lost(DISK, ["delete"], key)
    assert encrypted.endswith("a last snapshot of it stays; Terraform does not name your key for it")


@pytest.mark.parametrize(
    ("address", "before", "after"),
    [
        (BUCKET, {"deletion_policy": "PREVENT"}, {"deletion_policy": "DELETE"}),
        (BUCKET, {"force_destroy": False}, {"force_destroy": True}),
        (BUCKET, {"force_destroy": None}, {"force_destroy": True}),
        (SECRET, {"deletion_protection": True}, {"deletion_protection": False}),
        (FUNCTION, {"deletion_protection": True}, {}),
        (DATABASE, {"delete_protection_state": "DELETE_PROTECTION_ENABLED"}, {"delete_protection_state": "…_DISABLED"}),
        (DATABASE, {"point_in_time_recovery_enablement": "POINT_IN_TIME_RECOVERY_ENABLED"}, {}),
        (DISK, {"create_snapshot_before_destroy": True}, {"create_snapshot_before_destroy": False}),
        (BUCKET, {"versioning": [{"enabled": True}]}, {"versioning": [{"enabled": False}]}),
        (BUCKET, {"retention_policy": [{"retention_period": "86400"}]}, {"retention_policy": []}),
        (MESSAGES, {"message_retention_duration": "2678400s"}, {"message_retention_duration": "600s"}),
        (BUCKET, {"lifecycle_rule": [OLD]}, {"lifecycle_rule": [SOONER]}),
        (BUCKET, {"lifecycle_rule": [OLD]}, {"lifecycle_rule": [OLD, LIVE]}),
        (BUCKET, {"lifecycle_rule": []}, {"lifecycle_rule": [OLD]}),
    ],
)
def test_what_no_longer_keeps_data_is_a_loss_and_the_way_back_is_none(
    address: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    (text,) = changed(address, before, after)
    assert "no longer" in text or "shorter" in text or "a rule deletes" in text
    assert not changed(address, after, before) or before.get("lifecycle_rule") == [], text


def test_what_gives_up_several_protections_is_one_line() -> None:
    before = {"deletion_policy": "PREVENT", "force_destroy": False}
    (text,) = changed(BUCKET, before, {"deletion_policy": "DELETE", "force_destroy": True})
    assert text.endswith("is no longer protected (deletion_policy, force_destroy)")


@pytest.mark.parametrize(
    ("address", "before", "after"),
    [
        (BUCKET, {"lifecycle_rule": [OLD]}, {"lifecycle_rule": [LATER]}),
        (BUCKET, {"deletion_policy": "PREVENT"}, {"deletion_policy": "ABANDON"}),
        (BUCKET, {"labels": {"a": "b"}, "deletion_policy": "PREVENT"}, {"deletion_policy": "PREVENT"}),
        (MESSAGES, {"message_retention_duration": "86400.0s"}, {"message_retention_duration": "86400s"}),
    ],
)
def test_another_change_is_no_loss(address: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    assert not changed(address, before, after)


@pytest.mark.parametrize("actions", [["delete"], ["delete", "create"], ["create", "delete"]], ids="-".join)
@pytest.mark.parametrize(
    "lock",
    [
        {"deletion_policy": "PREVENT"},
        {"deletion_protection": True},
        {"delete_protection_state": "DELETE_PROTECTION_ENABLED"},
    ],
    ids=lambda lock: next(iter(lock)),
)
def test_what_is_protected_is_found_before_it_is_destroyed(actions: list[str], lock: dict[str, Any]) -> None:
    (found,) = protected(plan(change(FUNCTION, actions, {"name": "n", **lock})))
    assert found.address == FUNCTION and next(iter(lock)) in found.text


def test_what_is_not_destroyed_or_not_protected_is_not_refused() -> None:
    lock = {"name": "n", "deletion_policy": "PREVENT"}
    open_ = {"name": "n", "deletion_policy": "DELETE", "deletion_protection": False}
    assert not list(protected(plan(change(BUCKET, ["update"], lock, open_), change(DISK, ["delete"], open_))))
