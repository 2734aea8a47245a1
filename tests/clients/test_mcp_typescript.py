"""The official MCP client in TypeScript finds what our own client finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.locked_modules import locked_modules
from scripts.running_server import RAGBASE
from tests.clients.asked_server import HERE, AskedServer, results
from tests.clients.node_programs import with_modules

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("is_local", [False, True], ids=["streamable HTTP", "stdio"])
def test_it_finds_what_the_server_finds(server: AskedServer, tmp_path: Path, is_local: bool) -> None:
    program = with_modules("ask_mcp.mjs", locked_modules(HERE / "node"), tmp_path / "program")
    command = json.dumps([*RAGBASE, "mcp", "--endpoint", server.endpoint])
    local = {"COMMAND": command, "RAGBASE_KEY": server.key, "RAGBASE_HOME": str(tmp_path)} if is_local else {}
    ours, theirs = server.found(), server.asked("node", program, environment=local)
    assert [results(found) for found in theirs] == ours
