"""The script of Weaviate's VM that asks Secret Manager for the keys. Google is a program that answers as it does."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.terraform.configured import ROOT

CONFIGURATION = ROOT / "terraform" / "modules" / "weaviate" / "cloud-config.yaml.tftpl"
CURL = """#!/bin/sh
# The last word is the address. A version that is disabled or was never made is refused, as by Google.
for address; do :; done
case "$address" in
  *metadata*) printf '{"access_token":"a-token","expires_in":3599,"token_type":"Bearer"}' ;;
  *":access") file=$PLACE/$(basename "$address" :access); [ -e "$file" ] || exit 22; cat "$file" ;;
esac
"""


def version(number: int, key: str) -> str:
    """What `versions.access` answers (cloud.google.com/secret-manager/docs/reference/rest)."""
    data = base64.b64encode(key.encode()).decode()
    name = f"projects/4711/secrets/ragbase-weaviate-api-key/versions/{number}"
    return json.dumps({"name": name, "payload": {"data": data, "dataCrc32c": "1"}}, indent=2)


def keys(place: Path, versions: Mapping[str, str]) -> str:
    """What keys.sh prints for these versions of the secret."""
    files = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["write_files"]
    (script,) = (file["content"] for file in files if file["path"].endswith("keys.sh"))
    script = script.replace("${project}", "p").replace("${secret}", "ragbase-weaviate-api-key")
    program = place / "curl"
    program.write_text(CURL)
    program.chmod(0o755)
    for name, answer in versions.items():
        (place / name).write_text(answer)
    environment = {**os.environ, "PATH": f"{place}{os.pathsep}{os.environ['PATH']}", "PLACE": str(place)}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("versions", "accepted"),
    [
        ({"latest": version(1, "first")}, "first"),
        ({"latest": version(2, "second"), "1": version(1, "first")}, "second,first"),
        ({"latest": version(3, "third")}, "third"),
        (
            {"latest": version(12, "twelfth"), "11": version(11, "eleventh"), "1": version(1, "first")},
            "twelfth,eleventh",
        ),
    ],
    ids=["the first key", "a new key", "the key before is disabled", "many versions"],
)
def test_the_newest_key_and_the_one_before_are_valid(
    tmp_path: Path, versions: Mapping[str, str], accepted: str
) -> None:
    assert keys(tmp_path, versions) == f"AUTHENTICATION_APIKEY_ALLOWED_KEYS={accepted}\n"


def test_a_stop_of_the_vm_lets_weaviate_save_what_it_has() -> None:
    """In reverse order of the start: Weaviate before Docker, and all within the 90 s that Compute Engine waits."""
    files = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["write_files"]
    (unit,) = (file["content"] for file in files if file["path"].endswith("/weaviate.service"))
    lines = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith((" ", "#")))
    assert "docker.service" in lines["After"].split()
    stop = lines["ExecStop"].split()
    assert stop[:2] == ["/usr/bin/docker", "stop"]
    assert int(stop[stop.index("--time") + 1]) < int(lines["TimeoutStopSec"]) < 90
