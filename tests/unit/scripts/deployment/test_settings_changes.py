"""The settings of a plan and those of the last apply, compared by what they mean."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.deployment.settings import LastSettings, settings_changes

VM = {"zone": None, "disk_gib": 20}
FORCED = {"force": False, "prefix": None}
CASES: dict[str, tuple[Any, Any, Any, list[str]]] = {
    "a value": ({"region": "a"}, {"region": "b"}, {}, ['region: "a" -> "b"']),
    "the same number": ({"vm": VM}, {"vm": {**VM, "disk_gib": 20.0}}, {"vm": {"disk_gib": 20.0}}, []),
    "an attribute": ({"vm": VM}, {"vm": {**VM, "disk_gib": 30}}, {}, ["vm.disk_gib: 20 -> 30"]),
    "one more": ({"all": {}}, {"all": {"s": FORCED}}, {"all": {"s": {}}}, ['all.s: (nothing) -> {"force": false}']),
    "one less": ({"all": {"s": FORCED}}, {"all": {}}, {}, ['all.s: {"force": false} -> (nothing)']),
    "a list": ({"callers": ["a", "b"]}, {"callers": ["a"]}, {}, ['callers: ["a", "b"] -> ["a"]']),
    "a new version has more": ({"vm": VM}, {"vm": {**VM, "spot": False}, "log": "INFO"}, {"vm": {}}, []),
    "and it is set": ({"vm": {}}, {"vm": {"spot": True}}, {"vm": {"spot": True}}, ["vm.spot: (nothing) -> true"]),
    "an object": ({"weaviate": None}, {"weaviate": {"url": "u"}}, {}, ['weaviate: null -> {"url": "u"}']),
    "the first apply": (None, {"region": "b"}, {"region": "b"}, []),
}


@pytest.mark.parametrize("case", CASES)
def test_what_differs_in_its_meaning_is_named(case: str) -> None:
    before, after, given, lines = CASES[case]
    assert [line.strip() for line in settings_changes(before, after, given)] == lines


def applied(**settings: object) -> dict[str, Any]:
    """A state, as `terraform show -json` has it, after an apply with these settings."""
    return {"values": {"outputs": {"settings": {"value": settings}}}}


def test_only_a_person_or_a_word_lets_other_settings_through(capsys: pytest.CaptureFixture[str]) -> None:
    LastSettings({"region": "b"}, agreed=False).check(applied(region="a"))
    LastSettings({"region": "b"}, agreed=True, new_settings=True).check(applied(region="a"))
    assert capsys.readouterr().out.count('  region: "a" -> "b"') == 2
    LastSettings({"region": "a"}, agreed=True).check(applied(region="a"))
    LastSettings({"region": "a"}, agreed=True).check({})
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit, match="--new-settings"):
        LastSettings({"region": "b"}, agreed=True).check(applied(region="a"))
