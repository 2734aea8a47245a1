"""How the settings differ from those of the last apply, which the state has (terraform/envs/settings.tf)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scripts.deployment.plan import MISSING, as_text

OUTPUT = "settings"
"""The output of the environments that has every setting, as Terraform understood it."""


@dataclass(frozen=True, slots=True)
class LastSettings:
    """`now` has every setting as Terraform understands it, and `given` what terraform.tfvars sets. `agreed` says that
    nobody looks at a plan before it is applied, and `new_settings` that the settings may differ all the same."""

    now: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    agreed: bool = False
    new_settings: bool = False

    def show(self, state: Mapping[str, Any]) -> bool:
        """Print each setting that differs. Whether there is one."""
        before = state.get("values", {}).get("outputs", {}).get(OUTPUT, {}).get("value")
        changes = list(settings_changes(before, self.now, self.given))
        if changes:
            print("The settings are not those of the last apply:", *changes, sep="\n")
        return bool(changes)

    def check(self, state: Mapping[str, Any]) -> None:
        """Print each setting that differs, and exit if nobody looks at it: the last apply may have had settings that
        this checkout does not have."""
        if self.show(state) and self.agreed and not self.new_settings:
            sys.exit(
                "Nothing was changed: --yes applies only the settings of the last apply. If somebody deployed with "
                "other ones, commit theirs. If these are right, deploy once without --yes, or add --new-settings."
            )


def settings_changes(before: Any, now: Any, given: Any) -> Iterator[str]:
    """A line for each setting that differs in its meaning: comments, order and a default that is spelled out do not
    count. What the last apply did not know yet, and nobody sets, is left out, so that another version of ragbase may
    have more settings. Nothing differs if there was no apply, or one by a checkout that kept no settings."""
    if before is not None:
        yield from _changes("", before, now, given)


def _changes(path: str, before: Any, now: Any, given: Any) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in sorted({*before, *now}):
            is_given = isinstance(given, Mapping) and key in given
            if key in before or is_given:
                inner = given[key] if is_given else None
                at = f"{path}.{key}" if path else key
                yield from _changes(at, before.get(key, MISSING), now.get(key, MISSING), inner)
    elif before != now and not (before in (MISSING, None) and now in (MISSING, None)):
        yield f"  {path}: {as_text(_set(before))} -> {as_text(_set(now))}"


def _set(value: Any) -> Any:
    """The value without what nobody has set in it."""
    if isinstance(value, Mapping):
        return {key: _set(inner) for key, inner in value.items() if inner is not None}
    return value
