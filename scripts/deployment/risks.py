"""What in a plan a person should look at twice: who gets in, and which data goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.deployment.losses import losses, values
from scripts.deployment.plan import Change, Plan

EVERYBODY = {"allUsers", "allAuthenticatedUsers"}
ANY_ADDRESS = {"0.0.0.0/0", "::/0"}
BROAD_ROLES = {"roles/owner", "roles/editor", "roles/resourcemanager.projectIamAdmin", "roles/iam.securityAdmin"}


def risks(plan: Plan) -> Iterator[str]:
    """A line for each change that makes something public, gives a right over the whole project, lifts a protection, or
    loses data."""
    for change in plan.changes:
        for line in _opened(change, values(change.before), values(change.after)):
            yield f"  ! {line}: {change.address}"
    for loss in losses(plan):
        yield f"  ! {loss.text}: {loss.address}"


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


def _members(values: Mapping[str, Any]) -> set[str]:
    return {one for one in (values.get("member"), *(values.get("members") or ())) if one}


def _public_address(values: Mapping[str, Any]) -> bool:
    return any(interface.get("access_config") for interface in values.get("network_interface") or ())
