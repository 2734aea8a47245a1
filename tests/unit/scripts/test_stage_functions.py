"""scripts/stage-functions: equal sources give equal bytes."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def stage(folder: Path, *names: str) -> dict[str, str]:
    script = [sys.executable, str(ROOT / "scripts" / "stage-functions"), str(folder), *names]
    printed = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in printed.splitlines())


@pytest.mark.slow
def test_every_function_is_staged_with_all_it_needs(tmp_path: Path) -> None:
    staged = stage(tmp_path)
    assert sorted(staged) == sorted(main.parent.name for main in ROOT.glob("functions/*/main.py"))
    for name in staged:
        with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
            files = set(archive.namelist())
        assert {"main.py", "requirements.txt", "ragbase/__init__.py"} <= files
        assert all((tmp_path / name / file).is_file() for file in files)
        requirements = (tmp_path / name / "requirements.txt").read_text(encoding="utf-8")
        assert "functions-framework==" in requirements
        assert ("weaviate-client==" in requirements) is (name in ("fast_lane", "heavy_lane", "janitor", "api"))


NOT_DEPLOYED = ("interfaces/cli", "interfaces/demo", "adapters/embedded", "engine/engine", "testing")


@pytest.mark.slow
def test_a_function_holds_what_it_can_reach_and_nothing_else(tmp_path: Path) -> None:
    ports = {f"ports/{file.name}" for file in (ROOT / "common" / "ragbase" / "ports").glob("*.py")}
    stage(tmp_path)
    for main in ROOT.glob("functions/*/main.py"):
        staged = {
            file.relative_to(tmp_path / main.parent.name / "ragbase").as_posix()
            for file in tmp_path.glob(f"{main.parent.name}/ragbase/**/*.py")
        }
        assert "settings.py" in staged and "bootstrap/cloud.py" in staged
        assert ports <= staged, main
        assert [file for file in staged if file.startswith(NOT_DEPLOYED)] == [], main
        console = tmp_path / main.parent.name / "ragbase/interfaces/console"
        for served in ("page/index.html", "embed/ragbase-ask.js", "embed/strings/en.json"):
            assert (console / served).is_file() is (main.parent.name == "api"), main
        assert ("pipeline/process.py" in staged) is main.parent.name.endswith("_lane")
        assert ("retrieval/search.py" in staged) is (main.parent.name == "api")
        assert ("sources/slice.py" in staged) is (main.parent.name == "sources")
        assert ("upkeep/janitor.py" in staged) is (main.parent.name == "janitor")


@pytest.mark.slow
def test_equal_sources_give_equal_bytes(tmp_path: Path) -> None:
    assert stage(tmp_path / "one", "router") == stage(tmp_path / "two", "router")
    assert (tmp_path / "one" / "router.zip").read_bytes() == (tmp_path / "two" / "router.zip").read_bytes()


def test_an_unknown_function_is_named(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "stage-functions"), str(tmp_path), "rooter"]
    ended = subprocess.run(script, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "rooter" in ended.stderr and "router" in ended.stderr
