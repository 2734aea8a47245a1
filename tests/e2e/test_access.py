"""`ragbase password`, `ragbase keys`, and what `ragbase serve` makes of them."""

from __future__ import annotations

import json
import os
import pty
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from ragbase.interfaces.cli.application import application
from tests.contract.adapters import fresh_project, shared_firestore
from tests.e2e.command_line import TIMEOUT, CommandLine, read_all

PASSWORD = "correct horse battery"


@pytest.fixture
def ragbase(tmp_path: Path) -> CommandLine:
    (tmp_path / "home").mkdir()
    return CommandLine(tmp_path / "home")


def hashed(password: str = PASSWORD) -> str:
    result = CliRunner().invoke(application, ["password", "--json"], input=f"{password}\n")
    assert result.exit_code == 0, result.stderr
    return str(json.loads(result.stdout)["passwordHash"])


@contextmanager
def serving(ragbase: CommandLine, *arguments: str) -> Iterator[dict[str, object]]:
    """What `ragbase serve` announces, while it runs."""
    child = ragbase.start("serve", "--port", "0", "--json", *arguments)
    try:
        assert child.stdout is not None
        yield json.loads(child.stdout.readline())
    finally:
        child.kill()
        child.communicate()


def asked(serving: dict[str, object], path: str, body: object = None, **headers: str) -> tuple[int, dict[str, object]]:
    data = None if body is None else json.dumps(body).encode()
    url = f"http://127.0.0.1:{urlsplit(str(serving['url'])).port}{path}"
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def settings(ragbase: CommandLine, **values: object) -> None:
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in values.items())
    (ragbase.home / "ragbase.toml").write_text("".join(lines), encoding="utf-8")


@pytest.mark.slow
def test_a_hash_from_the_command_opens_the_api(ragbase: CommandLine) -> None:
    settings(ragbase, password_hash=hashed())
    with serving(ragbase) as served:
        assert served["open"] is False
        status, error = asked(served, "/api/documents")
        assert (status, error["error"]) == (401, "UNAUTHORIZED")
        assert asked(served, "/api/auth/login", {"password": "something else"})[0] == 401
        status, session = asked(served, "/api/auth/login", {"password": PASSWORD})
        assert status == 200
        assert asked(served, "/api/documents", Authorization=f"Bearer {session['token']}")[0] == 200


@pytest.mark.slow
def test_the_log_of_serve_has_no_secret(ragbase: CommandLine) -> None:
    hash = hashed()
    settings(ragbase, password_hash=hash, log_level="DEBUG")
    child = ragbase.start("serve", "--port", "0", "--json")
    try:
        assert child.stdout is not None
        served = json.loads(child.stdout.readline())
        assert asked(served, "/api/auth/login", {"password": "something else"})[0] == 401
        _, session = asked(served, "/api/auth/login", {"password": PASSWORD})
        token = str(session["token"])
        assert asked(served, "/api/documents", Authorization=f"Bearer {token}")[0] == 200
        assert asked(served, "/api/documents", Authorization=f"Bearer {token}0")[0] == 401
        child.send_signal(signal.SIGTERM)
        _, log = child.communicate(timeout=TIMEOUT)
    finally:
        child.kill()
        child.communicate()
    assert b"access.signed_in" in log and b"access.refused" in log
    for secret in (PASSWORD, "something else", token.rpartition("_")[2], hash):
        assert secret.encode() not in log


@pytest.mark.slow
def test_two_hashes_of_a_password_differ() -> None:
    assert hashed() != hashed()


@pytest.mark.slow
def test_the_password_is_asked_for_twice_and_never_shown(ragbase: CommandLine) -> None:
    terminal, screen = pty.openpty()
    child = ragbase.start("password", stdin=screen, stderr=screen, start_new_session=True)
    os.close(screen)
    try:
        shown = ""
        for prompt in ("Password", "Repeat for confirmation"):
            while prompt not in shown:
                shown += os.read(terminal, 1024).decode()
            os.write(terminal, f"{PASSWORD}\n".encode())
        out, _ = child.communicate(timeout=TIMEOUT)
    finally:
        child.kill()
        child.communicate()
    shown += read_all(terminal)
    assert out.decode().startswith("scrypt.")
    assert PASSWORD not in shown and "RAGBASE_PASSWORD_HASH" in shown
    assert child.returncode == 0


@pytest.mark.parametrize("password", ["", "short", "x" * 1001])
def test_a_password_that_is_too_short_or_too_long_is_refused(password: str) -> None:
    result = CliRunner().invoke(application, ["password"], input=password)
    assert result.exit_code == 1 and "12 to 1,000" in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_serve_says_that_it_is_open_and_does_not_start_where_others_reach_it(ragbase: CommandLine) -> None:
    with serving(ragbase) as served:
        assert served["open"] is True
        assert asked(served, "/api/documents")[0] == 200
        assert asked(served, "/api/documents", Host="evil.example")[0] == 403
        assert asked(served, "/api/documents", **{"X-Forwarded-For": "203.0.113.1"})[0] == 403
    ended = ragbase.call("serve", "--host", "0.0.0.0", "--port", "0")
    assert ended.code == 1
    assert "ragbase password" in ended.err and "ragbase keys create" in ended.err and "--host 127.0.0.1" in ended.err


@pytest.mark.slow
def test_with_a_key_serve_starts_on_any_address_and_stays_closed_without_it(ragbase: CommandLine) -> None:
    key = ragbase.call("keys", "create", "robot", "--scope", "read", "--json").json
    with serving(ragbase, "--host", "0.0.0.0") as served:
        assert served["open"] is False
        assert asked(served, "/api/documents", Authorization=f"Bearer {key['key']}")[0] == 200
        assert ragbase.call("keys", "revoke", key["id"]).code == 0
        assert asked(served, "/api/documents", Authorization=f"Bearer {key['key']}")[0] == 401
        assert asked(served, "/api/documents")[0] == 401, "the last key is gone, and others reach this address"


@pytest.mark.slow
def test_serve_counts_the_address_that_its_proxy_names(ragbase: CommandLine) -> None:
    settings(ragbase, password_hash=hashed(), trusted_proxies=1)
    with serving(ragbase) as served:

        def attempt(password: str, forwarded: str) -> int:
            return asked(served, "/api/auth/login", {"password": password}, **{"X-Forwarded-For": forwarded})[0]

        assert [attempt("something else", f"203.0.113.{number}, 192.0.2.1") for number in range(6)] == [401] * 5 + [429]
        assert attempt(PASSWORD, "192.0.2.1, 192.0.2.2") == 200


@pytest.mark.slow
def test_keys_are_made_listed_and_revoked(ragbase: CommandLine) -> None:
    settings(ragbase, tenancy="folder")
    assert ragbase.call("keys", "list").out == "no keys\n"
    made = ragbase.call(
        "keys", "create", "robot", "--scope", "read", "--scope", "write", "--tenant", "blue", "--expires", "30"
    )
    assert made.code == 0 and "not shown again" in made.err
    other = ragbase.call("keys", "create", "reader", "--json").json
    assert other.keys() == {"id", "name", "scopes", "createdAt", "key"} and other["scopes"] == ["read"]

    robot, reader = ragbase.call("keys", "list", "--json").json["keys"]
    assert (robot["name"], robot["scopes"], robot["tenant"]) == ("robot", ["read", "write"], "blue")
    assert robot.keys() == {"id", "name", "scopes", "tenant", "createdAt", "expiresAt"}
    assert reader["id"] == other["id"]
    listed = ragbase.call("keys", "list")
    assert "robot" in listed.out and "read, write" in listed.out and "never" in listed.out
    assert made.out.strip() not in listed.out and other["key"] not in listed.out

    ended = ragbase.call("keys", "revoke", robot["id"], "unknown", "--json")
    assert ended.code == 1 and "there is no such key" in ended.err
    assert ended.json == {"revoked": [robot["id"]], "notFound": ["unknown"]}
    assert [key["id"] for key in ragbase.call("keys", "list", "--json").json["keys"]] == [other["id"]]


@pytest.mark.parametrize("tenant", ["a/b", "/a", "..", " a", "e\u0301", "x" * 100 + "/"])
def test_a_key_is_for_a_tenant_that_can_be(ragbase: CommandLine, tenant: str) -> None:
    refused = ragbase.call("keys", "create", "robot", "--tenant", tenant)
    assert refused.code != 0 and refused.out == ""
    settings(ragbase, tenancy="folder")
    refused = ragbase.call("keys", "create", "robot", "--tenant", tenant)
    assert refused.code != 0 and refused.out == ""
    assert ragbase.call("keys", "list").out == "no keys\n"


def test_without_tenants_there_are_no_keys_for_one(ragbase: CommandLine) -> None:
    refused = ragbase.call("keys", "create", "robot", "--tenant", "blue")
    assert refused.code == 1 and "RAGBASE_TENANCY=folder" in refused.err
    assert ragbase.call("keys", "list").out == "no keys\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["robot", "--scope", "admin"],
        ["robot", "--expires", "0"],
        [" "],
        ["x" * 101],
        ["a\x1b[2J"],
        ["robot", "--tenant", ""],
    ],
)
def test_a_key_that_makes_no_sense_is_refused(ragbase: CommandLine, arguments: list[str]) -> None:
    assert ragbase.call("keys", "create", *arguments).code == 2
    assert ragbase.call("keys", "list").out == "no keys\n"


@pytest.mark.slow
def test_keys_of_the_cloud_need_its_database_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", shared_firestore())
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", fresh_project())
    ragbase = CommandLine(tmp_path / "home")
    made = ragbase.call("--profile", "gcp", "keys", "create", "robot", "--json")
    assert made.code == 0, made.err
    (listed,) = ragbase.call("--profile", "gcp", "keys", "list", "--json").json["keys"]
    assert listed["id"] == made.json["id"]
    assert ragbase.call("--profile", "gcp", "keys", "revoke", listed["id"]).code == 0
    ended = ragbase.call("--profile", "gcp", "keys", "list")
    assert (ended.code, ended.out) == (0, "no keys\n"), ended.err
