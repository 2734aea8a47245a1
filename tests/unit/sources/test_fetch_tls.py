"""TLS to an address that was checked: the certificate has to be of the name that was asked for, and from a known CA."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ragbase.sources.fetch import AddressRefused, Fetcher, FetchFailed

HOST = "docs.example"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of the host that vouches for itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def port(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server on this machine, which every name leads to."""
    server = HTTPServer(("127.0.0.1", 0), _Secret)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setattr("socket.getaddrinfo", _this_machine)
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


class _Secret(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"secret")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing."""


def _this_machine(_host: str, port: int, *_arguments: Any, **_options: Any) -> list[Any]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]


def body(url: str, *allowed: str) -> bytes:
    fetcher = Fetcher("test/1", allowed_hosts=allowed, seconds=10)
    try:
        with fetcher.get(url, max_bytes=1000) as fetched:
            return b"".join(fetched.body)
    finally:
        fetcher.close()


def test_a_page_comes_from_the_host_that_the_certificate_names(
    port: int, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert body(f"https://{HOST}:{port}/", HOST) == b"secret"
    with pytest.raises(FetchFailed, match="certificate"):
        body(f"https://other.example:{port}/", "other.example")
    with pytest.raises(AddressRefused, match="allowed_hosts"):
        body(f"https://{HOST}:{port}/")


def test_a_certificate_that_nobody_vouches_for_is_refused(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with pytest.raises(FetchFailed, match="certificate"):
        body(f"https://{HOST}:{port}/", HOST)
