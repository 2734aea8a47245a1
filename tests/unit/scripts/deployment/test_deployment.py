"""A deployment whose Terraform meets the errors that Google really gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from subprocess import CompletedProcess
from textwrap import fill
from typing import Any

import pytest

from scripts.deployment import consent, service_agents
from scripts.deployment import deployment as module
from scripts.deployment.consent import Consent
from scripts.deployment.delays import GRANT_SECONDS, PAUSE, TRIES
from scripts.deployment.deployment import Deployment
from scripts.deployment.plan import Plan
from scripts.deployment.service_agents import SERVICES
from tests.unit.scripts.deployment.plans import change, plan

FUNCTION = "module.ragbase.module.function.google_cloudfunctions2_function.this"
GRANT = "module.ragbase.google_project_iam_member.build"
BUCKET = "module.ragbase.google_storage_bucket.documents"
WHOLE = plan(change(FUNCTION, ["create"], after={"name": "ragbase-api"}))
GRANTS = plan(change(GRANT, ["create"]), change(FUNCTION, ["create"], after={"name": "ragbase-api"}))
FURTHER = plan(change(FUNCTION, ["create"], after={"name": "ragbase-api", "ingress": "ALLOW_ALL"}))
GONE = plan(change(FUNCTION, ["delete"]))
EMPTIED = plan(change(BUCKET, ["delete", "create"], {"name": "b"}, {"name": "b"}, replace_paths=[["location"]]))
LOCKED = plan(change(FUNCTION, ["delete"]), change(BUCKET, ["delete"], {"name": "b", "deletion_policy": "PREVENT"}))

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
SOON = {
    "Error 409: There were concurrent policy changes. Please retry the whole read-modify-write.": PAUSE,
    "Error 429: Quota exceeded for quota metric 'Build and Operation Get requests' and limit 'Build and Operation Get "
    "requests per minute' of service 'cloudbuild.googleapis.com'": PAUSE,
    "Error code 13, message: An internal error has occurred.": PAUSE,
    "Error 400: Database ID 'ragbase' is not available in project 'p'. Please retry in 266 seconds.": 266,
}
"""Errors that pass, whatever this run has granted, and for how long to wait."""
DENIED = "Error 403: Permission 'iam.serviceAccounts.create' denied on resource (or it may not exist)."
FULL = "The zone 'projects/p/zones/europe-west1-b' does not have enough resources available to fulfill the request."
NO_KEY = "Error 400: KMS key projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k does not exist."
NO_GROUP = "Error 400: Group readers@example.com does not exist., badRequest"
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
    refused: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0
    waits: list[float] = field(default_factory=list)
    done: list[Plan | str] = field(default_factory=list)
    planned: Plan = field(default_factory=plan)

    @property
    def applied(self) -> list[Plan]:
        return [one for one in self.done if isinstance(one, Plan)]

    def plan(self, options: Sequence[str]) -> Plan:
        self.planned = self.plans.pop(0)
        return self.planned

    def apply(self) -> str:
        self.done.append(self.planned)
        return self.errors.pop(0) if self.errors else ""

    def state(self) -> dict[str, Any]:
        return {"values": {"type": "google_cloudfunctions2_function"}} if self.has_functions else {}

    def output(self, name: str) -> str:
        return "gcloud storage cp guide.md gs://bucket/"

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds

    def gcloud(self, *arguments: str) -> CompletedProcess[str]:
        """Makes the account of a service, or answers what `refused` has for it, one after another."""
        service = arguments[4].removeprefix("--service=").removesuffix(".googleapis.com")
        self.done.append(service)
        errors = self.refused.get(service, [])
        error = errors.pop(0) if errors else ""
        return CompletedProcess(arguments, 1 if error else 0, "", error)

    def deployment(self, *, agreed: bool = True, sure: str = "") -> Deployment:
        answers = Consent("prod", "p", agreed=agreed, sure=sure)
        deployment = Deployment("p", self, [], answers)  # type: ignore[arg-type]  # it has what is called
        deployment.sleep, deployment.clock = self.sleep, lambda: self.seconds
        service_agents.try_gcloud = self.gcloud  # type: ignore[attr-defined]  # put back by the fixture
        return deployment


@pytest.fixture(autouse=True)
def _programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets have values, and the project's gcloud is put back."""
    monkeypatch.setattr(module, "gcloud", lambda *arguments: "1")
    monkeypatch.setattr(service_agents, "try_gcloud", None)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What somebody had to type. They type it."""
    asked: list[str] = []
    monkeypatch.setattr(consent, "ask", lambda word, *_: asked.append(word))
    return asked


@pytest.mark.parametrize("error", [*PASSING, *(fill(error, 78, initial_indent="│ ") for error in PASSING)])
def test_what_may_pass_is_tried_again_after_a_wait(error: str) -> None:
    world = World([GRANTS, GRANTS], [error])
    world.deployment().change()
    assert world.waits == [PAUSE] and len(world.applied) == 2


@pytest.mark.parametrize("error", SOON)
def test_what_passes_by_itself_is_waited_for_as_long_as_google_says(error: str) -> None:
    world = World([WHOLE, WHOLE], [error])
    world.deployment().change()
    assert world.waits == [SOON[error]] and len(world.applied) == 2


@pytest.mark.parametrize(
    ("error", "told"),
    [(DENIED, "the right is really missing"), (FULL, "choose another machine_type"), (NO_KEY, ""), (NO_GROUP, "")],
    ids=["a missing right", "a full zone", "a missing key", "a missing group"],
)
def test_what_nobody_can_wait_for_ends_at_once_and_says_what_to_do(error: str, told: str) -> None:
    world = World([WHOLE], [error])
    with pytest.raises(SystemExit, match="Not everything was applied") as ended:
        world.deployment().change()
    assert not world.waits and told in str(ended.value)


def test_what_does_not_pass_ends_after_some_tries() -> None:
    world = World([GRANTS] * TRIES, [PASSING[0]] * TRIES)
    with pytest.raises(SystemExit, match="Not everything was applied"):
        world.deployment().change()
    assert len(world.applied) == TRIES


def test_a_lasting_error_is_not_tried_again(capsys: pytest.CaptureFixture[str]) -> None:
    world = World([WHOLE], [LASTING])
    with pytest.raises(SystemExit, match="Not everything was applied"):
        world.deployment().change()
    assert not world.waits and "machine type is invalid" in capsys.readouterr().err


def test_a_plan_that_nobody_saw_is_not_applied(capsys: pytest.CaptureFixture[str]) -> None:
    world = World([GRANTS, FURTHER], [PASSING[0]])
    with pytest.raises(SystemExit, match="Nothing of it was applied"):
        world.deployment().change()
    assert world.applied == [GRANTS]
    assert "goes further" in capsys.readouterr().out


def test_somebody_who_is_there_is_asked_about_a_plan_that_goes_further(asked: list[str]) -> None:
    world = World([GRANTS, FURTHER], [PASSING[0]])
    world.deployment(agreed=False).change()
    assert asked == ["p", "p"] and world.applied == [GRANTS, FURTHER]


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


def test_googles_own_accounts_come_before_each_first_apply() -> None:
    grants = plan(change(GRANT, ["create"]))
    world = World([grants, WHOLE], [], has_functions=False)
    deployment = world.deployment()
    deployment.prepare()
    deployment.change()
    assert world.done == [*SERVICES, grants, WHOLE]


def test_a_run_after_one_that_broke_makes_googles_own_accounts_too() -> None:
    nothing = plan()
    world = World([nothing, WHOLE], [], has_functions=False)
    deployment = world.deployment()
    deployment.prepare()
    deployment.change()
    assert world.done == [*SERVICES, WHOLE]


def test_a_plan_that_is_only_shown_makes_no_account() -> None:
    world = World([WHOLE], [])
    world.deployment().show()
    assert not world.done


def test_an_account_that_is_refused_stops_before_the_apply_and_after_the_other_accounts() -> None:
    world = World([WHOLE], [], refused={"firestore": ["ERROR: no network\n"]})
    with pytest.raises(SystemExit, match=r"(?s)no network.*Nothing was applied.*firestore"):
        world.deployment().change()
    assert world.done == [*SERVICES] and not world.waits


def test_an_account_whose_api_is_new_is_tried_again() -> None:
    early = "ERROR: PERMISSION_DENIED: Cloud Firestore API has not been used in project 4711 before or it is disabled."
    world = World([WHOLE], [], refused={"firestore": [early]})
    world.deployment().change()
    assert world.done == [*SERVICES, "firestore", WHOLE] and world.waits == [PAUSE]


def test_a_service_that_makes_its_account_itself_stops_nothing() -> None:
    answer = "ERROR: INVALID_ARGUMENT: Service compute.googleapis.com has not been configured for service identities."
    world = World([WHOLE], [], refused={"compute": [answer]})
    world.deployment().change()
    assert world.applied == [WHOLE]


@pytest.mark.parametrize("sure", ["prod", "p"])
def test_a_destruction_that_names_its_environment_asks_nobody(asked: list[str], sure: str) -> None:
    World([GONE], []).deployment(sure=sure).destroy()
    assert asked == []


@pytest.mark.parametrize("sure", ["", "dev"])
def test_a_destruction_that_names_nothing_or_something_else_asks_for_the_name(asked: list[str], sure: str) -> None:
    World([GONE], []).deployment(sure=sure).destroy()
    assert asked == ["prod"]


def test_a_yes_for_every_change_is_none_for_one_that_loses_data(capsys: pytest.CaptureFixture[str]) -> None:
    world = World([EMPTIED], [])
    with pytest.raises(SystemExit, match=r"there is nobody to ask.*--sure prod"):
        world.deployment(agreed=True).change()
    assert not world.done
    assert "destroys the bucket b with all its objects" in capsys.readouterr().out


def test_the_name_of_the_environment_agrees_to_a_loss(asked: list[str]) -> None:
    named = World([EMPTIED], [])
    named.deployment(agreed=True, sure="prod").change()
    typed = World([EMPTIED], [])
    typed.deployment(agreed=False).change()
    assert named.applied == typed.applied == [EMPTIED] and asked == ["prod"]


@pytest.mark.parametrize("destroys", [True, False], ids=["destroy", "change"])
def test_what_is_protected_is_refused_before_anything_is_done(destroys: bool) -> None:
    world = World([LOCKED], [])
    deployment = world.deployment(sure="prod")
    with pytest.raises(SystemExit, match=r"(?s)Nothing was changed.*the bucket b.*deletion_policy.*protect = false"):
        deployment.destroy() if destroys else deployment.change()
    assert not world.done


def test_a_rest_that_loses_data_is_not_covered_by_a_yes_from_before() -> None:
    world = World([GRANTS, EMPTIED], [PASSING[0]])
    with pytest.raises(SystemExit, match="Nothing of it was applied"):
        world.deployment(sure="prod").change()
    assert world.applied == [GRANTS]


def test_addresses_that_cloud_run_holds_are_recognised(asked: list[str]) -> None:
    world = World([plan(change("v.google_compute_subnetwork.functions", ["delete"]))], [HELD])
    with pytest.raises(SystemExit, match="Run the same command again after that"):
        world.deployment().destroy()
    assert not world.waits and asked == ["prod"]
