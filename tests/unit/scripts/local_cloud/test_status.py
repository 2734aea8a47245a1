"""`scripts/dev status` only looks: it gets, sets up and starts nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ragbase.config import load_config
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.local_parts import FUNCTIONS, PORTS, SERVERS, Layout
from scripts.local_cloud.wiring import SERVICES

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("service", SERVICES)
def test_the_status_of_parts_whose_servers_are_missing_gets_none_of_them(
    service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("it gets a server")

    for module, getter in (("storage", "storage_binary"), ("weaviate", "weaviate_binary"), ("emulators", "_java")):
        monkeypatch.setattr(f"scripts.local_cloud.{module}.{getter}", refused)
    assert LocalCloud(tmp_path / "down").status() == [] and not (tmp_path / "down").exists()
    state = {"first_port": 20_000, "vectors": "hashing", "rate": 0, "processes": {}, "service": service}
    (tmp_path / "state.json").write_text(json.dumps(state))
    parts = LocalCloud(tmp_path).status()
    other = {*SERVICES} - {service}
    assert [part.name for part in parts] == [*(name for name in SERVERS if name not in other), *FUNCTIONS]
    assert {part.health for part in parts} == {"stopped"}
    assert {part.port - 20_000 for part in parts} <= set(range(PORTS))
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_the_status_of_a_checkout_in_which_nothing_is_set_up_sets_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("dev", "environment"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    done = subprocess.run(
        [tmp_path / "scripts" / "dev", "status"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1 and "Start it: scripts/dev up" in done.stderr
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["dev", "environment", "scripts"]


def test_with_vertex_ai_the_local_cloud_has_no_key(tmp_path: Path) -> None:
    settings = Layout(tmp_path, 20_000, "hashing", service="vertex").wiring.settings()
    assert not [name for name in settings if name.startswith("CO_") or "KEY" in name]
    assert load_config(home=tmp_path, environment=settings).embedder == "vertex"
