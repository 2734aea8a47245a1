"""scripts/smoke, rehearsed: Terraform is real, the local cloud is what it would have deployed, and gcloud is a stand-in
that copies into the local cloud's bucket."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scripts.local_cloud.temporary_cloud import started_in
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ROOT, settings, terraform
from tests.terraform.test_deploy import AT_ONCE, Checkout

pytestmark = pytest.mark.slow

PROJECT = "ragbase-smoke"
TOKEN = "an-identity"
GCLOUD = """#!{python}
# Buckets and identities. Everything else is for the stand-in of the tests of scripts/deploy.
import os, sys, urllib.request
from pathlib import Path
from urllib.parse import quote

place, said = Path(os.environ["PLACE"]), " ".join(sys.argv[1:])

def send(method, path, body=None):
    store = os.environ["STORAGE_EMULATOR_HOST"]
    urllib.request.urlopen(urllib.request.Request(store + path, body, method=method), timeout=30).close()

def name(address):
    return quote(address.split("/", 3)[3], safe="")

bucket = os.environ["RAGBASE_BUCKET"]
if said.startswith("storage buckets describe gs://ragbase-smoke-ragbase"):
    if (place / "taken").exists():
        print("ragbase-smoke-ragbase")
        sys.exit()
    sys.exit("ERROR: (gcloud.storage.buckets.describe) gs://ragbase-smoke-ragbase not found: 404.")
elif said.startswith("auth list"):
    print("somebody@example.com")
elif said.startswith("auth print-identity-token"):
    print("an-identity")
elif said.startswith("secrets versions add"):
    (place / "values").write_text(sys.stdin.read())
elif said.startswith("storage cp"):
    if (place / "no uploads").exists():
        sys.exit("ERROR: HTTPError 403: somebody@example.com does not have storage.objects.create access.")
    path = f"/upload/storage/v1/b/{{bucket}}/o?uploadType=media&name={{name(sys.argv[4])}}"
    send("POST", path, Path(sys.argv[3]).read_bytes())
elif said.startswith("storage rm"):
    send("DELETE", f"/storage/v1/b/{{bucket}}/o/{{name(sys.argv[3])}}")
else:
    os.execv(place / "bin" / "gcloud-of-deploy", sys.argv)
"""
TERRAFORM = """#!/bin/bash
# The api that was deployed is that of the local cloud. Everything else is for the stand-in of scripts/deploy.
case "$*" in *"output -raw endpoint") printf %s "$ENDPOINT"; exit ;; esac
exec "$PLACE/bin/terraform-of-deploy" "$@"
"""
"""Runs a script whose waits are short."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How a trial ended, what it printed, and all calls of gcloud that were not about objects or identities."""

    code: int
    output: str
    asked: str


class Guard(BaseHTTPRequestHandler):
    """What IAM does in front of the api: it refuses everybody without an identity."""

    behind = ""

    def do_GET(self) -> None:
        self._pass_on(None)

    def do_POST(self) -> None:
        self._pass_on(self.rfile.read(int(self.headers["Content-Length"])))

    def _pass_on(self, body: bytes | None) -> None:
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._answer(403, b"")
            return
        headers = {"Content-Type": "application/json"} if body else {}
        request = urllib.request.Request(self.behind + self.path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                self._answer(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                self._answer(error.code, error.read())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """The trial says what it does."""


@contextmanager
def guarded(url: str) -> Iterator[str]:
    guard = type("Guarded", (Guard,), {"behind": url})
    with ThreadingHTTPServer(("127.0.0.1", 0), guard) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Place:
    """A checkout with the stand-ins, in which a trial runs against the local cloud."""

    def __init__(self, root: Path, cloud: Mapping[str, str]) -> None:
        self.root = Checkout(root).root
        self._cloud = cloud
        shutil.copy(ROOT / "scripts" / "smoke", root / "scripts" / "smoke")
        for name, text in (("gcloud", GCLOUD.format(python=sys.executable)), ("terraform", TERRAFORM)):
            program = root / "bin" / name
            program.rename(root / "bin" / f"{name}-of-deploy")
            program.write_text(text, encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def smoke(self, *happening: str) -> Tried:
        """Try it with what happens on the way, as the stand-ins know it."""
        for name in ("asked", "apis", "values", "state"):
            (self.root / name).unlink(missing_ok=True)
        for name in happening:
            (self.root / name).touch()
        environment = {**settings(), **self._cloud, "PLACE": str(self.root), "TERRAFORM": terraform()}
        environment["PATH"] = f"{self.root / 'bin'}{os.pathsep}{environment['PATH']}"
        ended = subprocess.run(
            [sys.executable, "-c", AT_ONCE, self.root / "scripts" / "smoke", PROJECT],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        for name in happening:
            (self.root / name).unlink()
        asked = self.root / "asked"
        return Tried(ended.returncode, ended.stdout, asked.read_text(encoding="utf-8") if asked.exists() else "")


def trials(_prepared: Path) -> Mapping[str, Tried]:
    with tempfile.TemporaryDirectory(prefix="smoke-") as folder, started_in(Path(folder) / "cloud") as cloud:
        known = cloud.settings()
        with guarded(known["LOCAL_CLOUD_API"]) as endpoint:
            place = Place(Path(folder) / "checkout", {**known, "ENDPOINT": endpoint, "CO_API_KEY": "a-key"})
            return {
                "all is well": place.smoke(),
                "no uploads": place.smoke("no uploads"),
                "taken": place.smoke("taken"),
            }


ALL = Job(trials, seconds=90)


def steps(tried: Tried) -> list[str]:
    """What the trial says of its steps, without what the programs print."""
    return [line for line in tried.output.splitlines() if not line.startswith("    ")]


@looks_at(ALL)
def test_dev_is_applied_used_and_destroyed(result: Mapping[str, Tried]) -> None:
    tried = result["all is well"]
    assert tried.code == 0, tried.output
    ends = [line for line in steps(tried) if line.startswith("…")]
    assert len(ends) == 10 and all(line.startswith("… ok") for line in ends), tried.output
    assert steps(tried)[-1] == "Everything held, and everything is gone."
    assert "There is nothing to destroy." in tried.output


@looks_at(ALL)
def test_the_key_is_given_to_secret_manager_and_shown_to_nobody(result: Mapping[str, Tried]) -> None:
    for tried in result.values():
        assert "a-key" not in tried.output and "a-key" not in tried.asked


@looks_at(ALL)
def test_everything_is_destroyed_after_a_step_that_failed(result: Mapping[str, Tried]) -> None:
    tried = result["no uploads"]
    assert tried.code == 1, tried.output
    said = steps(tried)
    (failed,) = [line for line in said if line.startswith("… failed")]
    assert "gcloud storage cp" in failed
    assert said[said.index(failed) + 1] == "Destroy everything …"
    assert said[-1] == "A step failed, and everything is gone."


@looks_at(ALL)
def test_what_somebody_else_has_deployed_is_left_alone(result: Mapping[str, Tried]) -> None:
    tried = result["taken"]
    assert tried.code == 2, tried.output
    assert "There is a ragbase in ragbase-smoke." in tried.output
    assert tried.asked == ""


def test_a_trial_without_a_key_is_not_begun() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "CO_API_KEY"}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("gcloud", "terraform"):
            program = Path(folder) / name
            program.write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
            program.chmod(0o755)
        environment["PATH"] = f"{folder}{os.pathsep}{environment['PATH']}"
        ended = subprocess.run(
            [ROOT / "scripts" / "smoke", PROJECT], env=environment, capture_output=True, text=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (
        2,
        "Set CO_API_KEY: the functions embed with Cohere. Or try Vertex AI: --vertex.\n",
    )
