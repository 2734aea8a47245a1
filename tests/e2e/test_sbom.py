"""The software bill of materials names what the lock files lock."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ragbase.version import current_version
from scripts.locked import NotInstalled
from scripts.write_sbom import what_runs, write_sbom

pytestmark = pytest.mark.slow

PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:\[.*\])?==([^\s;]+)", re.MULTILINE)
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@pytest.mark.prove
def test_it_has_every_package_and_every_hash_of_a_lock_file(tmp_path: Path) -> None:
    lock = next(path for path in what_runs() if path.stem == "router")
    try:
        written = write_sbom(lock, tmp_path)
    except NotInstalled as error:
        pytest.skip(str(error))
    bill = json.loads(written.read_text(encoding="utf-8"))
    subject = bill["metadata"]["component"]
    assert (subject["name"], subject["version"]) == ("ragbase", current_version())
    components = bill["components"]
    locked = lock.read_text(encoding="utf-8")
    assert {(one["name"], one["version"]) for one in components} == set(PIN.findall(locked))
    files = {
        digest["content"] for one in components for place in one["externalReferences"] for digest in place["hashes"]
    }
    assert files == set(HASH.findall(locked))


def test_every_lock_file_of_what_runs_has_one() -> None:
    root = what_runs()[0].parent
    not_run = {"clients", "container", "docs", "image-build", "openai", "peers", "release", "sbom", "scan", "servers"}
    not_run |= {"mutants", "test", "uv", "workflows"}
    not_run |= {"core", *(extra.stem for extra in (root / "extras").glob("*.txt"))}  # parts of local.txt
    assert {path.stem for path in root.rglob("*.txt")} - not_run == {path.stem for path in what_runs()}
