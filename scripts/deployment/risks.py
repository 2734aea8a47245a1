"""What in a plan a person should look at twice: who gets in, and which data goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.deployment.plan import Change, Plan

EVERYBODY = {"allUsers", "allAuthenticatedUsers"}
ANY_ADDRESS = {"0.0.0.0/0", "::/0"}
BROAD_ROLES = {"roles/owner", "roles/editor", "roles/resourcemanager.projectIamAdmin", "roles/iam.securityAdmin"}
HOLDS_DATA = {
    "google_storage_bucket": "a bucket with all its objects",
    "google_firestore_database": "the database with all records",
    "google_compute_disk": "a disk with all chunks",
    "google_secret_manager_secret": "a secret with all its values",
    "google_kms_crypto_key": "a key, and all that is encrypted with it",
}
PROTECTS = {"deletion_protection": True, "force_destroy": False, "delete_protection_state": "DELETE_PROTECTION_ENABLED"}
"""Arguments that keep data from being deleted, and the value with which they do."""


def risks(plan: Plan) -> Iterator[str]:
    """A line for each change that makes something public, gives a right over the whole project, lifts a protection, or
    loses data."""
    for change in plan.changes:
        after = change.after if isinstance(change.after, dict) else {}
        before = change.before if isinstance(change.before, dict) else {}
        for line in (*_opened(change, before, after), *_lost(change, before, after)):
            yield f"  ! {line}: {change.address}"


def _opened(change: Change, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    if members := EVERYBODY & _members(after) - _members(before):
        yield f"everybody on the internet gets {after.get('role')} ({', '.join(sorted(members))})"
    if after.get("role") in BROAD_ROLES and after != before:
        yield f"{after['role']} for {', '.join(sorted(_members(after)))}"
    if after.get("public_access_prevention") == "inherited" and before.get("public_access_prevention") != "inherited":
        yield "grants may make this bucket public"
    if after.get("allow") and ANY_ADDRESS & set(after.get("source_ranges") or ()) and after != before:
        yield "the whole internet may connect"
    if change.type == "google_compute_global_forwarding_rule" and not before:
        yield "an address on the internet"
    if change.type == "google_compute_instance" and _public_address(after) and not _public_address(before):
        yield "a public address"


def _lost(change: Change, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    if change.action in ("destroy", "replace") and change.type in HOLDS_DATA:
        yield f"destroys {HOLDS_DATA[change.type]}"
    for argument, protecting in PROTECTS.items():
        if before.get(argument) == protecting and after and after.get(argument) != protecting:
            yield f"no longer protected from being deleted ({argument})"


def _members(values: Mapping[str, Any]) -> set[str]:
    return {one for one in (values.get("member"), *(values.get("members") or ())) if one}


def _public_address(values: Mapping[str, Any]) -> bool:
    return any(interface.get("access_config") for interface in values.get("network_interface") or ())
