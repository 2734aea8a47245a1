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


ALL = sorted(main.parent.name for main in ROOT.glob("functions/*/main.py"))


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder with all functions, and what the script printed."""
    folder = tmp_path_factory.mktemp("staged")
    return folder, stage(folder)


@pytest.mark.slow
def test_every_function_is_staged_with_all_it_needs(staged: tuple[Path, dict[str, str]]) -> None:
    folder, names = staged
    assert sorted(names) == ALL
    for name in names:
        with zipfile.ZipFile(folder / f"{name}.zip") as archive:
            files = set(archive.namelist())
        assert {"main.py", "requirements.txt", "ragbase/__init__.py"} <= files
        assert all((folder / name / file).is_file() for file in files)
        requirements = (folder / name / "requirements.txt").read_text(encoding="utf-8")
        assert "functions-framework==" in requirements
        assert ("weaviate-client==" in requirements) is (name in ("fast_lane", "heavy_lane", "janitor", "api"))


NOT_DEPLOYED = ("interfaces/cli", "interfaces/demo", "adapters/embedded", "engine/engine", "testing")


@pytest.mark.slow
def test_a_function_holds_what_it_can_reach_and_nothing_else(staged: tuple[Path, dict[str, str]]) -> None:
    ports = {f"ports/{file.name}" for file in (ROOT / "common" / "ragbase" / "ports").glob("*.py")}
    folder, names = staged
    for name in names:
        package = folder / name / "ragbase"
        files = {file.relative_to(package).as_posix() for file in package.glob("**/*.py")}
        assert "settings.py" in files and "bootstrap/cloud.py" in files
        assert ports <= files, name
        assert [file for file in files if file.startswith(NOT_DEPLOYED)] == [], name
        for served in ("page/index.html", "embed/ragbase-ask.js", "embed/strings/en.json"):
            assert (package / "interfaces/console" / served).is_file() is (name == "api"), name
        assert ("pipeline/process.py" in files) is name.endswith("_lane")
        assert ("retrieval/search.py" in files) is (name == "api")
        assert ("sources/slice.py" in files) is (name == "sources")
        assert ("upkeep/janitor.py" in files) is (name == "janitor")


@pytest.mark.slow
def test_equal_sources_give_equal_bytes(tmp_path: Path, staged: tuple[Path, dict[str, str]]) -> None:
    folder, printed = staged
    assert stage(tmp_path, "router") == {"router": printed["router"]}
    assert (tmp_path / "router.zip").read_bytes() == (folder / "router.zip").read_bytes()


def test_an_unknown_function_is_named(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "stage-functions"), str(tmp_path), "rooter"]
    ended = subprocess.run(script, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "rooter" in ended.stderr and "router" in ended.stderr
