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
from datetime import datetime
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from ragbase.access.password import PasswordHash
from ragbase.interfaces.cli.application import application
from ragbase.interfaces.console.ask_element import ask_element
from tests.e2e.command_line import TIMEOUT, CommandLine, read_all
from tests.shared_servers import fresh_project, shared_firestore

PASSWORD = "correct horse battery"


@pytest.fixture
def ragbase(tmp_path: Path) -> CommandLine:
    (tmp_path / "home").mkdir()
    return CommandLine(tmp_path / "home")


@cache
def hashed() -> str:
    """That of PASSWORD. It takes a while, as it should."""
    return new_hash()


def new_hash() -> str:
    result = CliRunner().invoke(application, ["password", "--json"], input=f"{PASSWORD}\n")
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
    assert new_hash() != new_hash()


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


@pytest.mark.slow
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_end_of_the_line_is_no_part_of_the_password(end: str) -> None:
    result = CliRunner().invoke(application, ["password", "--json"], input=f"{PASSWORD}{end}".encode())
    assert result.exit_code == 0, result.stderr
    assert PasswordHash.parse(json.loads(result.stdout)["passwordHash"]).matches(PASSWORD)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f"{PASSWORD}\n{PASSWORD}\n".encode(), "2 lines"),
        (f"{PASSWORD}\r\nsecond\r\nthird".encode(), "3 lines"),
        (f"{PASSWORD}\n\n".encode(), "2 lines"),
        (f"\n{PASSWORD}\n".encode(), "2 lines"),
        (f"{PASSWORD}\rsecond".encode(), "2 lines"),
        (f"{PASSWORD}\u2028second".encode(), "2 lines"),
        (b"", "no password"),
        (b"\n", "no password"),
        (b"\r\n", "no password"),
        (f"{PASSWORD}\0".encode(), "U+0000"),
        (f"correct\thorse {PASSWORD}\n".encode(), "U+0009"),
        (b"correct horse \xff battery", "UTF-8"),
    ],
)
def test_what_is_not_one_line_that_can_be_typed_is_no_password(given: bytes, said: str) -> None:
    result = CliRunner().invoke(application, ["password"], input=given)
    assert result.exit_code == 1 and said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("password", ["short", "x" * 1001])
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
@pytest.mark.parametrize(
    ("values", "reached"),
    [
        ({"public_url": "https://rag.example.com"}, "https://rag.example.com"),
        ({"trusted_proxies": 1}, "trusted_proxies"),
    ],
)
def test_serve_does_not_start_open_where_a_setting_says_that_there_is_a_proxy(
    ragbase: CommandLine, values: dict[str, object], reached: str
) -> None:
    settings(ragbase, **values)
    ended = ragbase.call("serve", "--port", "0")
    assert ended.code == 1 and reached in ended.err
    assert "ragbase password" in ended.err and "ragbase keys create" in ended.err
    assert f"unset {next(iter(values))}" in ended.err


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
    assert other.keys() == {"id", "name", "scopes", "createdAt", "expiresAt", "key"} and other["scopes"] == ["read"]

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


@pytest.mark.parametrize("tenant", ["a/b", "/a", "..", " a", "x" * 100 + "/"])
def test_a_key_is_for_a_tenant_that_can_be(ragbase: CommandLine, tenant: str) -> None:
    refused = ragbase.call("keys", "create", "robot", "--tenant", tenant)
    assert refused.code != 0 and refused.out == ""
    settings(ragbase, tenancy="folder")
    refused = ragbase.call("keys", "create", "robot", "--tenant", tenant)
    assert refused.code != 0 and refused.out == ""
    assert ragbase.call("keys", "list").out == "no keys\n"


def test_a_key_is_for_one_tenant_in_all_forms_of_its_name(ragbase: CommandLine) -> None:
    settings(ragbase, tenancy="folder")
    assert ragbase.call("keys", "create", "robot", "--tenant", "Vertra\u0308ge").code == 0
    (key,) = ragbase.call("keys", "list", "--json").json["keys"]
    assert key["tenant"] == "Vertr\u00e4ge"


def test_without_tenants_there_are_no_keys_for_one(ragbase: CommandLine) -> None:
    refused = ragbase.call("keys", "create", "robot", "--tenant", "blue")
    assert refused.code == 1 and "RAGBASE_TENANCY=folder" in refused.err
    assert ragbase.call("keys", "list").out == "no keys\n"


@pytest.mark.slow
def test_a_server_that_was_closed_stays_closed_without_its_last_key(ragbase: CommandLine) -> None:
    first = ragbase.call("keys", "create", "robot", "--json").json
    with serving(ragbase) as served:
        assert served["open"] is False
        ended = ragbase.call("keys", "revoke", first["id"])
        assert ended.code == 0 and "stays closed" in ended.err and "ragbase keys open" in ended.err
        assert asked(served, "/api/documents")[0] == 401
        assert ragbase.call("keys", "open").code != 0, "nobody has confirmed it"
        assert asked(served, "/api/documents")[0] == 401
        opened = ragbase.call("keys", "open", "--yes", "--json")
        assert opened.json == {"open": True}
        (done, *_) = ragbase.call("audit", "list", "--json").json["entries"]
        assert (done["action"], done["outcome"]) == ("access.open", "done")
        assert asked(served, "/api/documents")[0] == 200
    second = ragbase.call("keys", "create", "robot", "--json").json
    refused = ragbase.call("keys", "open", "--yes")
    assert refused.code == 1 and "ragbase keys list" in refused.err
    ragbase.call("keys", "revoke", second["id"])
    with serving(ragbase) as served:
        assert served["open"] is False
        assert asked(served, "/api/documents")[0] == 401


@pytest.mark.slow
def test_a_password_that_is_taken_out_of_the_settings_opens_nothing(ragbase: CommandLine) -> None:
    settings(ragbase, password_hash=hashed())
    with serving(ragbase) as served:
        assert served["open"] is False
        refused = ragbase.call("keys", "open", "--yes")
        assert refused.code == 1 and "password_hash" in refused.err
    settings(ragbase)
    with serving(ragbase) as served:
        assert served["open"] is False
        assert asked(served, "/api/documents")[0] == 401
        checked = next(one for one in ragbase.call("doctor", "--json").json["checks"] if one["name"] == "keys")
        assert not checked["ok"] and not checked["needed"] and "ragbase keys create" in checked["remedy"]


@pytest.mark.slow
def test_a_new_key_ends_after_the_days_of_the_setting_unless_it_says_otherwise(ragbase: CommandLine) -> None:
    def days(*arguments: str) -> int | None:
        made = ragbase.call("keys", "create", "robot", "--json", *arguments)
        assert made.code == 0, made.err
        if "expiresAt" not in made.json:
            return None
        times = (datetime.fromisoformat(made.json[name]) for name in ("createdAt", "expiresAt"))
        created, expires = times
        return (expires - created).days

    assert days() == 90
    assert days("--expires", "7") == 7
    assert days("--expires", "never") is None
    settings(ragbase, key_days=30)
    assert days() == 30
    settings(ragbase, key_days=0)
    assert days() is None
    assert days("--expires", "1") == 1
    shown = ragbase.call("keys", "create", "robot", "--expires", "7")
    assert "It is over on 2" in shown.err
    assert "It never expires." in ragbase.call("keys", "create", "robot").err
    listed = ragbase.call("keys", "list")
    assert "(in 6 days)" in listed.out and listed.out.count("never") >= 3
    assert "3 keys without an end" in listed.err and "Make another key in time" in listed.err


def test_what_a_key_reaches_and_uses_is_listed(ragbase: CommandLine) -> None:
    made = ragbase.call(
        *(
            "keys",
            "create",
            "robot",
            "--scope",
            "extract",
            "--scope",
            "write",
            "--prefix",
            "finance/",
            "--prefix",
            "hr",
        ),
        *("--limit", "requests=10000", "--limit", "bytes=1GB"),
    )
    assert made.code == 0, made.err
    (listed,) = ragbase.call("keys", "list", "--json").json["keys"]
    assert (listed["scopes"], listed["prefixes"]) == (["extract", "write"], ["finance/", "hr/"])
    assert listed["limits"] == {"requests": {"limit": 10_000, "used": 0}, "bytes": {"limit": 2**30, "used": 0}}
    assert "No document is below finance/ yet. Folders with documents: none." in made.err
    shown = ragbase.call("keys", "list").out
    assert "finance/, hr/" in shown and "bytes 0 of 1,073,741,824, requests 0 of 10,000" in shown


@pytest.mark.slow
def test_a_key_for_pages_is_of_one_tenant_and_may_only_read(ragbase: CommandLine) -> None:
    settings(ragbase, tenancy="folder")
    for arguments, reason in (
        ([], "Name the one tenant with --tenant"),
        (["--tenant", "blue", "--scope", "write"], "A key for pages may only read"),
    ):
        refused = ragbase.call("keys", "create", "site", "--origin", "https://www.example.com", *arguments)
        assert (refused.code, refused.out) == (1, "") and reason in " ".join(refused.err.split())
    made = ragbase.call("keys", "create", "site", "--origin", "https://www.example.com", "--tenant", "blue")
    assert made.code == 0, made.err
    element = ask_element()
    assert f'/ragbase-ask-{element.version}.js" integrity="{element.integrity}" crossorigin></script>' in made.err
    assert f'<ragbase-ask key="{made.out.strip()}"></ragbase-ask>' in made.err
    (listed,) = ragbase.call("keys", "list", "--json").json["keys"]
    assert (listed["origins"], listed["tenant"]) == (["https://www.example.com"], "blue")
    assert "https://www.example.com" in ragbase.call("keys", "list").out


def test_the_limits_of_tenants_are_listed(ragbase: CommandLine) -> None:
    settings(ragbase, tenancy="folder", tenant_limits="uploads=5")
    assert ragbase.call("keys", "create", "robot", "--tenant", "blue").code == 0
    assert ragbase.call("keys", "list", "--json").json["tenants"] == {"blue": {"uploads": {"limit": 5, "used": 0}}}
    assert "tenant blue: uploads 0 of 5" in ragbase.call("keys", "list").out


@pytest.mark.slow
def test_a_prefix_without_documents_is_told_with_those_that_have_some(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "bucket"
    for name in ("finance/a.md", "finance-2/b.md", "hr/deep/c.md", "top.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# Notes\n\nThe note {name} says that the nightly backup starts at 02:30.\n")
    assert ragbase.call("ingest", folder).code == 0
    for prefix in ("finance", "hr/deep/", "top.md"):
        assert "No document" not in ragbase.call("keys", "create", "robot", "--prefix", prefix).err
    told = ragbase.call("keys", "create", "robot", "--prefix", "finanse/", "--prefix", "hr")
    assert "No document is below finanse/ yet. Folders with documents: finance-2/, finance/, hr/." in told.err


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["--scope", "admin"], ["'read'", "'write'", "'extract'"]),
        (["--limit", "answers=3"], ["requests, uploads, bytes, tokens"]),
        (["--limit", "requests=many"], ["requests=10000"]),
        (["--prefix", "/finance"], ["such as finance/"]),
        (["--expires", "soon"], ["never"]),
        (["--expires", "3651"], ["3,650"]),
        (["--expires", "-1"], ["never"]),
    ],
)
def test_an_unknown_part_of_a_key_is_refused_with_those_that_are_known(
    ragbase: CommandLine, arguments: list[str], known: list[str]
) -> None:
    refused = ragbase.call("keys", "create", "robot", *arguments)
    assert refused.code in (1, 2) and refused.out == ""
    message = " ".join(refused.err.split())
    assert all(one in message for one in known), message
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
@pytest.mark.prove
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


@pytest.mark.slow
def test_renewed_upload_addresses_end_those_that_a_running_server_gave(ragbase: CommandLine) -> None:
    with serving(ragbase) as served:
        wanted = {"path": "a.md", "size": 5}
        given = [asked(served, "/api/uploads", wanted)[1]["url"] for _ in range(2)]
        assert ragbase.call("keys", "renew-upload-addresses", "--json").json == {"renewed": True}
        status, error = put(str(given[0]), b"# Old")
        assert (status, error["error"]) == (404, "NOT_FOUND")
        _, new = asked(served, "/api/uploads", wanted)
        assert put(str(new["url"]), b"# New")[0] == 202
        assert put(str(given[1]), b"# Old")[0] == 404


def put(url: str, data: bytes) -> tuple[int, dict[str, object]]:
    request = urllib.request.Request(url, data, {"Content-Type": "text/markdown"}, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
