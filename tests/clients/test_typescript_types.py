"""The types of the package in a project of a user: strict, with each way of resolving modules, and with their words."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from scripts.typescript_package import pack
from tests.clients.asked_server import HERE
from tests.clients.node_programs import installed

pytestmark = pytest.mark.prove

NODE = {"lib": ["ES2022"], "types": ["node"]}
BROWSER = {"lib": ["ES2022", "DOM", "DOM.Iterable"], "types": []}
PROJECTS = {
    "node16": {"module": "node16", "moduleResolution": "node16", **NODE},
    "nodenext": {"module": "nodenext", "moduleResolution": "nodenext", **NODE},
    "bundler": {"module": "esnext", "moduleResolution": "bundler", **BROWSER},
    "node10": {"module": "esnext", "moduleResolution": "node10", **BROWSER},
}


@pytest.fixture(scope="module")
def project(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project with the package, a program, and the types of Node, which the user has from elsewhere."""
    folder = tmp_path_factory.mktemp("types")
    modules = installed(pack(built, folder), folder / "project")
    (modules / "@types").mkdir()
    for name in ("@types/node", "undici-types"):
        (modules / name).symlink_to(built / "node_modules" / name)
    shutil.copy(HERE / "use_types.ts", folder / "project")
    return folder / "project"


@pytest.mark.parametrize("options", PROJECTS.values(), ids=PROJECTS)
def test_a_strict_program_compiles(options: dict[str, Any], project: Path, built: Path) -> None:
    strict = ("strict", "exactOptionalPropertyTypes", "noUncheckedIndexedAccess", "noPropertyAccessFromIndexSignature")
    settings = {"target": "ES2022", "noEmit": True, "skipLibCheck": False, **options, **dict.fromkeys(strict, True)}
    (project / "tsconfig.json").write_text(json.dumps({"compilerOptions": settings, "include": ["*.ts"]}), "utf-8")
    done = subprocess.run([built / "node_modules/.bin/tsc"], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["client", "operator"])
def test_an_editor_shows_what_each_method_does(name: str, project: Path) -> None:
    lines = (project / f"node_modules/ragbase/dist/{name}.d.ts").read_text("utf-8").splitlines()
    methods = [at for at, line in enumerate(lines) if re.match(r" {4}\w+\(", line) and "constructor" not in line]
    assert len(methods) > 10
    assert [lines[at] for at in methods if lines[at - 1].strip()[-2:] != "*/"] == []


def test_npm_finds_what_it_shows(project: Path) -> None:
    package = project / "node_modules/ragbase"
    described = json.loads((package / "package.json").read_text("utf-8"))
    assert {"name", "version", "description", "keywords", "license", "engines", "sideEffects"} <= described.keys()
    assert (described["type"], described["engines"], described["sideEffects"]) == ("module", {"node": ">=20.3"}, False)
    named = [described["main"], described["types"], *described["exports"]["."].values()]
    assert all((package / name).is_file() for name in named)
    assert not re.findall(r"\]\((?!https://)", (package / "README.md").read_text("utf-8"))
