"""Plans in the form of `terraform show -json`."""

from __future__ import annotations

from typing import Any

from scripts.deployment.plan import Plan

BESIDE = ("action_reason", "previous_address", "deposed")
"""What stands beside the change of a resource, and not in it."""


def change(
    address: str, actions: list[str], before: Any = None, after: Any = None, unknown: Any = None, **marks: Any
) -> dict[str, Any]:
    """One entry of `resource_changes`. `marks` are before_sensitive, after_sensitive, replace_paths, and BESIDE."""
    beside: dict[str, Any] = {name: marks.pop(name) for name in BESIDE if name in marks}
    changed = {"actions": actions, "before": before, "after": after, "after_unknown": unknown or {}, **marks}
    return {"address": address, "type": address.split(".")[-2], "change": changed, **beside}


def plan(*changes: dict[str, Any]) -> Plan:
    outputs = {"secrets": {"value": {"cohere": "ragbase-cohere-api-key"}}}
    return Plan.read({"resource_changes": list(changes), "planned_values": {"outputs": outputs}})
