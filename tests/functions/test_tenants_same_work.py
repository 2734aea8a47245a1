"""The time of an answer does not tell whether an id is another tenant's: it takes the same calls of the adapters as an
id that nobody has. Calls are counted here, not seconds."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.token import Token
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.local_queue import LocalQueue
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.adapters.embedded.word_boxes import SqliteWordBoxes
from ragbase.adapters.google.document_store import FirestoreDocumentStore
from ragbase.adapters.qdrant.vector_store import QdrantVectorStore
from ragbase.adapters.weaviate.vector_store import WeaviateVectorStore
from ragbase.domain.reach import Reach
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.contract.adapters import DOCUMENT_STORES
from tests.contract.indexes import INDEXES
from tests.contract.test_document_store import document, put
from tests.functions.guarded import bearer
from tests.functions.tenant_world import TenantWorld, routes_of_documents

WATCHED = (
    FolderBucket,
    SqliteDocumentStore,
    LocalQueue,
    SqliteWordBoxes,
    SqliteVectorStore,
    QdrantVectorStore,
    WeaviateVectorStore,
)
GUIDE = b"---\ntags: [ops]\n---\n# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
NOTE = b"# Boilers\n\nThe boiler of the house is inspected once a year, and the backup valve is opened by a friend.\n"
STATES = ("done.md", "failed.md", "deleted.md", "waiting.md")
"""What blue has: a document in each state."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every call of an adapter, in order."""
    noted: list[str] = []

    def noting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*arguments: Any, **named: Any) -> Any:
            noted.append(name)
            return method(*arguments, **named)

        return call

    for adapter in WATCHED:
        for name, method in inspect.getmembers(adapter, inspect.isfunction):
            if not name.startswith("_"):
                monkeypatch.setattr(adapter, name, noting(f"{adapter.__name__}.{name}", method))
    return noted


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("weaviate", marks=pytest.mark.prove),
        pytest.param("qdrant", marks=pytest.mark.prove),
    ]
)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TenantWorld]:
    with INDEXES[request.param]() as opened:
        world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), indexes=opened())
        yield world
        world.close()


@pytest.fixture
def red(world: TenantWorld) -> Token:
    """Of red, which has one document; blue has four."""
    red, blue = world.key("red"), world.key("blue")
    world.upload(red, NOTE, path="note.md")
    for name, data in {"done.md": GUIDE, "failed.md": b"No.\n", "deleted.md": NOTE}.items():
        world.upload(blue, data, path=name)
    world.work()
    world.ask(blue, "DELETE", f"/api/documents/{world.id('blue/deleted.md')}")
    world.upload(blue, NOTE, path="waiting.md")
    return red


def taken(calls: list[str], work: Callable[[], object]) -> list[str]:
    """What the work calls."""
    calls.clear()
    work()
    return calls.copy()


def test_another_tenant_s_id_takes_the_calls_of_an_unknown_one_on_every_route(
    world: TenantWorld, red: Token, calls: list[str]
) -> None:
    for method, path in [*routes_of_documents(world), ("GET", "/api/documents/ID?wait=0.01")]:

        def ask(id: str, method: str = method, path: str = path) -> list[str]:
            return taken(calls, lambda: world.ask(red, method, path.replace("ID", id)))

        unknown = ask(str(uuid.uuid4()))
        assert len(unknown) == 1 or method in ("HEAD", "OPTIONS"), (method, path)
        for name in STATES:
            assert ask(world.id(f"blue/{name}")) == unknown, (method, path, name)


def test_another_tenant_s_id_takes_the_calls_of_an_unknown_one_in_a_callback_and_in_filters(
    world: TenantWorld, red: Token, calls: list[str]
) -> None:
    def callback(id: str) -> list[str]:
        said = {"documentId": id, "success": False}
        return taken(calls, lambda: world.ask(red, "POST", "/internal/callback", json=said))

    def query(**within: Any) -> list[str]:
        return taken(calls, lambda: world.query(red, "When does the nightly backup start?", filter=within))

    query(tags=["ops"])  # the first one opens the index
    unknown = str(uuid.uuid4())
    for name in STATES:
        id = world.id(f"blue/{name}")
        assert callback(id) == callback(unknown) != []
        assert query(documentIds=[id]) == query(documentIds=[unknown]) != []
        assert query(pathPrefix=f"blue/{name}") == query(pathPrefix="nowhere/a.md")
    own = world.id("red/note.md")
    both = [query(documentIds=[own, one]) for one in (world.id("blue/done.md"), unknown)]
    assert both[0] == both[1]
    assert query(tags=["ops"]) == query(tags=["nobody has it"])


@pytest.mark.parametrize(
    "store", [one if one == "sqlite" else pytest.param(one, marks=pytest.mark.prove) for one in DOCUMENT_STORES]
)
def test_nothing_is_read_of_a_record_that_is_not_seen_but_its_name(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decoded, and the statements and requests that a store sends, are those for an id that is not there."""
    sent: list[str] = []
    with DOCUMENT_STORES[store]() as documents:
        put(documents, document("theirs", name="blue/secret.md"))
        if isinstance(documents, SqliteDocumentStore):
            documents._database.reader.set_trace_callback(lambda statement: sent.append(statement.split("WHERE")[0]))
        if isinstance(documents, FirestoreDocumentStore):
            from google.cloud.firestore import DocumentReference

            get = DocumentReference.get

            def watched(self: Any, field_paths: Any = None, **options: Any) -> Any:
                sent.append(f"{field_paths}")
                return get(self, field_paths, **options)

            monkeypatch.setattr(DocumentReference, "get", watched)
        for adapter in ("embedded", "google"):
            decoder = f"ragbase.adapters.{adapter}.document_store.read_record"
            monkeypatch.setattr(decoder, lambda _: pytest.fail("decoded"))
        asked: dict[str, Any]
        for asked in ({"tenant": "red"}, {"reach": Reach.of(["red/", "blue/secret"])}):
            seen = []
            for id in ("theirs", "nobody's"):
                sent.clear()
                assert documents.get(id, **asked) is None
                seen.append(sent.copy())
            assert seen[0] == seen[1] and bool(seen[0]) is (store != "memory")


def test_a_name_that_another_tenant_has_takes_the_calls_of_any_other(
    world: TenantWorld, red: Token, calls: list[str]
) -> None:
    def upload(path: str) -> list[str]:
        return taken(calls, lambda: world.upload(red, GUIDE, path=path))

    def begin(path: str) -> list[str]:
        return taken(calls, lambda: world.ask(red, "POST", "/api/uploads", json={"path": path, "size": 9}))

    for name in STATES:
        assert begin(f"blue/{name}") == begin(f"nobody/{name}") == begin(f"big/{name}") != []
        assert upload(f"blue/{name}") == upload(f"nobody/{name}") == upload(name) != []


def test_another_tenant_s_name_takes_the_calls_of_an_unknown_one_as_a_resource(
    world: TenantWorld, red: Token, calls: list[str]
) -> None:
    """`POST /mcp` reads a resource by its name."""

    def read(name: str) -> list[str]:
        params = {"uri": f"ragbase://names/{name}"}
        message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params}
        accept = {"Accept": "application/json, text/event-stream"}
        return taken(calls, lambda: world.client.post("/mcp", headers={**bearer(red), **accept}, json=message))

    for name in STATES:
        assert read(f"blue/{name}") == read(f"nobody/{name}") != []
