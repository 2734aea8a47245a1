"""What an S3 that refuses, breaks off or is away means for a sync, and what it is asked."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ragbase.adapters.amazon.source import S3Source
from ragbase.domain.errors import EntryChanged, Unavailable, UnreadableFile, UnreadableSource
from ragbase.ports import SourceEntry

DATA = bytes(range(256)) * 5_000
ENTRY = SourceEntry(name="a.md", mark='"tag"', size=len(DATA))
LISTING = (
    '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>'
    "<Contents><Key>docs/a.md</Key><ETag>&quot;tag&quot;</ETag><Size>1280000</Size>"
    "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>{more}</ListBucketResult>"
)


@dataclass
class FakeS3:
    """`refusal` is the status and the code of its errors; `breaks` is how often a body ends half way; `more` is listed
    after the one object, `detail` is in each error."""

    url: str = ""
    refusal: tuple[int, str] | None = None
    breaks: int = 0
    more: str = ""
    detail: str = ""
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeS3]:
    fake = FakeS3()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            fake.requests.append((self.command, self.path, {name.lower(): text for name, text in self.headers.items()}))
            if fake.refusal is not None:
                status, code = fake.refusal
                self.answer(status, f"<Error><Code>{code}</Code><Message>No.</Message>{fake.detail}</Error>".encode())
            elif "list-type" in self.path:
                self.answer(200, LISTING.format(more=fake.more).encode())
            else:
                start = int(re.sub(r"\D", "", self.headers.get("Range", "0")))
                self.answer(206 if start else 200, DATA[start:])

        do_PUT = do_POST = do_DELETE = do_HEAD = do_GET  # noqa: N815 - the names that the handler calls

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", '"tag"')
            self.end_headers()
            if fake.breaks and len(body) > 100_000:
                fake.breaks -= 1
                body = body[: len(body) // 2]
                self.close_connection = True
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_port}"
    for name, text in {
        "AWS_ENDPOINT_URL_S3": fake.url,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(name, text)
    yield fake
    server.shutdown()
    thread.join()
    server.server_close()


def test_it_only_lists_and_reads_what_was_listed(s3: FakeS3) -> None:
    source = S3Source("theirs", "docs/")
    assert list(source.entries()) == [ENTRY]
    assert b"".join(source.read(ENTRY)) == DATA
    assert {method for method, _, _ in s3.requests} == {"GET"}
    assert s3.requests[-1][2]["if-match"] == '"tag"'
    assert all("x-amz-request-payer" not in headers for _, _, headers in s3.requests)


def test_the_reader_pays_only_if_a_setting_says_so(s3: FakeS3) -> None:
    source = S3Source("theirs", "docs/", requester_pays=True)
    for entry in source.entries():
        list(source.read(entry))
    assert [headers["x-amz-request-payer"] for _, _, headers in s3.requests] == ["requester"] * 2


def test_a_body_that_breaks_off_goes_on_where_it_did(s3: FakeS3) -> None:
    s3.breaks = 2
    assert b"".join(S3Source("theirs", "docs/").read(ENTRY)) == DATA
    assert [headers.get("range") for _, _, headers in s3.requests] == [None, "bytes=640000-", "bytes=960000-"]
    assert {headers["if-match"] for _, _, headers in s3.requests} == {'"tag"'}


def test_a_body_that_always_breaks_off_ends(s3: FakeS3) -> None:
    s3.breaks = 99
    with pytest.raises(Unavailable, match=r"docs/a\.md"):
        list(S3Source("theirs", "docs/").read(ENTRY))
    assert len(s3.requests) == 3


@pytest.mark.parametrize(
    ("refusal", "on_listing", "on_reading"),
    [
        ((403, "AccessDenied"), UnreadableSource, UnreadableFile),
        ((403, "InvalidObjectState"), UnreadableSource, UnreadableFile),
        ((404, "NoSuchBucket"), UnreadableSource, UnreadableFile),
        ((404, "NoSuchKey"), UnreadableSource, EntryChanged),
        ((412, "PreconditionFailed"), UnreadableSource, EntryChanged),
        ((500, "InternalError"), Unavailable, Unavailable),
        ((503, "SlowDown"), Unavailable, Unavailable),
    ],
)
def test_a_refusal_says_whose_fault_it_is(
    s3: FakeS3, refusal: tuple[int, str], on_listing: type[Exception], on_reading: type[Exception]
) -> None:
    s3.refusal = refusal
    source = S3Source("theirs", "docs/")
    with pytest.raises(on_listing):
        list(source.entries())
    with pytest.raises(on_reading):
        list(source.read(ENTRY))


def test_an_archived_object_is_restored_by_its_owner(s3: FakeS3) -> None:
    s3.refusal, s3.detail = (403, "InvalidObjectState"), "<StorageClass>DEEP_ARCHIVE</StorageClass>"
    with pytest.raises(UnreadableFile) as caught:
        list(S3Source("theirs", "docs/").read(ENTRY))
    said = str(caught.value)
    assert (
        "s3://theirs/docs/a.md: it is archived (DEEP_ARCHIVE)" in said
        and "Restore it" in said
        and "permissions" not in said
    )


def test_folders_are_no_files_and_those_with_bytes_are_told(s3: FakeS3) -> None:
    s3.more = "".join(
        f"<Contents><Key>docs/{name}</Key><ETag>&quot;tag&quot;</ETag><Size>{size}</Size></Contents>"
        for name, size in (("empty/", 0), ("full/", 7))
    )
    entries = list(S3Source("theirs", "docs/").entries())
    assert [(one.name, one.left_out is not None) for one in entries] == [("a.md", False), ("full/", True)]


def test_a_server_that_is_away_may_come_back(s3: FakeS3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    with pytest.raises(Unavailable):
        list(S3Source("theirs", "").entries())


def test_without_credentials_the_message_names_the_sdk(s3: FakeS3, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    with pytest.raises(UnreadableSource, match="credentials"):
        list(S3Source("theirs", "").entries())
