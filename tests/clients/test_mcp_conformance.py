"""The official conformance suite of the Model Context Protocol on `ragbase serve`, which answers without keys."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from ragbase import Client
from scripts.locked import locked_modules
from scripts.running_server import running_server
from tests.clients.asked_server import DOCUMENTS, HERE, ragbase_says

pytestmark = pytest.mark.prove

SUITE = "@modelcontextprotocol/conformance"

AS_THEY_ARE = {
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
}

OF_OURS: Mapping[str, Mapping[str, str]] = {
    "completion-complete": {
        "name:`test_prompt_with_arguments`},argument:{name:`arg1`,": "name:`find_gaps`},argument:{name:`subject`,"
    },
    "tools-call-simple-text": {"callTool({name:`test_simple_text`})": "callTool({name:`list_documents`})"},
    "tools-call-error": {
        "callTool({name:`test_error_handling`,arguments:{}})": "callTool({name:`search`,arguments:{}})"
    },
    "resources-read-text": {"readResource({uri:`test://static-text`})": "readResource({uri:`ragbase://documents/ID`})"},
    "resources-templates-read": {
        "readResource({uri:`test://template/123/data`})": "readResource({uri:`ragbase://documents/ID`})",
        "n.includes(`123`)": "n.includes(`ID`)",
    },
    "prompts-get-simple": {
        "getPrompt({name:`test_simple_prompt`})": "getPrompt({name:`find_gaps`,arguments:{subject:`backups`}})"
    },
    "prompts-get-with-args": {
        "getPrompt({name:`test_prompt_with_arguments`,arguments:{arg1:`testValue1`,arg2:`testValue2`}})": (
            "getPrompt({name:`find_gaps`,arguments:{subject:`testValue1 testValue2`}})"
        )
    },
}
"""Scenarios that name a tool, a resource or a prompt of the suite's example server. They run in a changed copy of the
suite: each text of it, and the same for ragbase. ID stands for a document's id, which the scenario of the template then
looks for in the answer instead of 123. Prompts of ragbase take one argument, so two values come in one and a prompt
without arguments gets one. The other checks stay as they are."""

_NO_TOOL = "no tool of ragbase answers with this"
_NOT_ASKED = "ragbase asks a client for nothing: it has no sampling and no elicitation"
_NO_STREAM = "POST /mcp has no sessions and no streams"
_NO_LOG = "ragbase declares no logging: its log is the operator's"
_NO_SUBSCRIPTION = "ragbase declares no subscriptions, which need a session"
_ONLY_TEXT = "the prompts and resources of ragbase are texts"
LEFT_OUT = {
    "logging-set-level": _NO_LOG,
    "tools-call-with-logging": _NO_LOG,
    "tools-call-image": _NO_TOOL,
    "tools-call-audio": _NO_TOOL,
    "tools-call-embedded-resource": _NO_TOOL,
    "tools-call-mixed-content": _NO_TOOL,
    "tools-call-with-progress": _NO_STREAM,
    "tools-call-sampling": _NOT_ASKED,
    "tools-call-elicitation": _NOT_ASKED,
    "elicitation-sep1034-defaults": _NOT_ASKED,
    "elicitation-sep1330-enums": _NOT_ASKED,
    "json-schema-2020-12": "it wants $defs, and the schemas of ragbase have none (interfaces/mcp/schemas.py)",
    "server-sse-polling": _NO_STREAM,
    "server-sse-multiple-streams": _NO_STREAM,
    "resources-read-binary": _ONLY_TEXT,
    "resources-subscribe": _NO_SUBSCRIPTION,
    "resources-unsubscribe": _NO_SUBSCRIPTION,
    "prompts-get-embedded-resource": _ONLY_TEXT,
    "prompts-get-with-image": _ONLY_TEXT,
}
"""Why a scenario is not run."""


@pytest.fixture(scope="module")
def modules() -> Path:
    return locked_modules(HERE / "node")


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without keys: the suite sends none."""
    folder = tmp_path_factory.mktemp("conformance")
    settings = {"RAGBASE_HOME": str(folder / "home"), "RAGBASE_EMBEDDER": "hashing"}
    (folder / "backups.md").write_text(DOCUMENTS["backups.md"], encoding="utf-8")
    ragbase_says(settings, "ingest", "backups.md", folder=folder)
    with running_server(settings, folder / "log") as server:
        yield server.origin


def node(modules: Path) -> Path:
    """Node 22, which the suite needs: the lock has it for Linux on x64. Elsewhere the machine's must be as new."""
    locked = modules / ".bin/node"
    return locked if locked.exists() else Path("node")


def conformance(modules: Path, suite: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [node(modules), suite / "dist/index.js", *arguments], capture_output=True, text=True, check=False
    )


def with_requests(suite: Path, requests: Mapping[str, str], folder: Path) -> Path:
    """A copy of the suite that sends these requests instead of its own."""
    shutil.copytree(suite, folder / "suite")
    (folder / "node_modules").symlink_to(suite.parents[1])
    program = folder / "suite/dist/index.js"
    text = program.read_text(encoding="utf-8")
    for theirs, ours in requests.items():
        assert text.count(theirs) == 1, f"the suite does not send {theirs} once"
        text = text.replace(theirs, ours)
    program.write_text(text, encoding="utf-8")
    return folder / "suite"


def statuses(modules: Path, suite: Path, endpoint: str, scenario: str, folder: Path) -> Mapping[str, str]:
    """The status of each check of the scenario."""
    done = conformance(
        modules, suite, "server", "--url", f"{endpoint}/mcp", "--scenario", scenario, "--output-dir", str(folder)
    )
    (file,) = folder.rglob("checks.json")
    checks = json.loads(file.read_text(encoding="utf-8"))
    assert done.returncode == 0, [check for check in checks if check["status"] != "SUCCESS"]
    return {check["id"]: check["status"] for check in checks}


def test_each_scenario_of_the_suite_is_run_or_left_out_for_a_reason(modules: Path) -> None:
    listed = conformance(modules, modules / SUITE, "list", "--server")
    named = {line.split()[1] for line in listed.stdout.splitlines() if line.startswith("  - ")}
    assert len(named) > 30, listed.stderr
    assert named == AS_THEY_ARE | set(OF_OURS) | set(LEFT_OUT)
    assert len(named) == len(AS_THEY_ARE) + len(OF_OURS) + len(LEFT_OUT)


@pytest.mark.parametrize("scenario", sorted(AS_THEY_ARE))
def test_the_server_passes_as_the_suite_asks(modules: Path, endpoint: str, scenario: str, tmp_path: Path) -> None:
    found = statuses(modules, modules / SUITE, endpoint, scenario, tmp_path)
    assert set(found.values()) == {"SUCCESS"}


@pytest.mark.parametrize("scenario", OF_OURS)
def test_the_server_passes_with_its_own_names(modules: Path, endpoint: str, scenario: str, tmp_path: Path) -> None:
    with Client(endpoint) as client:
        (document,) = client.list()
    requests = {
        theirs: ours.replace("`ID`", f"`{document.id}`").replace("/ID`", f"/{document.id}`")
        for theirs, ours in OF_OURS[scenario].items()
    }
    suite = with_requests(modules / SUITE, requests, tmp_path)
    found = statuses(modules, suite, endpoint, scenario, tmp_path / "found")
    assert set(found.values()) == {"SUCCESS"}
