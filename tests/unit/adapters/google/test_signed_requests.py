"""Requests to Cloud Storage that carry their right in their address. The emulator checks no signature."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import google.auth
import google.auth.transport.requests
import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth.compute_engine.credentials import Credentials as FunctionCredentials
from google.oauth2.service_account import Credentials as KeyCredentials

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.domain.errors import InvalidObject, Unavailable
from ragbase.ports import SignedRequest

ACCOUNT = "ragbase-api@project.iam.gserviceaccount.com"


@pytest.fixture(autouse=True)
def _without_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STORAGE_EMULATOR_HOST", raising=False)


@pytest.fixture(scope="module")
def key() -> KeyCredentials:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    info = {"client_email": ACCOUNT, "private_key": private.decode(), "token_uri": "http://127.0.0.1/"}
    credentials: KeyCredentials = KeyCredentials.from_service_account_info(info)  # type: ignore[no-untyped-call]  # the package has no types
    return credentials


@pytest.fixture
def bucket(key: KeyCredentials, monkeypatch: pytest.MonkeyPatch) -> CloudStorageBucket:
    monkeypatch.setattr(google.auth, "default", lambda **_: (key, "project"))
    return CloudStorageBucket("uploads", project="project")


def upload(bucket: CloudStorageBucket, name: str, *, replaces: int | None = 0) -> SignedRequest:
    signed = bucket.sign_upload(
        name,
        size=12,
        content_type="text/markdown",
        metadata={"ragbase-ocr-mode": "never"},
        replaces=replaces,
        seconds=600,
    )
    assert signed is not None
    return signed


def test_an_upload_is_signed_with_all_that_it_may_do(bucket: CloudStorageBucket) -> None:
    signed = upload(bucket, "a b/ü.md")
    address = urlsplit(signed.url)
    query = parse_qs(address.query)
    assert (signed.method, address.scheme, address.netloc) == ("PUT", "https", "storage.googleapis.com")
    assert address.path == "/uploads/a%20b/%C3%BC.md"
    assert query["X-Goog-Expires"] == ["600"]
    assert set(query["X-Goog-SignedHeaders"][0].split(";")) == {"host", *(name.lower() for name in signed.headers)}
    assert signed.headers == {
        "Content-Type": "text/markdown",
        "x-goog-content-length-range": "12,12",
        "x-goog-if-generation-match": "0",
        "x-goog-meta-ragbase-ocr-mode": "never",
    }


def test_an_upload_that_may_replace_anything_has_no_condition(bucket: CloudStorageBucket) -> None:
    assert "x-goog-if-generation-match" not in upload(bucket, "a.md", replaces=None).headers


def test_a_name_that_no_bucket_can_hold_is_not_signed(bucket: CloudStorageBucket) -> None:
    with pytest.raises(InvalidObject):
        upload(bucket, "../a.md")


def test_a_download_is_of_one_generation_and_saved_as_a_file(bucket: CloudStorageBucket) -> None:
    signed = bucket.sign_download("a.md", 17, seconds=60)
    assert signed is not None
    query = parse_qs(urlsplit(signed.url).query)
    assert (signed.method, query["generation"]) == ("GET", ["17"])
    assert query["response-content-disposition"] == ["attachment"]


def test_parts_go_to_a_session_for_one_page_one_size_and_one_generation(
    bucket: CloudStorageBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "https://storage.googleapis.com/upload/storage/v1/b/uploads/o?uploadType=resumable&upload_id=1"
    asked: list[tuple[str, str, dict[str, str], Any]] = []

    def answer(_: object, method: str, url: str, data: Any = None, headers: Any = None, **__: object) -> object:
        asked.append((method, url, {name.lower(): str(value) for name, value in headers.items()}, json.loads(data)))
        response = requests.Response()
        response.status_code = 200
        response.headers["Location"] = address
        return response

    monkeypatch.setattr(google.auth.transport.requests.AuthorizedSession, "request", answer)
    url = bucket.begin_upload(
        "a b/ü.md",
        size=12,
        content_type="text/markdown",
        metadata={"ragbase-ocr-mode": "never"},
        replaces=0,
        origin="https://rag.example.com",
    )
    assert url == address and bucket.takes_parts_at == address.partition("?")[0]
    ((method, begun, headers, body),) = asked
    query = parse_qs(urlsplit(begun).query)
    assert (method, begun.partition("?")[0]) == ("POST", bucket.takes_parts_at)
    assert (query["uploadType"], query["ifGenerationMatch"]) == (["resumable"], ["0"])
    assert headers["x-upload-content-length"] == "12" and headers["x-upload-content-type"] == "text/markdown"
    assert headers["origin"] == "https://rag.example.com"
    assert body["name"] == "a b/ü.md" and body["metadata"] == {"ragbase-ocr-mode": "never"}


class Iam:
    """Google's services for the account of a function: its token, and signatures in its name."""

    def __init__(self) -> None:
        self.signed: list[bytes] = []
        self.status = 200

    def __call__(self, url: str, method: str = "GET", body: Any = None, **_: object) -> SimpleNamespace:
        if "metadata" in url:
            content: dict[str, object] = {"email": ACCOUNT, "scopes": []}
            if "universe" in url:
                content = {}  # an old metadata server: then it is googleapis.com
            if "/token" in url:
                content = {"access_token": "t", "expires_in": 3000}
        else:
            assert url.endswith(f"/serviceAccounts/{ACCOUNT}:signBlob?alt=json")
            self.signed.append(base64.b64decode(json.loads(body)["payload"]))
            content = {"signedBlob": base64.b64encode(b"signature").decode()}
        return SimpleNamespace(
            status=404 if "universe" in url else self.status,
            data=json.dumps(content).encode(),
            headers={"content-type": "application/json"},
        )


@pytest.fixture
def iam(monkeypatch: pytest.MonkeyPatch) -> Iterator[Iam]:
    iam = Iam()
    monkeypatch.setattr(google.auth.transport.requests, "Request", lambda *_, **__: iam)
    monkeypatch.setattr(google.auth, "default", lambda **_: (FunctionCredentials(), "project"))  # type: ignore[no-untyped-call]  # as above
    yield iam


def test_the_account_of_a_function_lets_google_sign(iam: Iam) -> None:
    signed = upload(CloudStorageBucket("uploads", project="project"), "a.md")
    query = parse_qs(urlsplit(signed.url).query)
    assert query["X-Goog-Signature"] == [b"signature".hex()]
    assert query["X-Goog-Credential"][0].startswith(ACCOUNT)
    assert len(iam.signed) == 1 and iam.signed[0].startswith(b"GOOG4-RSA-SHA256\n")


def test_a_signing_service_that_refuses_is_a_passing_fault(iam: Iam) -> None:
    bucket = CloudStorageBucket("uploads", project="project")
    upload(bucket, "a.md")
    iam.status = 403
    with pytest.raises(Unavailable, match="sign"):
        upload(bucket, "a.md")
