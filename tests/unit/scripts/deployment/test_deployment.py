"""A deployment whose Terraform meets the errors that Google really gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from scripts.deployment import deployment as module
from scripts.deployment.delays import GRANT_SECONDS, PAUSE, TRIES
from scripts.deployment.deployment import Deployment
from scripts.deployment.plan import Plan
from tests.unit.scripts.deployment.plans import change, plan

FUNCTION = "module.ragbase.module.function.google_cloudfunctions2_function.this"
WHOLE = plan(change(FUNCTION, ["create"], after={"name": "ragbase-api"}))
FURTHER = plan(change(FUNCTION, ["create"], after={"name": "ragbase-api", "ingress": "ALLOW_ALL"}))

PASSING = (
    "Error: Error waiting to create function: Error waiting for Creating function: Error code 13, message: Build "
    "failed with status: FAILURE and message: failed to Fetch: failed to download archive gs://gcf-v2-sources-4711-"
    "europe-west1/ragbase-api/function-source.zip: Access to bucket gcf-v2-sources-4711-europe-west1 denied. You must "
    "grant Storage Object Viewer permission to ragbase-build@p.iam.gserviceaccount.com.",
    "Error code 3, message: Build failed with status: FAILURE. Could not build the function due to a missing "
    "permission on the build service account. If you didn't revoke that permission explicitly, this could be caused "
    "by a change in the organization policies.",
    "Error: googleapi: Error 403: The caller does not have permission",
    "Error 400: Service account service-4711@gcp-sa-pubsub.iam.gserviceaccount.com does not exist., badRequest",
    "Error 403: Cloud Firestore API has not been used in project 4711 before or it is disabled.",
    "Error 403: The service account 'service-4711@gs-project-accounts.iam.gserviceaccount.com' does not have "
    "permission to publish messages to the Cloud Pub/Sub topic, forbidden",
)
LASTING = "Error 400: Invalid value for field 'resource.machineType': 'e9-huge'. The machine type is invalid."
HELD = (
    "Error: Error waiting for Deleting Subnetwork: The subnetwork resource 'projects/p/regions/europe-west1/"
    "subnetworks/ragbase-weaviate-functions' is already being used by 'projects/p/regions/europe-west1/addresses/"
    "serverless-ipv4-1755'"
)


@dataclass
class World:
    """A Terraform that gives these plans and meets these errors, one after another, and a clock that waits move."""

    plans: list[Plan]
    errors: list[str]
    has_functions: bool = True
    seconds: float = 0
    waits: list[float] = field(default_factory=list)
    applied: list[Plan] = field(default_factory=list)
    planned: Plan = field(default_factory=plan)

    def plan(self, options: Sequence[str]) -> Plan:
        self.planned = self.plans.pop(0)
        return self.planned

    def apply(self) -> str:
        self.applied.append(self.planned)
        return self.errors.pop(0) if self.errors else ""

    def state(self) -> dict[str, Any]:
        return {"values": "google_cloudfunctions2_function"} if self.has_functions else {}

    def output(self, name: str) -> str:
        return "gcloud storage cp guide.md gs://bucket/"

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds

    def deployment(self, *, agreed: bool = True) -> Deployment:
        deployment = Deployment("p", self, [], agreed=agreed)  # type: ignore[arg-type]  # it has what is called
        deployment.sleep, deployment.clock = self.sleep, lambda: self.seconds
        return deployment


@pytest.fixture(autouse=True)
def _secrets_have_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "gcloud", lambda *arguments: "1")


@pytest.mark.parametrize("error", PASSING)
def test_what_may_pass_is_tried_again_after_a_wait(error: str) -> None:
    world = World([WHOLE, WHOLE], [error])
    world.deployment().change()
    assert world.waits == [PAUSE] and len(world.applied) == 2


def test_what_does_not_pass_ends_after_some_tries() -> None:
    world = World([WHOLE] * TRIES, [PASSING[0]] * TRIES)
    with pytest.raises(SystemExit, match="Not everything was applied"):
        world.deployment().change()
    assert len(world.applied) == TRIES


def test_a_lasting_error_is_not_tried_again(capsys: pytest.CaptureFixture[str]) -> None:
    world = World([WHOLE], [LASTING])
    with pytest.raises(SystemExit, match="Not everything was applied"):
        world.deployment().change()
    assert not world.waits and "machine type is invalid" in capsys.readouterr().err


def test_a_plan_that_nobody_saw_is_not_applied(capsys: pytest.CaptureFixture[str]) -> None:
    world = World([WHOLE, FURTHER], [PASSING[0]])
    with pytest.raises(SystemExit, match="Nothing of it was applied"):
        world.deployment().change()
    assert world.applied == [WHOLE]
    assert "goes further" in capsys.readouterr().out


def test_somebody_who_is_there_is_asked_about_a_plan_that_goes_further(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(module, "ask", asked.append)
    world = World([WHOLE, FURTHER], [PASSING[0]])
    world.deployment(agreed=False).change()
    assert asked == ["p", "p"] and world.applied == [WHOLE, FURTHER]


def test_functions_are_built_only_when_the_grants_are_known_everywhere() -> None:
    grants = plan(change("module.ragbase.google_project_iam_member.build", ["create"]))
    world = World([grants, WHOLE], [], has_functions=False)
    deployment = world.deployment()
    deployment.prepare()
    world.seconds += 20
    deployment.change()
    assert world.waits == [GRANT_SECONDS - 20] and world.applied == [grants, WHOLE]


def test_a_project_with_functions_waits_for_nothing() -> None:
    world = World([WHOLE], [])
    deployment = world.deployment()
    deployment.prepare()
    deployment.change()
    assert not world.waits


def test_a_destruction_that_names_its_project_asks_nobody_and_another_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(module, "ask", asked.append)
    gone = plan(change(FUNCTION, ["delete"]))
    World([gone], []).deployment().destroy(sure="p")
    assert asked == []
    World([gone], []).deployment().destroy(sure="another")
    assert asked == ["p"]


def test_addresses_that_cloud_run_holds_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ask", lambda project: None)
    world = World([plan(change("v.google_compute_subnetwork.functions", ["delete"]))], [HELD])
    with pytest.raises(SystemExit, match="Run the same command again after that"):
        world.deployment().destroy()
    assert not world.waits
