"""A plan of Terraform: what a person is shown before they agree to it, and whether a later plan goes beyond that.

The form is that of `terraform show -json` (developer.hashicorp.com/terraform/internals/json-format).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WORDS = {"update": "change", "delete": "destroy"}
"""What some of Terraform's actions are called here. `forget` leaves a resource at Google, and Terraform no longer knows
it. Two other actions together are a replacement."""

LONGEST_VALUE = 100
"""Characters of a value that are shown."""

ENDINGS_OF_GRANTS = ("_iam_member", "google_project_service", "google_service_account")
"""How the types of resources end that give somebody a right, or somebody to give it to."""

MISSING: Any = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happens to one resource. `before` and `after` are its values; what only Google can tell is in `unknown`, and
    what must not be shown, before or after, in `sensitive`, each in the form of `after`. `reason` is Terraform's word
    for why it is destroyed or replaced, `causes` are the values that cannot change without a replacement, and `was` is
    its address in the state, if the configuration has moved it."""

    address: str
    type: str
    action: str
    before: Any
    after: Any
    unknown: Any
    sensitive: tuple[Any, Any]
    reason: str = ""
    causes: tuple[str, ...] = ()
    was: str = ""

    @classmethod
    def read(cls, resource: Mapping[str, Any]) -> Change | None:
        """None for a resource that stays as it is, or is only read."""
        change = resource["change"]
        action, was = _action(resource), resource.get("previous_address", "")
        if action in ("no-op", "read"):
            return None
        deposed = f" (deposed {resource['deposed']})" if "deposed" in resource else ""
        return cls(
            address=resource["address"] + deposed,
            type=resource["type"],
            action=action,
            reason=resource.get("action_reason", ""),
            causes=tuple(".".join(map(str, path)) for path in change.get("replace_paths", ())),
            was=was,
            before=change["before"],
            after=change["after"],
            unknown=change.get("after_unknown", False),
            sensitive=(change.get("before_sensitive", False), change.get("after_sensitive", False)),
        )

    def lines(self) -> Iterator[str]:
        """The change for a person: each value that differs, where something stands already."""
        yield f"  {self.action:8} {self.address}"
        if self.was:
            yield f"               was: {self.was}"
        if self.action in ("change", "replace"):
            for path, old, new in _differences(self.before, self.after, self.unknown, self.sensitive):
                yield f"               {path}: {old} -> {new}"

    def goes_no_further_than(self, approved: Change) -> bool:
        """Whether it leads to what was approved. A resource that was to be created may stand there half made: then it
        is replaced. One that was to be replaced may be gone already: then it is created."""
        same_end = {"create", "replace"}
        if self.action != approved.action and not {self.action, approved.action} <= same_end:
            return False
        return _agrees(self.after, approved.after, approved.unknown)


@dataclass(frozen=True, slots=True)
class Plan:
    """`outputs` are the values that the module would give, as far as they are known before."""

    changes: tuple[Change, ...]
    outputs: Mapping[str, Any]
    changes_outputs: bool

    @classmethod
    def read(cls, plan: Mapping[str, Any]) -> Plan:
        changes = filter(None, map(Change.read, plan.get("resource_changes", [])))
        outputs = plan.get("planned_values", {}).get("outputs", {})
        return cls(
            changes=tuple(sorted(changes, key=lambda change: change.address)),
            outputs={name: output.get("value") for name, output in outputs.items()},
            changes_outputs=any(change["actions"] != ["no-op"] for change in plan.get("output_changes", {}).values()),
        )

    @property
    def is_empty(self) -> bool:
        return not self.changes and not self.changes_outputs

    @property
    def grants(self) -> bool:
        """Whether it grants a right, makes an account or switches an API on. Google knows that only minutes later."""
        return any(
            change.action in ("create", "replace") and change.type.endswith(ENDINGS_OF_GRANTS)
            for change in self.changes
        )

    def lines(self) -> Iterator[str]:
        """Every change, and how many of each kind there are."""
        for change in self.changes:
            yield from change.lines()
        words = [change.action for change in self.changes]
        if words:
            yield "Plan: " + ", ".join(f"{word} {words.count(word)}" for word in dict.fromkeys(words)) + "."

    def goes_no_further_than(self, approved: Plan) -> bool:
        """Whether somebody who has agreed to `approved` has agreed to this."""
        known = {change.address: change for change in approved.changes}
        return all(
            change.address in known and change.goes_no_further_than(known[change.address]) for change in self.changes
        )


def _action(resource: Mapping[str, Any]) -> str:
    """One word. A resource that only gets another address, or comes under Terraform's care, has no other action: until
    that is applied, the state does not know it."""
    actions = tuple(resource["change"]["actions"])
    if actions == ("no-op",):
        if "previous_address" in resource:
            return "move"
        return "import" if "importing" in resource["change"] else "no-op"
    if "forget" in actions:
        return "forget"
    return "replace" if len(actions) > 1 else WORDS.get(actions[0], actions[0])


def _agrees(value: Any, approved: Any, unknown: Any) -> bool:
    """Whether a value is the approved one, wherever that was known."""
    if unknown is True:
        return True
    if isinstance(value, dict) and isinstance(approved, dict):
        keys = value.keys() | approved.keys()
        return all(_agrees(value.get(key), approved.get(key), _at(unknown, key, False)) for key in keys)
    if isinstance(value, list) and isinstance(approved, list) and len(value) == len(approved):
        return all(_agrees(value[at], approved[at], _at(unknown, at, False)) for at in range(len(value)))
    return bool(value == approved)


def _differences(
    before: Any, after: Any, unknown: Any, sensitive: tuple[Any, Any], path: str = ""
) -> Iterator[tuple[str, str, str]]:
    """The path of each value that differs, with its old and its new value as text."""
    if True in sensitive:
        if before != after:
            yield path, "(hidden)", "(hidden)"
    elif unknown is True:
        if before is not MISSING and before is not None:
            yield path, as_text(before), "(known when it is applied)"
    elif isinstance(before, (dict, list)) and isinstance(after, (dict, list)) and type(before) is type(after):
        for key in _keys(before, after):
            hidden = (_at(sensitive[0], key, False), _at(sensitive[1], key, False))
            inner = f"{path}.{key}" if path else str(key)
            yield from _differences(_at(before, key), _at(after, key), _at(unknown, key, False), hidden, inner)
    elif before != after and not (before in (MISSING, None) and after in (MISSING, None)):
        yield path, as_text(before), as_text(after)


def _keys(before: Any, after: Any) -> Sequence[Any]:
    if isinstance(before, dict):
        return sorted({*before, *after})
    return range(max(len(before), len(after)))


def _at(values: Any, key: Any, default: Any = MISSING) -> Any:
    if isinstance(values, dict):
        return values.get(key, default)
    if isinstance(values, list):
        return values[key] if key < len(values) else default
    return default


def as_text(value: Any) -> str:
    """The value for a person, cut if it is long."""
    if value is MISSING:
        return "(nothing)"
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"
