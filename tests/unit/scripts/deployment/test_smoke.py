"""A trial of a deployment in which programs end as they please (scripts/smoke)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from scripts.deployment import smoke as module
from scripts.deployment.deployment import NETWORK_LEFT, NOTHING_TO_DESTROY
from scripts.deployment.smoke import ADDRESS_SECONDS, ADDRESS_TRIES, Deployed, Done, Outcome, Smoke

STOPPED = (1, "The functions need a value for ragbase-cohere-api-key.")
DONE = (0, "")
GONE = (0, NOTHING_TO_DESTROY)
HELD = (1, f"{NETWORK_LEFT} Cloud Run keeps the addresses of functions for 1 to 2 hours.")


@dataclass
class World:
    """A project in which everything works, unless `ends` says how a program ends: a list for each kind of call."""

    folder: Path
    ends: dict[str, list[Done]] = field(default_factory=dict)
    meanwhile: Callable[[str], object] = lambda call: None
    calls: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    seconds: float = 0
    shown: str = ""
    snapshots: list[str] = field(default_factory=lambda: [""])
    """What each look at the project's snapshots finds; the last one for all looks to come."""

    def run_program(self, command: Sequence[str | Path], input: str) -> Done:
        words = [str(word) for word in command]
        call = " ".join(words[1:]) if words[0] == "gcloud" else " ".join(["deploy", *words[1:]])
        self.calls.append(call)
        self.meanwhile(call)
        if call.startswith("storage cp"):
            self.shown = Path(words[3]).read_text(encoding="utf-8")
        if call.startswith("storage rm"):
            self.shown = ""
        ends = self.ends.get(call, [])
        return ends.pop(0) if ends else self._usual(call)

    def look(self, *arguments: str) -> CompletedProcess[str]:
        """There is no ragbase, and Compute Engine is off until there are snapshots."""
        if "snapshots" not in arguments:
            return CompletedProcess(arguments, 1, "", "gs://p-ragbase not found: 404.")
        found = self.snapshots.pop(0) if len(self.snapshots) > 1 else self.snapshots[0]
        return CompletedProcess(arguments, 0 if found else 1, found, "" if found else "API [compute] not enabled on p.")

    def _usual(self, call: str) -> Done:
        usual = {"deploy dev --plan": (0, "Nothing would change.\n"), DESTROY: GONE}
        is_first = self.calls.count(DEPLOY) == 1
        return STOPPED if call == DEPLOY and is_first else usual.get(call, DONE)

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds

    def status(self, path: str, *, is_known: bool = True) -> int:
        return 200 if is_known else 403

    def finds(self, question: str) -> list[str]:
        return [self.shown] if self.shown else []

    def smoke(self, key: str | None = "a-key") -> Outcome:
        (self.folder / "terraform" / "envs" / "dev").mkdir(parents=True, exist_ok=True)
        smoke = Smoke("p", key, self.folder, self.run_program, self.sleep, lambda: self.seconds)
        return smoke.run()


DEPLOY, DESTROY = "deploy dev --yes", "deploy dev --destroy --sure p --yes"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path)
    monkeypatch.setattr(module, "try_gcloud", world.look)
    monkeypatch.setattr(module, "gcloud", lambda *_: "ci@p.iam.gserviceaccount.com")
    monkeypatch.setattr(Deployed, "of", lambda place: world)
    return world


def test_all_is_well(world: World) -> None:
    assert world.smoke() is Outcome.HELD
    settings = (world.folder / "terraform" / "envs" / "dev" / "terraform.tfvars").read_text()
    assert 'api_callers = ["serviceAccount:ci@p.iam.gserviceaccount.com"]' in settings


def test_with_vertex_ai_no_vendor_has_a_secret(world: World) -> None:
    assert world.smoke(key=None) is Outcome.HELD
    settings = (world.folder / "terraform" / "envs" / "dev" / "terraform.tfvars").read_text()
    assert 'settings    = { embedder = "vertex" }' in settings
    filled = [call.split()[3] for call in world.calls if call.startswith("secrets versions add")]
    assert filled == ["ragbase-weaviate-api-key"]


def test_the_last_snapshot_of_the_disk_goes_too_and_one_from_before_stays(world: World) -> None:
    world.snapshots = ["ragbase-weaviate-last-1", "ragbase-weaviate-last-1\nragbase-weaviate-last-2"]
    assert world.smoke() is Outcome.HELD
    deleted = [call for call in world.calls if "snapshots delete" in call]
    assert deleted == ["compute snapshots delete ragbase-weaviate-last-2 --project=p --quiet"]


def test_the_addresses_of_functions_are_waited_for(world: World) -> None:
    world.ends[DESTROY] = [HELD, HELD, DONE]
    assert world.smoke() is Outcome.HELD
    assert world.waits.count(ADDRESS_SECONDS) == 2


def test_a_network_that_stays_is_told(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.ends[DESTROY] = [HELD] * ADDRESS_TRIES
    assert world.smoke() is Outcome.SOMETHING_LEFT
    assert "./scripts/deploy dev --destroy" in capsys.readouterr().out


def test_a_deployment_that_fails_is_destroyed(world: World) -> None:
    world.ends[DEPLOY] = [STOPPED, (1, "Not everything was applied.")]
    assert world.smoke() is Outcome.FAILED
    assert world.calls[-2:] == [DESTROY, DESTROY]
    assert not any("storage" in call for call in world.calls)


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ((2, "  change   module.ragbase.google_monitoring_dashboard.this\n"), "would change something"),
        ((1, "terraform plan failed: nothing was changed.\n"), "The same plan again failed"),
    ],
)
def test_a_second_plan_that_would_change_something_fails(
    world: World, ended: Done, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    world.ends["deploy dev --plan"] = [ended]
    assert world.smoke() is Outcome.FAILED
    assert said in capsys.readouterr().out


def test_an_api_that_answers_everybody_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(World, "status", lambda self, path, is_known=True: 200)
    assert world.smoke() is Outcome.FAILED
    assert world.calls[-1] == DESTROY


def test_an_edit_that_leaves_the_old_text_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []

    def finds(self: World, question: str) -> list[str]:
        kept.append(self.shown)
        return kept

    monkeypatch.setattr(World, "finds", finds)
    assert world.smoke() is Outcome.FAILED
    assert sum("storage cp" in call for call in world.calls) == 2


def test_an_upload_that_is_never_found_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(World, "finds", lambda self, question: None)
    assert world.smoke() is Outcome.FAILED
    assert world.calls[-1] == DESTROY


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_step_and_destroys_everything(world: World, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    world.meanwhile = lambda call: os.kill(os.getpid(), number) if call == "deploy dev --plan" else None
    assert world.smoke() is Outcome.FAILED
    assert world.calls[-3:] == ["deploy dev --plan", DESTROY, DESTROY]
    assert signal.getsignal(number) is before


def test_an_interrupted_clean_up_goes_on(world: World) -> None:
    world.meanwhile = lambda call: os.kill(os.getpid(), signal.SIGTERM) if call == DESTROY else None
    assert world.smoke() is Outcome.HELD


def test_a_program_that_cannot_be_started_does_not_keep_the_clean_up_away(world: World) -> None:
    def fails(call: str) -> None:
        if call == "deploy dev --plan":
            raise SystemExit("gcloud failed")

    world.meanwhile = fails
    assert world.smoke() is Outcome.FAILED
    assert world.calls[-1] == DESTROY


def test_a_project_that_cannot_be_seen_is_left_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "try_gcloud", lambda *_: CompletedProcess((), 1, "", "HTTPError 403: denied"))
    assert world.smoke() is Outcome.NOT_STARTED
    assert world.calls == []
