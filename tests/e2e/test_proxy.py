"""docs/proxy.md: its configurations of nginx and Caddy, in front of a server with the settings that it names."""

from __future__ import annotations

import json
import logging
import threading
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragbase import Client
from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import EVERYTHING
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.ports import DraftSentence
from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.pdf import pdf
from tests.e2e.proxies import DOMAIN, Proxy, caddy, nginx, proxy
from tests.functions.guarded import PASSWORD, hash_of
from tests.page_blocks import block_of
from tests.unit.client.served import Served, served

pytestmark = pytest.mark.slow

STARTS = {"nginx": nginx, "caddy": caddy}
BOTH = ["nginx", pytest.param("caddy", marks=pytest.mark.prove)]
GUIDE = b"# Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n"
QUESTION = {"query": "When does the nightly backup start?"}
LARGE = pdf("A page that nobody asks for.") + b"% filled up\n" * 2_600_000
"""30 MB."""


@dataclass(frozen=True, slots=True)
class Behind:
    """A server behind a proxy. `key` may do everything, and `path` is that of the server at the proxy."""

    proxy: Proxy
    server: Served
    key: str
    path: str = ""

    def ask(
        self, method: str, path: str, body: Any = None, *, source: str = "127.0.0.1", **headers: str
    ) -> tuple[int, Any]:
        """The status and the answer. `path` may be a whole address that the server has named."""
        path = path.removeprefix(self.proxy.url) if path.startswith("http") else f"{self.path}{path}"
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        with closing(self.proxy.connect(source)) as connection:
            connection.request(method, path, sent, given)
            answer = connection.getresponse()
            data = answer.read()
            is_json = answer.headers.get_content_type() == "application/json"
            return answer.status, json.loads(data) if is_json else data

    @property
    def right(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


def settings_of_page(url: str) -> dict[str, Any]:
    """What the page writes into ragbase.toml, with this address."""
    shown = tomllib.loads(block_of("docs/proxy.md", "Behind a proxy").text)
    assert shown.keys() == {"public_url", "trusted_proxies"} and shown["public_url"] == f"https://{DOMAIN}"
    return {**shown, "public_url": url}


@contextmanager
def behind(kind: str, folder: Path, path: str = "", *, knows_it: bool = True) -> Iterator[Behind]:
    """`knows_it` says that the server has the settings that the page names."""
    port = free_port()
    settings = settings_of_page(f"https://{DOMAIN}:{port}{path}") if knows_it else {}
    with (
        served(folder / "home", similarity_threshold=0.0, password_hash=hash_of(), **settings) as server,
        proxy(STARTS[kind], folder / "proxy", port, int(server.url.rpartition(":")[2]), path) as in_front,
    ):
        keys = ApiKeys(lambda: server.profile.checkpoints, server.profile.clock)
        _, token = keys.create("test", scopes=EVERYTHING)
        yield Behind(in_front, server, str(token), path)


@pytest.fixture(scope="module", params=BOTH)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    with behind(request.param, tmp_path_factory.mktemp(request.param)) as site:
        with Client(site.server.url, site.key) as client:
            client.wait(client.upload(GUIDE, path="guide.md").id)
        yield site


def sign_in(site: Behind, password: str, source: str, **headers: str) -> tuple[int, Any]:
    return site.ask("POST", "/api/auth/login", {"password": password}, source=source, **headers)


def test_who_signs_in_may_ask(site: Behind) -> None:
    assert site.ask("GET", "/api/documents")[0] == 401
    status, session = sign_in(site, PASSWORD, "127.0.0.1")
    assert status == 200
    shown = {"Authorization": f"Bearer {session['token']}"}
    status, found = site.ask("POST", "/api/query", QUESTION, **shown)
    assert (status, found["results"][0]["filename"]) == (200, "guide.md")
    assert site.ask("POST", "/api/auth/logout", **shown)[0] == 204
    assert site.ask("GET", "/api/documents", **shown)[0] == 401


def test_limits_count_the_client_whatever_it_writes_itself(site: Behind) -> None:
    guesser, owner, forger = "127.0.0.2", "127.0.0.3", "127.0.0.4"
    assert [sign_in(site, "wrong", guesser)[0] for _ in range(5)] == [401] * 5
    assert sign_in(site, PASSWORD, guesser)[0] == 429
    for header in ("X-Forwarded-For", "X-Real-IP", "Forwarded"):
        forged = {header: f"for={owner}" if header == "Forwarded" else owner}
        assert sign_in(site, PASSWORD, guesser, **forged)[0] == 429, "it did not get away"
    assert [sign_in(site, "wrong", forger, X_Forwarded_For=owner)[0] for _ in range(5)] == [401] * 5
    assert sign_in(site, PASSWORD, forger)[0] == 429, "its attempts are its own"
    assert sign_in(site, PASSWORD, owner)[0] == 200, "and nobody else is locked out"


@pytest.mark.prove
@pytest.mark.parametrize("forged", [{}, {"X_Forwarded_Host": "evil.example", "X_Forwarded_Proto": "http"}], ids=len)
def test_a_file_of_30_mb_goes_to_the_address_that_is_handed_out(site: Behind, forged: dict[str, str]) -> None:
    wanted = {"path": f"large{len(forged)}.pdf", "size": len(LARGE), "contentType": "application/pdf"}
    status, upload = site.ask("POST", "/api/uploads", wanted, **site.right, **forged)
    assert status == 201 and upload["url"].startswith(f"{site.proxy.url}/api/uploads/"), upload
    headers = {name.replace("-", "_"): text for name, text in upload["headers"].items()}
    status, taken = site.ask(upload["method"], upload["url"], LARGE, **headers)
    assert (status, taken["id"]) == (202, upload["id"])
    status, content = site.ask("GET", f"/api/documents/{taken['id']}/content", **site.right)
    assert status == 200 and content == LARGE


@pytest.mark.prove
def test_the_largest_form_passes_the_proxy(site: Behind) -> None:
    """A file of one byte more than 50 MB arrives: ragbase refuses it, in its own words."""
    file = (LARGE * 2)[: MAX_FILE_SIZE + 1]
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="form.pdf"\r\n\r\n'
    form = head + file + b"\r\n--x--\r\n"
    status, said = site.ask(
        "POST", "/api/documents", form, **site.right, Content_Type="multipart/form-data; boundary=x"
    )
    assert (status, said["error"]) == (400, "FILE_TOO_LARGE")


def test_a_sentence_arrives_before_the_next_one_is_written(site: Behind, monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on = threading.Event()

    class Slow:
        model = "slow"

        def generate(self, *_: object) -> Iterator[DraftSentence]:
            yield DraftSentence("The first sentence.")
            assert may_go_on.wait(30)
            yield DraftSentence("The second sentence.")

    monkeypatch.setitem(site.server.profile.__dict__, "generator", Slow())
    with closing(site.proxy.connect()) as connection:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **site.right}
        connection.request("POST", "/api/answer", json.dumps(QUESTION), headers)
        response = connection.getresponse()
        assert response.headers.get_content_type() == "text/event-stream"
        read = b""
        while b"first sentence" not in read:
            piece = response.read1()
            assert piece, read
            read += piece
        assert b"second sentence" not in read
        may_go_on.set()
        read += response.read()
    assert b"second sentence" in read and b"event: done" in read


def test_an_assistant_searches(site: Behind) -> None:
    def call(method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        status, said = site.ask("POST", "/mcp", message, Accept="application/json, text/event-stream", **site.right)
        assert status == 200, said
        return said["result"]

    client = {"name": "test", "version": "1"}
    assert call("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)["serverInfo"]
    found = call("tools/call", name="searchKnowledge", arguments=QUESTION)
    assert "The nightly backup starts at half past two" in found["content"][0]["text"]


def test_the_description_names_the_address(site: Behind) -> None:
    _, described = site.ask("GET", "/openapi.json")
    assert described["servers"] == [{"url": site.proxy.url}]
    status, page = site.ask("GET", "/docs")
    assert status == 200 and site.proxy.url.encode() in page


def test_with_these_settings_there_is_no_warning(site: Behind, caplog: pytest.LogCaptureFixture) -> None:
    site.ask("GET", "/healthz")
    assert not [entry for entry in caplog.records if getattr(entry, "action", "") == "proxy.unknown"]


@pytest.mark.parametrize("kind", BOTH)
def test_a_server_without_the_settings_says_which_are_missing(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "ragbase"), behind(kind, tmp_path, knows_it=False) as site:
        for _ in range(2):
            assert site.ask("GET", "/healthz")[0] == 200
        (warning,) = [entry for entry in caplog.records if getattr(entry, "action", "") == "proxy.unknown"]
    assert "trusted_proxies = 1" in warning.getMessage() and "public_url" in warning.getMessage()


@pytest.mark.prove
def test_through_nginx_a_body_is_refused_before_it_arrives(tmp_path: Path) -> None:
    """Of a sender without a key, and one that is too long, though shorter than what nginx itself refuses. (Caddy passes
    the answer on when more of the body comes.)"""
    with behind("nginx", tmp_path) as site:
        for right, length, status, error in (
            (site.right, MAX_FILE_SIZE + 512 * 1024, 400, "FILE_TOO_LARGE"),
            ({}, MAX_FILE_SIZE // 2, 401, "UNAUTHORIZED"),
        ):
            with closing(site.proxy.connect()) as connection:
                connection.putrequest("POST", "/api/documents")
                form = {"Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(length)}
                for name, text in {**right, **form}.items():
                    connection.putheader(name, text)
                connection.endheaders(b"--x\r\n")
                answer = connection.getresponse()
                assert (answer.status, json.load(answer)["error"]) == (status, error)


@pytest.mark.prove
def test_a_path_of_its_own_is_in_every_address(tmp_path: Path) -> None:
    with behind("nginx", tmp_path, "/rag") as site:
        assert site.ask("GET", "/healthz")[0] == 200
        wanted = {"path": "guide.md", "size": len(GUIDE)}
        status, upload = site.ask("POST", "/api/uploads", wanted, **site.right)
        assert status == 201 and upload["url"].startswith(f"{site.proxy.url}/rag/api/uploads/")
        assert site.ask(upload["method"], upload["url"], GUIDE)[0] == 202
        assert site.ask("GET", "/openapi.json")[1]["servers"] == [{"url": f"{site.proxy.url}/rag"}]
