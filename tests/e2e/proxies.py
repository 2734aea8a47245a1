"""nginx and Caddy as docs/proxy.md has them, on a free port of this machine, with a certificate of their own."""

from __future__ import annotations

import http.client
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.debian_package import program_of
from tests.page_blocks import block_of

DOMAIN = "rag.example.com"
PATIENCE = 30
"""Seconds after which something is stuck."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """It answers at 127.0.0.1, with a certificate for DOMAIN."""

    port: int
    certificate: Path

    @property
    def url(self) -> str:
        return f"https://{DOMAIN}:{self.port}"

    def connect(self, source: str = "127.0.0.1") -> http.client.HTTPSConnection:
        """A connection as a client with this address makes it, who checks the certificate."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        connection = http.client.HTTPSConnection(DOMAIN, self.port, timeout=PATIENCE, context=context)
        plain = socket.create_connection(("127.0.0.1", self.port), PATIENCE, source_address=(source, 0))
        connection.sock = context.wrap_socket(plain, server_hostname=DOMAIN)
        return connection


def put(text: str, *changes: tuple[str, str]) -> str:
    """The text with changes of what it has exactly once."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def certified(folder: Path) -> tuple[Path, Path]:
    """A certificate for DOMAIN that is its own authority, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-subj", f"/CN={DOMAIN}", "-addext", f"subjectAltName=DNS:{DOMAIN}", "-days", "2"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *names, *files], check=True, capture_output=True, timeout=PATIENCE)
    return certificate, key


Start = Callable[[Path, int, int, str], list[str]]
"""Write the configuration in a folder for a proxy at a port, in front of a server at another one, below a path. Give
the command that starts it."""


def nginx(folder: Path, port: int, server: int, path: str) -> list[str]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    site = put(
        block_of("docs/proxy.md", "nginx").text,
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("/etc/ssl/certs/rag.example.com.pem", str(certificate)),
        ("/etc/ssl/private/rag.example.com.key", str(key)),
        ("http://127.0.0.1:8080;", f"http://127.0.0.1:{server}{'/' if path else ''};"),
        ("location / {", f"location {path}/ {{"),
    )
    places = "".join(
        f"{name}_temp_path {folder / name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{places}{site}}}\n", encoding="utf-8"
    )
    program = program_of("nginx", "usr/sbin/nginx")
    return [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, server: int, path: str) -> list[str]:
    assert not path, "the page shows none"
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    site = put(
        block_of("docs/proxy.md", "Caddy").text,
        (f"{DOMAIN} {{", f"https://{DOMAIN}:{port} {{\n    bind 127.0.0.1\n    tls {certificate} {key}"),
        ("127.0.0.1:8080", f"127.0.0.1:{server}"),
    )
    options = f"{{\n    admin off\n    auto_https disable_redirects\n    storage file_system {folder}\n}}\n"
    (folder / "Caddyfile").write_text(options + site, encoding="utf-8")
    program = program_of("caddy", "usr/bin/caddy")
    return [program, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@contextmanager
def proxy(start: Start, folder: Path, port: int, server: int, path: str = "") -> Iterator[Proxy]:
    """The proxy, once it answers. Raises Missing if its program can't be had."""
    folder.mkdir()
    certificate, _ = certified(folder)
    command = start(folder, port, server, path)
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=folder)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} did not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)
        yield Proxy(port, certificate)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
