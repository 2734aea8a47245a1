"""The system of Weaviate's VM over time: it is made again each month, and somebody hears of the end of its support."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import copied, run

pytestmark = pytest.mark.prove

FILE = Path("modules", "weaviate", "boot_image.tf")
WEAVIATE = "-target=module.ragbase.module.weaviate"


@dataclass(frozen=True, slots=True)
class Planned:
    changes: Mapping[str, Sequence[str]]
    """What would happen to each resource of Weaviate that is not left as it is, by its address in the module."""
    said: str


def over_time(prepared: Path) -> Mapping[str, Planned]:
    """What a plan changes and says later, after Weaviate was made in November 2026."""
    with copied(prepared) as copy:
        file, place = copy / FILE, copy / "envs" / "dev"
        text = file.read_text(encoding="utf-8")

        def at(time: str) -> None:
            assert "plantimestamp()" in text
            file.write_text(text.replace("plantimestamp()", f'"{time}"'), encoding="utf-8")

        at("2026-11-27T03:00:00Z")
        applied = run("apply", "-auto-approve", "-input=false", WEAVIATE, folder=place)
        assert not applied.returncode, applied.stderr
        later = {}
        for time in ("2026-11-30T23:00:00Z", "2026-12-01T01:00:00Z", "2027-08-31T01:00:00Z", "2027-09-15T01:00:00Z"):
            at(time)
            # With a target, Terraform looks at no checks. Without one, a plan takes longer.
            target = (WEAVIATE,) if time < "2027" else ()
            ended = run("plan", "-input=false", "-out=later", *target, folder=place)
            assert not ended.returncode, ended.stderr
            plan = json.loads(run("show", "-json", "later", folder=place).stdout)
            changes = {
                one["address"].removeprefix("module.ragbase.module.weaviate[0]."): one["change"]["actions"]
                for one in plan["resource_changes"]
                if one["change"]["actions"] != ["no-op"] and one["address"].startswith("module.ragbase.module.weaviate")
            }
            said = (ended.stdout + ended.stderr).replace("│", " ")  # Terraform frames a warning
            later[time[:10]] = Planned(changes, " ".join(said.split()))
        return later


ALL = Job(over_time, seconds=20)


@looks_at(ALL)
def test_the_vm_is_not_made_again_within_a_month(result: Mapping[str, Planned]) -> None:
    assert result["2026-11-30"].changes == {}


@looks_at(ALL)
def test_the_vm_is_made_again_in_the_next_month_and_its_data_stay(result: Mapping[str, Planned]) -> None:
    changes = dict(result["2026-12-01"].changes)
    assert changes.pop("google_compute_instance.this") == ["delete", "create"]
    assert changes.pop("terraform_data.month") == ["update"]
    assert not any("delete" in actions for actions in changes.values()), changes


@looks_at(ALL)
def test_a_plan_warns_half_a_year_before_the_support_ends(result: Mapping[str, Planned]) -> None:
    warning = "Weaviate's VM runs cos-129-lts, which gets no security fixes after 2028-03"
    assert warning not in result["2027-08-31"].said
    assert warning in result["2027-09-15"].said
