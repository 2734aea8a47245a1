"""/api/keys: list, make and revoke keys. Nobody gets more by it than they have."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.caller import EVERYTHING
from ragbase.access.daily_limits import Limited
from ragbase.access.token import Token
from ragbase.adapters.embedded.audit_log import FILE, SqliteAuditLog
from ragbase.telemetry import JsonFormatter
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import PASSWORD, api, bearer, hash_of, login, refused
from tests.functions.tenant_world import TenantWorld


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def world(tmp_path: Path, clock: VirtualClock) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), clock, password_hash=hash_of())
    yield world
    world.close()


@pytest.fixture
def operator(world: TenantWorld) -> dict[str, str]:
    """With the password: nothing bounds it."""
    return bearer(login(world.client, PASSWORD).json["token"])


def create(world: TenantWorld, headers: dict[str, str], **wanted: Any) -> Any:
    return world.client.post("/api/keys", headers=headers, json={"name": "robot", **wanted})


def created(world: TenantWorld, headers: dict[str, str], **wanted: Any) -> Any:
    answer = create(world, headers, **wanted)
    assert answer.status_code == 201, answer.data
    return answer.json


def listed(world: TenantWorld, headers: dict[str, str], **parameters: Any) -> Any:
    answer = world.client.get("/api/keys", headers=headers, query_string=parameters)
    assert answer.status_code == 200, answer.data
    return answer.json


def test_a_key_is_made_used_listed_and_revoked(
    world: TenantWorld, operator: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "ragbase"):
        made = create(
            world,
            operator,
            scopes=["read", "write"],
            tenant="red",
            prefixes=["reports/"],
            expires=30,
            limits={"requests": 3, "bytes": 1_000_000},
        )
    assert made.status_code == 201 and made.headers["Cache-Control"] == "no-store"
    key = made.json["key"]
    assert made.json["prefixes"] == ["red/reports/"] and made.json["scopes"] == ["read", "write"]
    assert world.client.get("/api/documents", headers=bearer(key)).json == {"documents": [], "total": 0}

    (shown,) = listed(world, operator)["keys"]

    assert {**shown, "usedAt": None} == {
        **{name: value for name, value in made.json.items() if name != "key"},
        "limits": {
            "bytes": {"limit": 1_000_000, "used": 0},
            "requests": {"limit": 3, "used": shown["limits"]["requests"]["used"]},
        },
        "usedAt": None,
    }
    assert 1 <= shown["limits"]["requests"]["used"] <= 3
    assert world.client.delete(f"/api/keys/{made.json['id']}", headers=operator).status_code == 204
    refused(world.client.get("/api/documents", headers=bearer(key)), 401, "UNAUTHORIZED")
    assert listed(world, operator) == {"keys": []}
    refused(world.client.delete(f"/api/keys/{made.json['id']}", headers=operator), 404, "NOT_FOUND")

    secret = key.rpartition("_")[2]
    logged = "".join(JsonFormatter().format(record) for record in caplog.records)
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert secret not in logged and secret.encode() not in kept, "the secret is in the answer alone"
    with closing(SqliteAuditLog(tmp_path / FILE)) as log:
        entries = [entry.fields() for entry in log.newest(limit=50)]
    of_keys = [(one["action"], one["outcome"]) for one in reversed(entries) if str(one["action"]).startswith("key.")]
    assert of_keys == [
        ("key.create", "begun"),
        ("key.create", "done"),
        ("key.revoke", "begun"),
        ("key.revoke", "done"),
        ("key.revoke", "refused"),
    ]


def test_a_key_is_as_small_as_nothing_else_is_said(
    world: TenantWorld, operator: dict[str, str], clock: VirtualClock
) -> None:
    made = created(world, operator)
    assert made["scopes"] == ["read"]
    assert made["expiresAt"] == (clock.now().replace(microsecond=0) + timedelta(days=90)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert "expiresAt" not in created(world, operator, expires="never")


def test_pages_have_every_key_once(world: TenantWorld, operator: dict[str, str]) -> None:
    names = [f"robot {number}" for number in range(7)]
    ids = [created(world, operator, name=name)["id"] for name in names]
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = listed(world, operator, limit=3, **cursor)
        found += [key["name"] for key in page["keys"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == names
    world.keys.revoke(ids[2])
    answer = world.client.get("/api/keys", headers=operator, query_string={"limit": "3", "cursor": ids[2]})
    assert "first page" in refused(answer, 404, "NOT_FOUND")


def key_of(world: TenantWorld, **rights: Any) -> Token:
    return world.keys.create("maker", scopes=EVERYTHING, **rights)[1]


def test_a_key_makes_none_that_outlives_it(world: TenantWorld, clock: VirtualClock) -> None:
    """Who finds a key would have it for longer by a second one."""
    maker = bearer(key_of(world, lasting=timedelta(days=10, hours=1)))
    for expires in (11, 3650, "never"):
        assert "is over in 10 days" in refused(create(world, maker, expires=expires), 403, "FORBIDDEN")
    assert created(world, maker, expires=10)["scopes"] == ["read"]
    end = created(world, maker)["expiresAt"]
    assert end <= (clock.now() + timedelta(days=10, hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_key_with_limits_makes_none(world: TenantWorld) -> None:
    maker = key_of(world, limits={Limited.REQUESTS: 100})
    assert "has limits" in refused(create(world, bearer(maker)), 403, "FORBIDDEN")


def test_the_last_way_in_stays(tmp_path: Path, clock: VirtualClock) -> None:
    world = TenantWorld(tmp_path / "closed", MemoryCheckpoints(), clock)
    mine = key_of(world, lasting=timedelta(days=10))
    over = world.keys.create("over", scopes=EVERYTHING, lasting=timedelta(days=-1))[1]
    refused(world.client.delete(f"/api/keys/{mine.id}", headers=bearer(mine)), 409, "LAST_KEY")
    assert world.client.delete(f"/api/keys/{over.id}", headers=bearer(mine)).status_code == 204
    created(world, bearer(mine))
    assert world.client.delete(f"/api/keys/{mine.id}", headers=bearer(mine)).status_code == 204
    refused(world.client.get("/api/keys", headers=bearer(mine)), 401, "UNAUTHORIZED")
    world.close()


def test_an_open_server_makes_no_key(tmp_path: Path) -> None:
    """Another user of the machine could make one, and have it when the owner closes the server."""
    with api(tmp_path) as client:
        assert "keys create" in refused(client.post("/api/keys", json={"name": "robot"}), 409, "OPEN")
        assert client.get("/api/keys").json == {"keys": []}
        assert client.get("/api/documents").status_code == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", " "),
        ("name", "a\nb"),
        ("name", "a\u202eb"),
        ("name", "x" * 101),
        ("name", 5),
        ("scopes", []),
        ("scopes", ["admin"]),
        ("scopes", "read"),
        ("tenant", ""),
        ("tenant", "../red"),
        ("tenant", "a/b"),
        ("prefixes", ["/etc"]),
        ("prefixes", [".."]),
        ("prefixes", [f"f{number}" for number in range(21)]),
        ("origins", ["https://www.example.com/path"]),
        ("expires", 0),
        ("expires", 3651),
        ("expires", "soon"),
        ("expires", 1.5),
        ("expires", True),
        ("limits", {"requests": 0}),
        ("limits", {"requests": "5"}),
        ("limits", {"pages": 5}),
        ("limits", {"bytes": 2**53}),
        ("secret", "mine"),
    ],
    ids=str,
)
def test_what_no_key_can_be_is_refused(world: TenantWorld, operator: dict[str, str], field: str, value: object) -> None:
    refused(create(world, operator, **{field: value}), 400, "INVALID_REQUEST")
    assert world.keys.all() == []


def test_a_key_for_pages_only_reads_one_tenant(world: TenantWorld, operator: dict[str, str]) -> None:
    pages = ["https://www.example.com"]
    refused(create(world, operator, origins=pages), 400, "INVALID_REQUEST")
    refused(create(world, operator, origins=pages, tenant="red", scopes=["read", "write"]), 400, "INVALID_REQUEST")
    assert created(world, operator, origins=pages, tenant="red")["origins"] == pages


@pytest.mark.parametrize("id", ["", "none", "0" * 16, "..%2faccess-keys", "%00", "é" * 200, "0" * 16 + "%0a"])
def test_an_unknown_key_is_not_there(world: TenantWorld, operator: dict[str, str], id: str) -> None:
    made = created(world, operator)
    assert world.client.delete(f"/api/keys/{id}", headers=operator).status_code in (404, 405)
    assert [key["id"] for key in listed(world, operator)["keys"]] == [made["id"]]


def test_a_key_of_any_name_may_make_others(world: TenantWorld) -> None:
    """Names are for people: no key is taken for the program of an open server."""
    for name in ("local", "iam", "public", "password"):
        _, token = world.keys.create(name, scopes=EVERYTHING)
        assert create(world, bearer(token)).status_code == 201
