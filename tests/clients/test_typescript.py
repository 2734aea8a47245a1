"""The TypeScript client: its own tests against a server, its package, and what it finds."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import ragbase
from scripts.local_cloud.pdf import pdf
from scripts.typescript_package import SOURCE, npm, npm_version, pack
from tests.clients.asked_server import HERE, AskedServer, results
from tests.clients.node_programs import installed, with_modules

pytestmark = pytest.mark.slow


TESTS = sorted(one.name for one in (SOURCE / "test").glob("*.test.ts"))


@pytest.fixture(scope="module")
def tested(built: Path) -> Path:
    """The folder with the client's own tests as JavaScript, and a PDF for them."""
    npm(built, "run", "build:test")
    (built / "handbook.pdf").write_bytes(pdf("Request leave two weeks before you go, with the form of your office."))
    return built


@pytest.mark.prove
@pytest.mark.parametrize("name", TESTS)
def test_its_own_tests_pass(name: str, own_server: AskedServer, tested: Path) -> None:
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", "--test-timeout=120000", f"build/{name.removesuffix('.ts')}.js"],
        cwd=tested,
        env={**os.environ, **own_server.variables, "HANDBOOK": str(tested / "handbook.pdf")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout and "# skipped 0" in done.stdout and "# pass 0" not in done.stdout


@pytest.mark.prove
def test_the_package_finds_what_the_server_finds(own_server: AskedServer, built: Path, tmp_path: Path) -> None:
    modules = installed(pack(built, tmp_path), tmp_path / "project")
    program = with_modules("ask_client.mjs", modules, tmp_path / "program")
    ours, theirs = own_server.found(), own_server.asked("node", program)
    assert [results(found) for found in theirs] == ours
    assert all(theirs[:-1]) and not theirs[-1]


@pytest.mark.prove
def test_the_package_has_code_types_and_licence_and_needs_nothing(built: Path, tmp_path: Path) -> None:
    modules = installed(pack(built, tmp_path), tmp_path / "project")
    assert [one.name for one in modules.iterdir() if not one.name.startswith(".")] == ["ragbase"]
    package = modules / "ragbase"
    assert {one.name for one in package.iterdir()} == {"LICENSE", "README.md", "dist", "package.json"}
    assert {"index.js", "index.d.ts", "openapi.d.ts"} <= {one.name for one in (package / "dist").iterdir()}
    described = json.loads((package / "package.json").read_text("utf-8"))
    assert described["version"] == npm_version(ragbase.__version__)
    assert "dependencies" not in described
    assert (package / "README.md").read_text("utf-8") == (SOURCE / "README.md").read_text("utf-8")


@pytest.mark.parametrize("folder", [SOURCE, HERE / "node"], ids=["client", "tests"])
def test_the_locks_have_hashes_and_no_addresses(folder: Path) -> None:
    listed = json.loads((folder / "package.json").read_text("utf-8"))
    lock = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    own = lock.pop("")
    kinds = ("dependencies", "devDependencies", "optionalDependencies")
    wanted, locked = ({name: one for kind in kinds for name, one in by.get(kind, {}).items()} for by in (listed, own))
    assert wanted == locked
    assert all(lock[f"node_modules/{name}"]["version"] == version for name, version in wanted.items())
    assert all("integrity" in one and "resolved" not in one for one in lock.values())
