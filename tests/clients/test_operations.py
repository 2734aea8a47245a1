"""Both clients have each operation of /openapi.json that is meant for programs, as methods of the same names."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragbase import Client
from ragbase.client.errors import ApiError
from ragbase.client.operator import Operator
from ragbase.interfaces.api.description import document
from scripts.typescript_package import ROOT
from tests.clients.node_programs import with_modules
from tests.unit.client.scripted_server import Script, Step, refusal, scripted_server

pytestmark = pytest.mark.slow

ID, QUESTION = "abc", "When?"
METHODS: Mapping[str, tuple[Sequence[Any], Mapping[str, Any]]] = {
    "signIn": (["correct horse"], {}),
    "signOut": ([], {}),
    "session": ([], {}),
    "upload": (["a file"], {"path": "a.md"}),
    "wait": ([ID], {}),
    "query": ([QUESTION], {}),
    "explain": ([QUESTION, ID], {}),
    "answer": ([QUESTION], {}),
    "answerParts": ([QUESTION], {}),
    "goldenQuestions": ([], {}),
    "keepGoldenQuestion": ([QUESTION, ID], {}),
    "removeGoldenQuestion": ([ID], {}),
    "list": ([], {}),
    "page": ([], {}),
    "counts": ([], {}),
    "get": ([ID], {}),
    "delete": ([ID], {}),
    "retry": ([ID], {}),
    "reread": ([ID], {}),
    "chunks": ([ID], {}),
    "text": ([ID], {}),
    "content": ([ID], {}),
    "pages": ([ID], {}),
    "pageImage": ([ID, 1], {}),
    "pageMarks": ([ID, 1, 0, 9], {}),
    "events": ([], {}),
    "operator.health": ([], {}),
    "operator.rate": ([], {}),
    "operator.sources": ([], {}),
    "operator.reconciliation": ([], {}),
    "operator.evaluations": ([], {}),
    "operator.audit": ([], {}),
    "operator.tenants": ([], {}),
    "operator.keys": ([], {}),
    "operator.createKey": (["robot"], {}),
    "operator.revokeKey": ([ID], {}),
    "operator.deadLetters": ([], {}),
    "operator.deadLetter": ([ID], {}),
    "operator.replay": ([ID], {}),
}
"""All methods that both clients have, with arguments."""

WITHOUT_REQUEST = {"close": "fetch has no connections to close, so the TypeScript client has no such method"}
"""The methods of one client that ask nothing."""

_COOKIE = "a page of the server signs in with a cookie: a program has a key, or `signIn`"
_OPENAI = "programs that speak OpenAI's API have its own client (docs/openai-and-dify.md)"
_EXTRACTOR = "an extractor elsewhere asks it, which is a service of its own (docs/extractor.md)"
_PROBE = "a probe of an orchestrator or proxy asks it, without a client: `operator.health` says more"
LEFT_OUT = {
    "beginSession": _COOKIE,
    "endSession": _COOKIE,
    "listVectorStores": _OPENAI,
    "getVectorStore": _OPENAI,
    "searchVectorStore": _OPENAI,
    "listVectorStoreFiles": _OPENAI,
    "getVectorStoreFile": _OPENAI,
    "deleteVectorStoreFile": _OPENAI,
    "getVectorStoreFileContent": _OPENAI,
    "retrieve": "Dify asks it (docs/openai-and-dify.md)",
    "callback": _EXTRACTOR,
    "listExtractions": _EXTRACTOR,
    "mcp": "assistants and the SDKs of MCP speak it (docs/mcp.md)",
    "isAlive": _PROBE,
    "isAliveOnCloudRun": _PROBE,
    "isReady": _PROBE,
    "isReadyOnCloudRun": _PROBE,
}
"""The operations without a method, and why a program does not call them by a client of ragbase."""

DESCRIBED: Mapping[tuple[str, re.Pattern[str]], str] = {
    (verb.upper(), re.compile(re.sub(r"\\{[^}]*}", "[^/]+", re.escape(path)))): operation["operationId"]
    for path, operations in document(is_open=False)["paths"].items()
    for verb, operation in operations.items()
}
"""The operations of /openapi.json, by method and path."""


@pytest.fixture
def script() -> Iterator[Script]:
    """A server that knows nothing, and that takes no file in a form: so a client begins an upload."""

    def step(handler: Any) -> None:
        is_form = (handler.command, handler.path) == ("POST", "/api/documents")
        answering: Step = refusal(413 if is_form else 404, "NOT_FOUND", "There is no such thing.")
        answering(handler)

    with scripted_server() as script:
        script.then(*[step] * 3 * len(METHODS))
        yield script


def operations(script: Script) -> dict[str, set[str]]:
    """Which operations each method has asked for. The key of its requests names it."""
    found: dict[str, set[str]] = defaultdict(set)
    for asked in script.asked:
        path = asked.path.partition("?")[0]
        (operation,) = (id for (verb, like), id in DESCRIBED.items() if verb == asked.method and like.fullmatch(path))
        found[asked.headers["authorization"].removeprefix("Bearer ")].add(operation)
    return found


def snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def of_python(script: Script) -> dict[str, set[str]]:
    for name, (arguments, options) in METHODS.items():
        with Client(script.url, name) as client:
            group, _, method = snake_case(name).rpartition(".")
            given = [arguments[0].encode()] if name == "upload" else arguments
            with pytest.raises(ApiError):
                called = getattr(getattr(client, group) if group else client, method)(*given, **options)
                next(iter(called))
    return operations(script)


def of_typescript(script: Script, program: Path) -> tuple[dict[str, set[str]], list[str]]:
    """The operations of each method, and the names of all methods."""
    done = subprocess.run(
        ["node", program, script.url], input=json.dumps(METHODS), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return operations(script), json.loads(done.stdout)


def test_every_operation_for_programs_has_a_method(script: Script) -> None:
    """A new operation fails here: give it a method in both clients, or name it in LEFT_OUT."""
    asked = set[str]().union(*of_python(script).values())
    assert asked | LEFT_OUT.keys() == set(DESCRIBED.values())
    assert not asked & LEFT_OUT.keys()


def test_both_clients_ask_the_same_by_the_same_names(script: Script, built: Path, tmp_path: Path) -> None:
    ours = of_python(script)
    script.asked.clear()
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "ragbase").symlink_to(built)
    theirs, methods = of_typescript(script, with_modules("call_methods.mjs", modules, tmp_path / "program"))
    assert theirs == ours
    assert sorted(methods) == sorted(METHODS)


def test_the_python_client_has_no_other_methods() -> None:
    own = {name for name, _ in inspect.getmembers(Client, inspect.isfunction) if not name.startswith("_")}
    operator = {f"operator.{name}" for name, _ in inspect.getmembers(Operator, inspect.isfunction) if name[0] != "_"}
    assert own | operator == {snake_case(name) for name in METHODS} | WITHOUT_REQUEST.keys()


@pytest.mark.parametrize(("page", "spelled"), [("client.md", snake_case), ("typescript.md", str)])
def test_the_pages_name_every_method(page: str, spelled: Any) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    named = set(re.findall(r"`(?:operator\.)?(\w+)\(", text))
    assert {spelled(name).removeprefix("operator.") for name in METHODS} <= named
