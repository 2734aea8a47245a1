"""The script of Weaviate's VM that restarts a Weaviate that hangs. Docker, Weaviate and the clock are programs that
play a scene: what the script meets every 30 seconds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from tests.terraform.configured import ROOT

CONFIGURATION = ROOT / "terraform" / "modules" / "weaviate" / "cloud-config.yaml.tftpl"
PROGRAMS = {
    # The next moment of the scene begins. After the last one, the script's loop ends.
    "sleep": """#!/bin/sh
moment=$(($(cat "$PLACE/moment") + 1)); echo $moment > "$PLACE/moment"; [ -e "$PLACE/scene/$moment" ]
""",
    # When the container started, as `docker inspect` prints it. It fails if there is none.
    "docker": """#!/bin/sh
[ "$1 $2 $3" = "inspect --format {{.State.StartedAt}}" ] || exit 2
read container health < "$PLACE/scene/$(cat "$PLACE/moment")"
[ "$container" != none ] && echo "2026-11-27T03:00:0$container.5Z"
""",
    "curl": """#!/bin/sh
for address; do :; done
read container health < "$PLACE/scene/$(cat "$PLACE/moment")"
case "$health $address" in
  ready*|"live "*/v1/.well-known/live) ;;
  *) exit 22 ;;
esac
""",
    "systemctl": """#!/bin/sh
echo "$(cat "$PLACE/moment") $*" >> "$PLACE/restarts"
""",
}
PULLED, LOADING, SILENT, READY = "none dead", "1 live", "1 dead", "1 ready"
"""No container yet; one that answers, but is not ready; one that does not answer; one that is ready."""


def watched(place: Path, scene: Sequence[str], *, again: Sequence[str] = ()) -> tuple[list[int], str]:
    """In which moments Weaviate is restarted, and what the script prints. It starts a second time for the scene
    `again`, as after a crash of its own."""
    files = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["write_files"]
    (script,) = (file["content"] for file in files if file["path"].endswith("watch.sh"))
    script = script.replace("/run/", f"{place}/")
    for name, text in PROGRAMS.items():
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    (place / "moment").write_text("0")
    (place / "scene").mkdir()
    environment = {**os.environ, "PATH": f"{place}{os.pathsep}{os.environ['PATH']}", "PLACE": str(place)}
    printed = ""
    for part in (scene, again) if again else (scene,):
        first = len(list((place / "scene").iterdir())) + 1
        for moment, state in enumerate(part, first):
            (place / "scene" / str(moment)).write_text(f"{state}\n")
        (place / "moment").write_text(str(first - 1))
        command = ["bash", "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert not done.stderr, done.stderr
        printed += done.stdout
    restarts = place / "restarts"
    lines = restarts.read_text().splitlines() if restarts.exists() else []
    assert all(line.endswith(" restart weaviate.service") for line in lines), lines
    return [int(line.split()[0]) for line in lines], printed


@pytest.mark.parametrize(
    "scene",
    [
        [LOADING] * 45,
        [SILENT] * 45,
        [PULLED] * 45,
        [READY, *[SILENT] * 19, READY, *[SILENT] * 19, READY],
        [READY, *[SILENT] * 10, *[PULLED] * 2, *["2 live"] * 30, "2 ready"],
    ],
    ids=["a large index", "no answer while it starts", "a slow pull", "short pauses", "a new container loads, too"],
)
def test_what_only_takes_long_is_not_restarted(tmp_path: Path, scene: Sequence[str]) -> None:
    assert watched(tmp_path, scene)[0] == []


@pytest.mark.parametrize("hung", [SILENT, LOADING], ids=["no answer", "an answer, but never ready again"])
def test_a_weaviate_that_was_ready_and_hangs_is_restarted_after_10_minutes(tmp_path: Path, hung: str) -> None:
    restarts, printed = watched(tmp_path, [LOADING, READY, *[hung] * 20])
    assert restarts == [22]
    assert "was ready, and has not been for 10 minutes" in printed


def test_after_a_restart_the_new_container_has_its_time_to_load(tmp_path: Path) -> None:
    restarts, _ = watched(tmp_path, [READY, *[SILENT] * 20, PULLED, *["2 live"] * 45, "2 ready", *["2 dead"] * 20])
    assert restarts == [21, 88]


def test_a_hang_is_also_seen_by_a_script_that_was_started_again(tmp_path: Path) -> None:
    assert watched(tmp_path, [READY], again=[SILENT] * 20)[0] == [21]


def test_the_log_says_every_10_minutes_that_it_waits_and_for_what(tmp_path: Path) -> None:
    _, printed = watched(tmp_path, [*[SILENT] * 20, *[LOADING] * 20])
    since = "Weaviate has not been ready since its start"
    assert printed.splitlines() == [
        f"{since}, 10 minutes ago. It does not answer yet. It is not restarted.",
        f"{since}, 20 minutes ago. It answers, and loads its index. It is not restarted.",
    ]
