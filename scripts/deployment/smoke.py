"""A trial of dev in a project that nobody needs: applied, used, and destroyed, whatever happens on the way."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from scripts.deployment.commands import gcloud, try_gcloud
from scripts.deployment.delays import GRANT_SECONDS
from scripts.deployment.deployment import NETWORK_LEFT, NOTHING_TO_DESTROY

SECONDS = 60
"""How long the api may take for an answer. Its own limit is the same."""


@dataclass(frozen=True, slots=True)
class Deployed:
    url: str

    @classmethod
    def of(cls, place: Path) -> Deployed:
        """The api of the environment in this folder of terraform/envs."""
        command = ["terraform", f"-chdir={place}", "output", "-raw", "endpoint"]
        return cls(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())

    def status(self, path: str, *, is_known: bool = True) -> int:
        """The status of a GET, with the caller's identity or without one. 0 if nobody answers."""
        return self._send(path, None, is_known=is_known)[0]

    def finds(self, question: str) -> Sequence[str] | None:
        """The texts that a search finds, near the question or not. None while the api starts."""
        body = json.dumps({"query": question, "threshold": 0}).encode()
        status, answer = self._send("/api/query", body, is_known=True)
        if status in (0, 429, 503):
            return None
        if status != 200:
            raise RuntimeError(f"The api answered {status} to a question: {answer.decode(errors='replace')[:500]}")
        return [result["content"] for result in json.loads(answer)["results"]]

    def _send(self, path: str, body: bytes | None, *, is_known: bool) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json"} if body else {}
        if is_known:
            headers["Authorization"] = f"Bearer {self._token()}"
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            return 0, b""

    def _token(self) -> str:
        """A service account says for whom its token is; gcloud does not let a person do so."""
        account = gcloud("auth", "list", "--filter=status:ACTIVE", "--format=value(account)")
        audience = [f"--audiences={self.url}"] if account.endswith(".gserviceaccount.com") else []
        return gcloud("auth", "print-identity-token", *audience)


class Outcome(IntEnum):
    """The exit code of scripts/smoke."""

    HELD = 0
    FAILED = 1
    NOT_STARTED = 2
    SOMETHING_LEFT = 3


OUTCOMES = {
    Outcome.HELD: "everything held, and everything is gone",
    Outcome.FAILED: "a step failed, and everything is gone",
    Outcome.NOT_STARTED: "nothing was begun",
    Outcome.SOMETHING_LEFT: "something is left in the project",
}

READY_SECONDS = 900
"""A new VM gets its image and starts Weaviate, and Direct VPC may need minutes."""
SEARCH_SECONDS = 600
"""For a change in the bucket to be seen in a search: the first message starts functions."""
LOOK_EVERY = 3.0
ADDRESS_SECONDS, ADDRESS_TRIES = 900, 14
"""Cloud Run keeps the addresses of functions for 1 to 2 hours, and their network as long (delays.py)."""

DOCUMENT = "smoke/backups.md"
TEXT = "# Backups\n\nThe nightly backup starts at {time} and is kept for ninety days in a second region.\n"
QUESTION = "When does the nightly backup start?"
FIRST, SECOND = "02:30", "04:50"

Done = tuple[int, str]
"""The exit code of a program, and what it printed."""


class StepFailed(Exception):
    """A step of the trial did not end as it should. The message says how."""


class Interrupted(Exception):
    """Somebody wants the trial to end. It cleans up first."""


def shown(command: Sequence[str | Path], input: str = "") -> Done:
    """Run a program to its end, and show what it prints. Ctrl-C does not reach it: a Terraform that is killed in the
    middle of an apply forgets what it has made."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdin and process.stdout
    with process:
        process.stdin.write(input)
        process.stdin.close()
        lines = []
        for line in process.stdout:
            print(f"    {line}", end="", flush=True)
            lines.append(line)
    return process.returncode, "".join(lines)


@dataclass(slots=True)
class Smoke:
    """`key` is the key for Cohere; with None, the functions embed with Vertex AI. `checkout` is a checkout of its own,
    whose dev is this trial's."""

    project: str
    key: str | None
    checkout: Path
    run_program: Callable[[Sequence[str | Path], str], Done] = shown
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _is_interrupted: bool = field(default=False, init=False)
    _snapshots_before: frozenset[str] = field(default=frozenset(), init=False)

    def run(self) -> Outcome:
        """Raises nothing: the outcome says what happened, and the lines that it prints say more."""
        before = {number: signal.signal(number, self._notice) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            return self._run()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _run(self) -> Outcome:
        if not self._holds("Is the project free?", self._look_at_project):
            return Outcome.NOT_STARTED
        held = all(self._holds(title, step) for title, step in self._steps())
        gone = self._holds("Destroy everything", self._destroy, is_clean_up=True)
        outcome = (Outcome.HELD if held else Outcome.FAILED) if gone else Outcome.SOMETHING_LEFT
        _say(f"{OUTCOMES[outcome].capitalize()}.")
        if not gone:
            _say(
                f"To remove it, set project to {self.project} in terraform/envs/dev/terraform.tfvars, and run "
                "`./scripts/deploy dev --destroy`."
            )
        return outcome

    def _steps(self) -> Sequence[tuple[str, Callable[[], None]]]:
        return (
            ("Apply what the secrets need", self._prepare),
            ("Give the secrets their values", self._fill_secrets),
            ("Apply the rest", self._deploy),
            ("A second plan changes nothing", self._plan_again),
            ("The api is ready, and answers nobody without an identity", self._reach),
            ("An upload is found", self._upload),
            ("An edit replaces what was found", self._edit),
            ("A deleted document is not found", self._delete),
        )

    def _holds(self, title: str, step: Callable[[], None], *, is_clean_up: bool = False) -> bool:
        _say(f"{title} …")
        began = self.clock()
        try:
            if not is_clean_up:
                self._end_if_interrupted()
            step()
        except Interrupted:
            _say("… interrupted")
            return False
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, everything is destroyed, and the exit code says so
            _say(f"… failed after {self.clock() - began:.0f} s: {error or type(error).__name__}")
            return False
        _say(f"… ok, {self.clock() - began:.0f} s")
        return True

    def _look_at_project(self) -> None:
        """What is there already is somebody's: the trial would destroy it."""
        found = try_gcloud("storage", "buckets", "describe", f"gs://{self.project}-ragbase", "--format=value(name)")
        if not found.returncode:
            raise StepFailed(f"There is a ragbase in {self.project}. To remove it: `./scripts/deploy dev --destroy`.")
        if "not found" not in found.stderr:
            raise StepFailed(found.stderr.strip())
        self._snapshots_before = self._snapshots()
        account = gcloud("auth", "list", "--filter=status:ACTIVE", "--format=value(account)")
        kind = "serviceAccount" if account.endswith(".gserviceaccount.com") else "user"
        settings = f'project     = "{self.project}"\napi_callers = ["{kind}:{account}"]\n'
        if self.key is None:
            settings += 'settings    = { embedder = "vertex" }\n'
        (self._place / "terraform.tfvars").write_text(settings, encoding="utf-8")

    def _prepare(self) -> None:
        """The first deployment stops where it needs the secrets' values."""
        code, said = self._run_deploy("--yes")
        if not code or "The functions need a value" not in said:
            raise StepFailed("The first deployment did not stop to ask for the secrets' values.")

    def _fill_secrets(self) -> None:
        values = {"ragbase-weaviate-api-key": secrets.token_hex(24)}
        if self.key is not None:
            values["ragbase-cohere-api-key"] = self.key
        for secret, value in values.items():
            command = ("gcloud", "secrets", "versions", "add", secret, "--data-file=-", f"--project={self.project}")
            self._succeed(command, value)
        self.sleep(GRANT_SECONDS)  # a person would take that long

    def _deploy(self) -> None:
        code, _ = self._run_deploy("--yes")
        if code:
            raise StepFailed(f"The deployment ended with {code}.")

    def _plan_again(self) -> None:
        code, said = self._run_deploy("--plan")
        if code == 1:
            raise StepFailed("The same plan again failed.")
        if code or "Nothing would change." not in said:
            raise StepFailed("The same plan again would change something.")

    def _reach(self) -> None:
        api = self._api()
        self._until("The api is ready", lambda: api.status("/readyz") == 200, READY_SECONDS)
        if (status := api.status("/api/documents", is_known=False)) not in (401, 403):
            raise StepFailed(f"The api answered {status} to somebody without an identity.")

    def _upload(self) -> None:
        self._put(FIRST)
        self._until("The upload is found", lambda: self._found() == {FIRST}, SEARCH_SECONDS)

    def _edit(self) -> None:
        self._put(SECOND)
        self._until("The edit is found", lambda: SECOND in (self._found() or ()), SEARCH_SECONDS)
        if self._found() == {FIRST, SECOND}:
            raise StepFailed("The text from before the edit is found, too.")

    def _delete(self) -> None:
        self._succeed(("gcloud", "storage", "rm", self._address))
        self._until("The document is gone", lambda: self._found() == set(), SEARCH_SECONDS)

    def _destroy(self) -> None:
        for _ in range(ADDRESS_TRIES):
            code, said = self._run_deploy("--destroy", "--sure", self.project, "--yes")
            if NETWORK_LEFT not in said:
                break
            self.sleep(ADDRESS_SECONDS)
        if code:
            raise StepFailed(f"The destruction ended with {code}.")
        _, said = self._run_deploy("--destroy", "--sure", self.project, "--yes")
        if NOTHING_TO_DESTROY not in said:
            raise StepFailed("Something was still there to be destroyed.")
        for snapshot in sorted(self._snapshots() - self._snapshots_before):
            self._succeed(
                ("gcloud", "compute", "snapshots", "delete", snapshot, f"--project={self.project}", "--quiet")
            )

    def _snapshots(self) -> frozenset[str]:
        """Those of Weaviate's disk: a last one stays when the disk goes. One from before the trial is somebody's. A
        project in which Compute Engine is off has none."""
        only = ("--filter=name~^ragbase-weaviate-", "--format=value(name)", f"--project={self.project}")
        listed = try_gcloud("compute", "snapshots", "list", *only)
        if listed.returncode and "not enabled" not in listed.stderr and "has not been used" not in listed.stderr:
            raise StepFailed(listed.stderr.strip())
        return frozenset(listed.stdout.split())

    def _put(self, time: str) -> None:
        file = self.checkout / "backups.md"
        file.write_text(TEXT.format(time=time), encoding="utf-8")
        self._succeed(("gcloud", "storage", "cp", file, self._address))

    def _found(self) -> set[str] | None:
        """Which of both times a search finds. None while the api starts."""
        texts = self._api().finds(QUESTION)
        return None if texts is None else {time for time in (FIRST, SECOND) if any(time in text for text in texts)}

    @property
    def _address(self) -> str:
        return f"gs://{self.project}-ragbase/{DOCUMENT}"

    @property
    def _place(self) -> Path:
        return self.checkout / "terraform" / "envs" / "dev"

    def _api(self) -> Deployed:
        return Deployed.of(self._place)

    def _run_deploy(self, *arguments: str) -> Done:
        return self.run_program((self.checkout / "scripts" / "deploy", "dev", *arguments), "")

    def _succeed(self, command: Sequence[str | Path], input: str = "") -> None:
        code, _ = self.run_program(command, input)
        if code:
            raise StepFailed(f"{' '.join(map(str, command[:4]))} ended with {code}.")

    def _until(self, what: str, look: Callable[[], bool], seconds: float) -> None:
        deadline = self.clock() + seconds
        while not look():
            self._end_if_interrupted()
            if self.clock() > deadline:
                raise StepFailed(f"{what}: not within {seconds:.0f} s.")
            self.sleep(LOOK_EVERY)

    def _notice(self, *_: object) -> None:
        self._is_interrupted = True
        _say("Interrupted. What runs now comes to its end, and then everything is destroyed.")

    def _end_if_interrupted(self) -> None:
        if self._is_interrupted:
            raise Interrupted


def _say(line: str) -> None:
    print(line, flush=True)
