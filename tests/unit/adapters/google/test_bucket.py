"""What Cloud Storage answers and its emulator does not: preconditions that fail, refused names, passing faults."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from google.api_core.exceptions import Forbidden

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.domain.errors import GenerationGone, InvalidObject

MD5 = "CY9rzUYh03PK3k6DJie09g=="  # of b"test"


@dataclass
class Service:
    """Gives its answers one after the other, and keeps what it was asked: the method and the query."""

    answers: list[tuple[int, Mapping[str, object]]] = field(default_factory=list)
    asked: list[tuple[str, Mapping[str, list[str]]]] = field(default_factory=list)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            service.asked.append((self.command, parse_qs(urlsplit(self.path).query)))
            status, content = service.answers.pop(0)
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815 - the base class calls them so

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield service
    server.shutdown()
    thread.join()
    server.server_close()


def found(generation: int) -> tuple[int, Mapping[str, object]]:
    resource = {"name": "a.md", "bucket": "bucket", "generation": str(generation), "size": "4", "md5Hash": MD5}
    return 200, resource


def error(status: int, message: str = "no") -> tuple[int, Mapping[str, object]]:
    return status, {"error": {"code": status, "message": message}}


def test_a_generation_that_is_not_live_fails_the_precondition(service: Service) -> None:
    service.answers = [error(412)]
    with pytest.raises(GenerationGone, match="generation 7 is no longer"):
        CloudStorageBucket("bucket").read("a.md", 7)
    assert service.asked[0][1]["ifGenerationMatch"] == ["7"]


def test_what_was_overwritten_while_being_deleted_is_deleted_as_it_is_now(service: Service) -> None:
    service.answers = [found(1), error(412), found(2), (204, {})]
    gone = CloudStorageBucket("bucket").delete("a.md")
    assert gone is not None
    assert gone.generation == 2
    deletions = [query["ifGenerationMatch"] for method, query in service.asked if method == "DELETE"]
    assert deletions == [["1"], ["2"]]


def test_what_another_deleted_first_is_not_there(service: Service) -> None:
    service.answers = [found(1), error(404)]
    assert CloudStorageBucket("bucket").delete("a.md") is None


def test_a_name_that_the_service_refuses_cannot_be_an_object(service: Service) -> None:
    service.answers = [error(400, "Disallowed unicode characters present in object name")]
    with pytest.raises(InvalidObject, match=r"'a\\nb.md' cannot be an object of bucket: .*Disallowed"):
        CloudStorageBucket("bucket").put("a\nb.md", b"text")


def test_a_composite_object_has_no_md5(service: Service) -> None:
    status, resource = found(1)
    service.answers = [(status, {key: value for key, value in resource.items() if key != "md5Hash"})]
    stored = CloudStorageBucket("bucket").stat("a.md")
    assert stored is not None
    assert stored.md5 == ""


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_blip_is_not_seen(service: Service, status: int) -> None:
    service.answers = [error(status), found(1)]
    stored = CloudStorageBucket("bucket").stat("a.md")
    assert stored is not None
    assert (stored.generation, stored.md5) == (1, "098f6bcd4621d373cade4e832627b4f6")


def test_a_fault_that_does_not_pass_is_raised_as_it_is(service: Service) -> None:
    service.answers = [error(403)]
    with pytest.raises(Forbidden):
        CloudStorageBucket("bucket").stat("a.md")
    assert len(service.asked) == 1


def test_a_list_goes_on_to_its_last_page(service: Service) -> None:
    service.answers = [(200, {"items": [found(1)[1]], "nextPageToken": "more"}), (200, {"items": [found(2)[1]]})]
    assert [stored.generation for stored in CloudStorageBucket("bucket").list("a")] == [1, 2]
    assert [query.get("pageToken") for _, query in service.asked] == [None, ["more"]]


def test_neighbours_are_looked_up_in_one_request(service: Service) -> None:
    names = [f"{number:03}.md" for number in range(100)]
    service.answers = [(200, {"items": [{**found(1)[1], "name": name} for name in names]})]
    assert list(CloudStorageBucket("bucket").stat_many(names)) == names
    assert [query["startOffset"] for _, query in service.asked] == [["000.md"]]
