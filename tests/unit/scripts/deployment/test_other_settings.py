"""A deployment whose settings are not those of the last apply, and what a plan says by its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from scripts.deployment.consent import Consent
from scripts.deployment.deployment import Deployment
from scripts.deployment.plan import Plan
from scripts.deployment.settings import LastSettings
from tests.unit.scripts.deployment.plans import change, plan


class Applied:
    """A Terraform whose state has the settings of an apply. `planned` is what it would do."""

    def __init__(self, planned: Plan, **settings: object) -> None:
        self.planned, self._settings, self.plans = planned, settings, 0

    def state(self) -> dict[str, Any]:
        return {"values": {"outputs": {"settings": {"value": self._settings}}}}

    def plan(self, options: Sequence[str]) -> Plan:
        self.plans += 1
        return self.planned


NOTHING, SOMETHING = plan(), plan(change("module.ragbase.google_pubsub_topic.a", ["create"], after={"name": "a"}))


def deployment(terraform: Applied, **now: object) -> Deployment:
    return Deployment(
        "p",
        terraform,  # type: ignore[arg-type]  # it has what is called
        [],
        Consent("dev", "p", agreed=True),
        LastSettings(now, agreed=True),
    )


def test_other_settings_stop_before_anything_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    terraform = Applied(SOMETHING, region="a")
    with pytest.raises(SystemExit, match="--new-settings"):
        deployment(terraform, region="b").prepare()
    assert terraform.plans == 0
    assert '  region: "a" -> "b"' in capsys.readouterr().out


def test_a_plan_shows_other_settings_and_says_whether_something_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert deployment(Applied(SOMETHING, region="a"), region="b").show()
    assert '  region: "a" -> "b"' in capsys.readouterr().out
    assert not deployment(Applied(NOTHING, region="a"), region="a").show()


def test_a_plan_to_destroy_has_no_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert deployment(Applied(SOMETHING, region="a"), region="b").show(["-destroy"])
    assert "settings" not in capsys.readouterr().out
