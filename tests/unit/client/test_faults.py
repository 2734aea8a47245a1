"""The client on a server that fails: what is tried again, for how long, and what the errors say."""

from __future__ import annotations

import io
import os
import pickle
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from ragbase.client.client import Client
from ragbase.client.errors import ApiError, ClientError, NoAnswer, UnreadableAnswer
from ragbase.domain.document import Status
from ragbase.domain.errors import ConfigurationError, InvalidObject, PermanentError
from ragbase.domain.limits import MAX_FILE_SIZE
from tests.unit.client.scripted_server import (
    Script,
    Step,
    answer,
    cut,
    cut_amid_the_body,
    drip,
    refusal,
    scripted_server,
)

KEY = "rb_key_of_nobody"
STATE = {
    "id": "one",
    "filename": "a.md",
    "status": "COMPLETED",
    "retryCount": 0,
    "chunkCount": 2,
    "createdAt": "2025-06-01T09:30:00Z",
    "updatedAt": "2025-06-01T09:30:02Z",
}
UPLOADED = {"id": "one", "filename": "a.md", "status": "PENDING", "format": "md", "lane": "fast"}


class Time:
    """Time that passes only while somebody sleeps, or a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        with self._lock:
            self.seconds += seconds


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted_server() as script:
        yield script


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def client(script: Script, time: Time) -> Iterator[Client]:
    with Client(script.url, KEY, sleep=time.sleep, now=time.now) as client:
        yield client


@pytest.mark.parametrize("passing", [refusal(429), refusal(502), refusal(503), refusal(504), cut, cut_amid_the_body])
def test_a_passing_fault_is_tried_again(client: Client, script: Script, time: Time, passing: Step) -> None:
    script.then(passing, passing, answer(200, STATE))
    assert client.get("one").chunk_count == 2
    assert len(script.asked) == 3
    assert len(time.slept) == 2
    assert time.slept[0] <= 0.5 <= time.slept[1] <= 1


@pytest.mark.parametrize("fault", [refusal(400, "INVALID_REQUEST", "No."), refusal(500, "INTERNAL_ERROR", "Failed.")])
def test_any_other_answer_is_final(client: Client, script: Script, fault: Step) -> None:
    script.then(fault)
    with pytest.raises(ApiError) as error:
        client.get("one")
    assert error.value.code in ("INVALID_REQUEST", "INTERNAL_ERROR")
    assert len(script.asked) == 1


def test_the_server_says_how_long_to_wait(client: Client, script: Script, time: Time) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    script.then(refusal(429, Retry_After="7"), refusal(503, Retry_After="0"), refusal(503, Retry_After="soon"))
    script.then(refusal(503, Retry_After=format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)))
    script.then(refusal(503, Retry_After="Thu, 01 Jan 2026 00:00:00 +999999999999999"))
    script.then(answer(200, {"results": []}))
    assert client.query("how?") == ()
    seven, *others = time.slept
    assert seven == 7
    assert all(most / 2 <= wait <= most for wait, most in zip(others, (1, 2, 4, 8), strict=True)), others
    script.then(refusal(503, Retry_After=later))
    with pytest.raises(ApiError):  # beyond the deadline
        client.query("how?")


def test_nothing_is_tried_after_the_deadline(client: Client, script: Script, time: Time) -> None:
    script.then(*[refusal(503, message="The index does not answer.")] * 100)
    with pytest.raises(ClientError, match=r"not answer|no answer"):
        client.query("how?")
    assert 100 < time.seconds <= 120
    assert len(script.asked) == len(time.slept) + 1 < 100


@pytest.mark.parametrize(("fault", "attempts"), [(refusal(429), 2), (refusal(503), 1), (cut, 1)])
def test_what_may_not_be_done_twice_is_tried_again_only_if_it_was_not_done(
    client: Client, script: Script, fault: Step, attempts: int
) -> None:
    script.then(fault, answer(202, STATE))
    if attempts == 1:
        with pytest.raises((ApiError, NoAnswer)):
            client.retry("one")
    else:
        client.retry("one")
    assert len(script.asked) == attempts


def test_an_upload_whose_answer_was_lost_gives_the_document(client: Client, script: Script) -> None:
    script.then(cut, answer(200, UPLOADED))
    assert client.upload(b"text", path="a.md").id == "one"
    first, second = (asked.body.split(b"\r\n")[1:-2] for asked in script.asked)
    assert b"text" in first
    assert first[: first.index(b"text")][0] == second[0]


def test_a_deletion_whose_answer_was_lost_is_done(client: Client, script: Script) -> None:
    script.then(cut, refusal(404, "NOT_FOUND"))
    client.delete("one")
    script.then(refusal(429), refusal(404, "NOT_FOUND"))
    with pytest.raises(ApiError) as error:
        client.delete("one")
    assert error.value.status == 404


def test_a_server_that_is_not_there_is_tried_again_and_named(time: Time) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with Client(url, KEY, sleep=time.sleep, now=time.now) as client, pytest.raises(NoAnswer, match=url):
        client.retry("one")
    assert len(time.slept) > 5


def test_a_silent_server_is_given_up(script: Script, time: Time) -> None:
    released = threading.Event()

    def silent(_: object) -> None:
        released.wait(30)

    script.then(*[silent] * 100)
    with Client(script.url, timeout=0.05, deadline=1, sleep=time.sleep, now=time.now) as client:
        with pytest.raises(NoAnswer, match="Timeout"):
            client.get("one")
        released.set()


def test_an_answer_that_never_ends_is_given_up(client: Client, script: Script, time: Time) -> None:
    script.then(drip(200, lambda: time.advance(1)))
    with pytest.raises(NoAnswer, match="did not finish"):
        client.text("one")


def test_an_answer_of_something_else_is_named(client: Client, script: Script) -> None:
    script.then(answer(200, b"<html>Welcome</html>"))
    with pytest.raises(UnreadableAnswer, match="the endpoint"):
        client.get("one")
    script.then(answer(403, b"<html>Forbidden</html>"))
    with pytest.raises(ApiError, match="403") as error:
        client.get("one")
    assert error.value.code == ""
    script.then(answer(301, Location="https://elsewhere.example"))
    with pytest.raises(ApiError, match="301"):
        client.get("one")
    assert len(script.asked) == 3


def test_an_error_has_what_the_server_says(client: Client, script: Script) -> None:
    script.then(refusal(409, "ALREADY_EXISTS", "There is a document a.md.", X_Request_Id="r-1"))
    with pytest.raises(ApiError) as raised:
        client.upload(b"text", path="a.md")
    error = pickle.loads(pickle.dumps(raised.value))
    assert (error.status, error.code, error.message, error.request_id) == (
        409,
        "ALREADY_EXISTS",
        "There is a document a.md.",
        "r-1",
    )
    assert str(error) == "There is a document a.md."


def test_no_text_has_the_key(client: Client, script: Script) -> None:
    assert KEY not in repr(client)
    script.then(refusal(401, "UNAUTHORIZED", "The key is unknown."))
    with pytest.raises(ApiError) as error:
        client.get("one")
    assert KEY not in f"{error.value!r} {error.value}"
    assert script.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("endpoint", "key"),
    [
        ("http://rag.example.com", KEY),
        ("http://10.0.0.1:8080", KEY),
        ("http://localhost.example.com", KEY),
        ("ftp://rag.example.com", None),
        ("rag.example.com", None),
        ("https://", None),
        ("https://rag.example.com:port", None),
        (f"https://user:{KEY}@rag.example.com", None),
        (f"https://rag.example.com/?key={KEY}", None),
        ("https://rag.example.com", f"{KEY}\n"),
        ("https://rag.example.com", ""),
    ],
)
def test_an_endpoint_or_key_that_cannot_be_one_is_refused(endpoint: str, key: str | None) -> None:
    with pytest.raises(ConfigurationError) as error:
        Client(endpoint, key)
    assert KEY not in str(error.value)


@pytest.mark.parametrize("endpoint", ["https://rag.example.com/", "http://localhost:8080", "http://[::1]:8080"])
def test_a_key_goes_where_nobody_else_can_read_it(endpoint: str) -> None:
    Client(endpoint, KEY).close()
    Client("http://rag.example.com", KEY, allow_plain_http=True).close()
    Client("http://rag.example.com").close()


def test_a_password_goes_only_where_nobody_else_can_read_it() -> None:
    with Client("http://rag.example.com") as client, pytest.raises(ConfigurationError, match="https"):
        client.sign_in("password")


def test_a_token_is_sent_after_signing_in(script: Script) -> None:
    script.then(answer(200, {"token": "rs_token", "expiresAt": "2025-06-01T09:30:00Z"}), answer(200, STATE))
    with Client(script.url) as client:
        assert "rs_token" not in repr(client.sign_in("password"))
        client.get("one")
    assert [asked.headers.get("authorization") for asked in script.asked] == [None, "Bearer rs_token"]


def test_a_file_over_the_limit_of_a_request_goes_its_own_way(client: Client, script: Script) -> None:
    with scripted_server() as bucket:
        address = {
            "id": "one",
            "method": "PUT",
            "url": f"{bucket.url}/signed?secret",
            "headers": {"X-Size": "4"},
            "expiresAt": "2025-06-01T10:30:00Z",
        }
        script.then(answer(413, b"too large"), answer(201, address))
        bucket.then(refusal(503), answer(200))
        uploaded = client.upload(b"text", path="guides/a.md", replace=True, content_type="text/markdown")
    assert (uploaded.id, uploaded.filename, uploaded.status) == ("one", "guides/a.md", Status.PENDING)
    assert b'"size":4' in script.asked[1].body.replace(b" ", b"")
    assert [(asked.method, asked.path, asked.body) for asked in bucket.asked] == [
        ("PUT", "/signed?secret", b"text")
    ] * 2
    assert "authorization" not in bucket.asked[1].headers
    assert bucket.asked[1].headers["x-size"] == "4"


def test_a_file_may_be_elsewhere_and_the_key_stays_here(client: Client, script: Script) -> None:
    with scripted_server() as bucket:
        script.then(answer(302, Location=f"{bucket.url}/signed"))
        bucket.then(answer(200, b"\x00file"))
        assert client.content("one") == b"\x00file"
    assert "authorization" not in bucket.asked[0].headers


def test_a_signed_address_without_encryption_is_not_used(client: Client, script: Script) -> None:
    script.then(answer(302, Location="http://bucket.example/signed?secret"))
    with pytest.raises(UnreadableAnswer) as error:
        client.content("one")
    assert "secret" not in str(error.value)


def test_a_connection_is_used_again(client: Client, script: Script) -> None:
    for _ in range(3):
        script.then(answer(200, STATE))
        client.get("one")
    assert len({asked.port for asked in script.asked}) == 1


def test_waiting_asks_until_the_document_is_settled(client: Client, script: Script, time: Time) -> None:
    script.then(answer(200, STATE | {"status": "PENDING"}), answer(200, STATE | {"status": "PROCESSING"}))
    script.then(answer(200, STATE))
    assert client.wait("one").status is Status.COMPLETED
    assert [asked.path for asked in script.asked] == ["/api/documents/one?wait=30.000"] * 3


def test_waiting_ends(client: Client, script: Script, time: Time) -> None:
    script.then(*[answer(200, STATE | {"status": "PENDING"})] * 100)
    assert client.wait("one", seconds=5).status is Status.PENDING
    assert time.seconds == pytest.approx(5)


@pytest.mark.parametrize("document_id", ["", ".", ".."])
def test_an_id_cannot_lead_to_another_route(client: Client, document_id: str) -> None:
    with pytest.raises(ValueError, match="document_id"):
        client.delete(document_id)


def test_an_id_is_one_part_of_the_address(client: Client, script: Script) -> None:
    script.then(refusal(404, "NOT_FOUND"))
    with pytest.raises(ApiError):
        client.get("a/../b?c#d")
    assert script.asked[0].path == "/api/documents/a%2F..%2Fb%3Fc%23d"


@contextmanager
def pipe_with(data: bytes) -> Iterator[BinaryIO]:
    """A pipe without a buffer: one read gives only a piece of what comes."""
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as stream:
            stream.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    with os.fdopen(reading, "rb", buffering=0) as stream:
        yield cast(BinaryIO, stream)
    thread.join()


def test_a_stream_is_read_to_its_end_whatever_it_gives_at_once(client: Client, script: Script) -> None:
    data = os.urandom(300_000)
    script.then(answer(202, UPLOADED))
    with pipe_with(data) as pipe:
        client.upload(pipe, path="a.md")
    assert data in script.asked[0].body


def test_a_name_that_is_no_utf_8_is_refused(client: Client, script: Script, tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.md")
    file.write_bytes(b"text")
    with pytest.raises(InvalidObject, match=r"'caf\\udce9.md' is not valid UTF-8"):
        client.upload(file)
    script.then(answer(202, UPLOADED))
    client.upload(file, path="café.md")
    assert len(script.asked) == 1


def test_a_stream_of_text_is_refused(client: Client, script: Script) -> None:
    with pytest.raises(TypeError, match="gives str and not bytes"):
        client.upload(cast(BinaryIO, io.StringIO("text")), path="a.md")
    assert script.asked == []


def test_a_stream_that_is_too_large_is_not_read_on(client: Client, script: Script) -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1, /) -> bytes:
            piece = bytes(min(size, 1_000_000))
            self.given += len(piece)
            return piece

    endless = Endless()
    with pytest.raises(PermanentError, match="50 MB"):
        client.upload(cast(BinaryIO, endless), path="a.md")
    assert endless.given == MAX_FILE_SIZE + 1


def test_a_file_that_is_too_large_is_not_sent(client: Client, script: Script) -> None:
    with pytest.raises(PermanentError, match="50 MB"):
        client.upload(bytes(MAX_FILE_SIZE + 1), path="a.txt")
    with pytest.raises(ValueError, match="path"):
        client.upload(b"text")
    assert script.asked == []
