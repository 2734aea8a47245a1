"""Completions of the Model Context Protocol, by both official clients, with two tenants on one server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client as McpClient
from mcp.types import PromptReference, ResourceTemplateReference

from ragbase import Client
from scripts.locked import locked_modules
from scripts.running_server import running_server
from tests.clients.asked_server import HERE, ragbase_says
from tests.clients.node_programs import with_modules
from tests.clients.test_mcp_clients import over_http

pytestmark = pytest.mark.prove

REQUESTS: list[dict[str, Any]] = [
    {"ref": {"type": "ref/prompt", "name": "find_gaps"}, "argument": {"name": "subject", "value": "PUMP"}},
    {"ref": {"type": "ref/prompt", "name": "find_gaps"}, "argument": {"name": "subject", "value": "zzz"}},
    {
        "ref": {"type": "ref/resource", "uri": "ragbase://names/{+name}"},
        "argument": {"name": "name", "value": ""},
    },
]
NAMES = ("pumps/care.md", "pumps/spare parts.md", "leave.md")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a server, and a key for each tenant."""
    folder = tmp_path_factory.mktemp("tenants")
    settings = {
        "RAGBASE_HOME": str(folder / "home"),
        "RAGBASE_EMBEDDER": "hashing",
        "RAGBASE_TENANCY": "folder",
    }
    scopes = ("--scope", "read", "--scope", "write")
    text = (
        "# About {name}\n\nThe pumps of the {tenant} house want new oil every May. Ask the office for {name} first.\n"
    )
    keys = {}
    for tenant in ("red", "blue"):
        said = ragbase_says(settings, "keys", "create", tenant, "--tenant", tenant, *scopes, "--json")
        keys[tenant] = json.loads(said)["key"]
    with running_server(settings, folder / "log") as server:
        for tenant, key in keys.items():
            with Client(server.origin, key) as client:
                for name in NAMES if tenant == "red" else NAMES[:1]:
                    uploaded = client.upload(text.format(name=name, tenant=tenant).encode(), path=name)
                    assert client.wait(uploaded.id).status == "COMPLETED"
        yield server.origin, keys


def by_python(endpoint: str, key: str) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        async with McpClient(over_http(f"{endpoint}/mcp", {"Authorization": f"Bearer {key}"})) as client:
            found = []
            for request in REQUESTS:
                kind = PromptReference if request["ref"]["type"] == "ref/prompt" else ResourceTemplateReference
                completed = await client.complete(kind.model_validate(request["ref"]), request["argument"])
                found.append(completed.completion.model_dump(by_alias=True, exclude_none=True))
            return {"isDeclared": client.server_capabilities.completions is not None, "found": found}

    return anyio.run(ask)


def by_javascript(endpoint: str, key: str, folder: Path) -> dict[str, Any]:
    program = with_modules("complete_mcp.mjs", locked_modules(HERE / "node"), folder / "program")
    done = subprocess.run(
        ["node", program],
        input=json.dumps(REQUESTS),
        env={**os.environ, "ENDPOINT": endpoint, "KEY": key},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("language", ["python", "javascript"])
@pytest.mark.parametrize("tenant", ["red", "blue"])
def test_both_clients_complete_with_the_names_of_their_tenant(
    world: tuple[str, dict[str, str]], tenant: str, language: str, tmp_path: Path
) -> None:
    endpoint, keys = world
    said = (
        by_python(endpoint, keys[tenant]) if language == "python" else by_javascript(endpoint, keys[tenant], tmp_path)
    )
    assert said["isDeclared"]
    names = sorted(f"{tenant}/{name}" for name in (NAMES if tenant == "red" else NAMES[:1]))
    pumps = [name for name in names if "pump" in name]
    assert said["found"] == [
        {"values": pumps, "total": len(pumps), "hasMore": False},
        {"values": [], "total": 0, "hasMore": False},
        {"values": names, "total": len(names), "hasMore": False},
    ]
