"""What a plan would lose, at once or earlier than before: data, what protects it, and the ways back to it.

Terraform's provider looks at a protection while it destroys the resource (DeletionPolicyPreDelete in its
google/tpgresource/utils.go; github.com/hashicorp/terraform-provider-google/issues/22997), so a plan that destroys
something protected succeeds, and its apply stops halfway. What is decided here is decided before anything is applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.deployment.plan import Change, Plan

HOLDS_DATA = {
    "google_storage_bucket": "the bucket {name} with all its objects and their old versions",
    "google_firestore_database": "the database {name} with all its records and their history",
    "google_compute_disk": "the disk {name} with all chunks and vectors",
    "google_secret_manager_secret": "the secret {name} with all its values",
    "google_secret_manager_secret_version": "a value of the secret {secret}",
    "google_kms_key_ring": "the key ring {name} with all its keys, and what is encrypted with them",
    "google_kms_crypto_key": "the key {name}, and everything that is encrypted with it",
    "google_kms_crypto_key_version": "a version of a key, and everything that is encrypted with it",
    "google_pubsub_topic": "the topic {name}: what is sent until it is there again is lost",
    "google_pubsub_subscription": "the subscription {name} with all messages that are not delivered yet",
}
"""Types of resources whose data cannot be made again from this checkout, and what goes with one."""

WAYS_BACK = {
    "google_firestore_backup_schedule": "the schedule of the database's backups: it makes no more",
    "google_compute_resource_policy": "the schedule {name}: it makes no more snapshots",
    "google_compute_disk_resource_policy_attachment": "the snapshots of the disk {disk}: it leaves its schedule",
    "google_project_iam_audit_config": "the record of who reads data ({service})",
    "google_kms_crypto_key_iam_member": "the right of {member} to use the key: what is encrypted with it is unreadable",
}
"""Types that make copies and records, or keep data readable. What was there stays, so a replacement loses nothing."""

MADE_AGAIN = frozenset(
    {
        # what runs, and how it is reached
        "google_cloud_scheduler_job",
        "google_cloudfunctions2_function",
        "google_compute_address",
        "google_compute_backend_service",
        "google_compute_firewall",
        "google_compute_global_address",
        "google_compute_global_forwarding_rule",
        "google_compute_instance",  # without its disk, which is a resource of its own
        "google_compute_managed_ssl_certificate",
        "google_compute_network",
        "google_compute_region_network_endpoint_group",
        "google_compute_security_policy",
        "google_compute_ssl_policy",
        "google_compute_subnetwork",
        "google_compute_target_http_proxy",
        "google_compute_target_https_proxy",
        "google_compute_url_map",
        "google_storage_notification",
        "terraform_data",
        # accounts, and what they may do
        "google_cloud_run_v2_service_iam_member",
        "google_iam_workload_identity_pool",
        "google_iam_workload_identity_pool_provider",
        "google_iap_tunnel_instance_iam_member",
        "google_iap_web_backend_service_iam_member",
        "google_project_iam_custom_role",
        "google_project_iam_member",
        "google_pubsub_subscription_iam_member",
        "google_pubsub_topic_iam_member",
        "google_secret_manager_secret_iam_member",
        "google_service_account",
        "google_service_account_iam_member",
        "google_storage_bucket_iam_member",
        # what Cloud Build and Firestore make from what is kept elsewhere
        "google_artifact_registry_repository",
        "google_firestore_field",
        "google_firestore_index",
        "google_storage_bucket_object",  # archives of functions and the list of sources, from this checkout
        # what looks at the rest
        "google_billing_budget",
        "google_logging_metric",
        "google_monitoring_alert_policy",
        "google_monitoring_dashboard",
        "google_monitoring_notification_channel",
        "google_monitoring_uptime_check_config",
    }
)
"""Types that the next deployment makes again, as they were. A test demands a place for each type in terraform/."""

SWITCHES_OFF = "google_project_service"

PROTECTS: Mapping[str, object] = {
    "deletion_policy": "PREVENT",
    "deletion_protection": True,
    "delete_protection_state": "DELETE_PROTECTION_ENABLED",
}
"""Arguments with which a resource cannot be destroyed, and the value with which they do so."""

KEEPS: Mapping[str, object] = {
    **PROTECTS,
    "force_destroy": False,
    "create_snapshot_before_destroy": True,
    "point_in_time_recovery_enablement": "POINT_IN_TIME_RECOVERY_ENABLED",
}
"""Arguments that keep data, or a way back to it, and the value with which they do so."""

WHY = {
    "replace_because_tainted": "an apply broke off while it was made",
    "replace_by_request": "somebody asked Terraform to replace it",
    "replace_by_triggers": "something that it depends on changes",
    "delete_because_no_resource_config": "the configuration no longer has it",
    "delete_because_no_module": "the configuration no longer has it",
    "delete_because_wrong_repetition": "the configuration no longer has it",
    "delete_because_count_index": "the configuration no longer has it",
    "delete_because_each_key": "the configuration no longer has it",
}
"""Terraform's reasons (developer.hashicorp.com/terraform/internals/json-format, action_reason)."""


@dataclass(frozen=True, slots=True)
class Loss:
    """`text` says what is lost, and why."""

    address: str
    text: str


def losses(plan: Plan) -> Iterator[Loss]:
    """Everything that somebody has to agree to by name."""
    for change in plan.changes:
        for text in _lost(change):
            yield Loss(change.address, text)


def protected(plan: Plan) -> Iterator[Loss]:
    """What would be destroyed although it is protected: the apply would stop there, after other things are gone."""
    for change in plan.changes:
        before = values(change.before)
        locks = [name for name, value in PROTECTS.items() if before.get(name) == value]
        if change.action in ("destroy", "replace") and locks:
            yield Loss(change.address, f"{_thing(change)} ({', '.join(locks)}){_why(change)}")


def values(resource: Any) -> Mapping[str, Any]:
    """The values of a resource, before or after. None at all if it is not there."""
    return resource if isinstance(resource, dict) else {}


def _lost(change: Change) -> Iterator[str]:
    before, after = values(change.before), values(change.after)
    if change.action in ("destroy", "replace", "forget"):
        is_known = change.type in WAYS_BACK or change.type in MADE_AGAIN or change.type == SWITCHES_OFF
        if change.type in HOLDS_DATA or not is_known:
            verb = "Terraform no longer looks after" if change.action == "forget" else "destroys"
            yield f"{verb} {_thing(change)}{_why(change)}{_last_snapshot(change)}{_if_empty(change)}"
        if change.type in WAYS_BACK and change.action == "destroy":
            yield f"ends {_thing(change)}{_why(change)}"
        if change.type == SWITCHES_OFF and change.action == "destroy" and before.get("disable_on_destroy"):
            yield f"switches {before.get('service')} off, with which Google can delete what belongs to it"
    elif change.action == "change":
        given_up = [name for name, keeps in KEEPS.items() if _has(before, name, keeps) and not _has(after, name, keeps)]
        if given_up:
            yield f"{_thing(change)} is no longer protected ({', '.join(given_up)})"
        for text in shortened(change.type, before, after):
            yield f"{_thing(change)}: {text}"


def _has(resource: Mapping[str, Any], name: str, value: object) -> bool:
    """Whether an argument has this value. ABANDON leaves the resource at Google, so it keeps the data, too. A resource
    that has the argument, but no value for it, has the default, false."""
    if name == "deletion_policy":
        return resource.get(name) in (value, "ABANDON")
    return name in resource and (resource[name] or False) == value


def _thing(change: Change) -> str:
    before = values(change.before)
    name = before.get("secret_id") or before.get("name") or change.address
    named = {**{key: before.get(key) or name for key in ("secret", "disk", "service", "member")}, "name": name}
    text = HOLDS_DATA.get(change.type) or WAYS_BACK.get(change.type)
    unknown = f"{change.type} {{name}}, of which this script does not know whether it holds data"
    return (text or unknown).format(**named)


def _why(change: Change) -> str:
    if change.causes:
        return f", because {', '.join(change.causes)} cannot change otherwise"
    return f", because {WHY[change.reason]}" if change.reason in WHY else ""


def _last_snapshot(change: Change) -> str:
    """The provider takes the snapshot if the state says so; what the configuration says since then does not count. It
    passes on a key that is in the state, but not the name of one in Cloud KMS (resourceComputeDiskDelete in its
    google/services/compute/resource_compute_disk.go)."""
    before = values(change.before)
    if change.type != "google_compute_disk" or change.action == "forget":
        return ""
    if not before.get("create_snapshot_before_destroy"):
        return "; no last snapshot is taken: to get one, deploy once before"
    keys = before.get("disk_encryption_key") or [{}]
    named = "; Terraform does not name your key for it" if keys[0].get("kms_key_self_link") else ""
    return f"; a last snapshot of it stays{named}"


def _if_empty(change: Change) -> str:
    """Nobody empties a bucket without force_destroy, and Google destroys only an empty one."""
    if (
        change.type != "google_storage_bucket"
        or change.action == "forget"
        or values(change.before).get("force_destroy")
    ):
        return ""
    return "; the apply stops there if it holds any object"


KEPT_FOR = {
    "google_storage_bucket": ("soft_delete_policy.retention_duration_seconds", "retention_policy.retention_period"),
    "google_pubsub_subscription": ("message_retention_duration",),
    "google_pubsub_topic": ("message_retention_duration",),
    "google_secret_manager_secret": ("version_destroy_ttl",),
    "google_firestore_backup_schedule": ("retention",),
    "google_compute_resource_policy": ("snapshot_schedule_policy.retention_policy.max_retention_days",),
}
"""Paths of the times for which something is kept. A block that can occur once is a list of one."""

AGES = ("age", "days_since_noncurrent_time", "num_newer_versions")
"""Conditions of a rule that deletes objects: with a larger number it deletes later."""


def shortened(type: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for path in KEPT_FOR.get(type, ()):
        old, new = _seconds(_at(before, path)), _seconds(_at(after, path))
        if new < old:
            yield f"{path} is shorter than before ({old:g} -> {new:g})"
    if type == "google_storage_bucket":
        if _at(before, "versioning.enabled") and not _at(after, "versioning.enabled"):
            yield "old versions are no longer kept"
        known = list(_deleting(before))
        for condition in _deleting(after):
            if not any(_deletes_no_more(condition, other) for other in known):
                yield "a rule deletes objects that were kept before (lifecycle_rule)"


def _deleting(bucket: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The condition of each rule that deletes whole objects."""
    for rule in bucket.get("lifecycle_rule") or ():
        if _at(rule, "action.type") == "Delete":
            yield (rule.get("condition") or [{}])[0]


def _deletes_no_more(condition: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    keys = {*condition, *before} - set(AGES)
    same = all((condition.get(key) or None) == (before.get(key) or None) for key in keys)
    return same and all((condition.get(age) or 0) >= (before.get(age) or 0) for age in AGES)


def _seconds(value: Any) -> float:
    """A number, or Google's form for a duration such as `604800s`. 0 if there is none."""
    return float(str(value).removesuffix("s")) if value else 0.0


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value[0] if isinstance(value, list) and value else value
        value = value.get(name) if isinstance(value, dict) else None
    return value
