"""How a change in place lets data go earlier: a shorter time, fewer versions, or a new rule that deletes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
