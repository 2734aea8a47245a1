"""A real Weaviate on this machine: built once with Go, kept in the user's cache folder, started on free ports."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

VERSION = "1.39.0"
MODULE = f"github.com/weaviate/weaviate/cmd/weaviate-server@v{VERSION}"
START_SECONDS = 60
STOP_SECONDS = 20


@dataclass(slots=True)
class WeaviateServer:
    """A Weaviate in `folder`, where its data outlive its process. `process` is the one of the last `start`."""

    folder: Path
    http_port: int
    grpc_port: int
    cluster_port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def grpc_url(self) -> str:
        return f"http://127.0.0.1:{self.grpc_port}"

    def start(self) -> None:
        """Returns once it is ready."""
        log = self.folder / "log"
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                weaviate_command(self.http_port),
                env=os.environ | weaviate_environment(self.folder / "data", self.grpc_port, self.cluster_port),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + START_SECONDS
        while not _is_ready(self.url):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Weaviate did not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """At once, with no chance to write anything more down."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

    def request(self, method: str, path: str, body: object = None) -> Any:
        """The parsed answer of its REST API; None where it has no body."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/v1/{path}", data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def drop(self, alias: str) -> None:
        """Remove an alias and all collections of that prefix."""
        for known in self.request("GET", "aliases")["aliases"]:
            if known["alias"] == alias:
                self.request("DELETE", f"aliases/{alias}")
        for known in self.request("GET", "schema")["classes"]:
            if known["class"].startswith(f"{alias}_"):
                self.request("DELETE", f"schema/{known['class']}")


@cache
def shared_weaviate() -> WeaviateServer:
    """One Weaviate for all tests of this process, stopped at its end. A test takes an alias of its own."""
    lifetime = ExitStack()
    atexit.register(lifetime.close)
    return lifetime.enter_context(weaviate_server())


@contextmanager
def weaviate_server() -> Iterator[WeaviateServer]:
    """An empty Weaviate of its own, ready. Skips the test where it cannot be had."""
    with tempfile.TemporaryDirectory(prefix="weaviate-") as folder:
        server = WeaviateServer(Path(folder), _free_port(), _free_port(), _free_port(following=3))
        try:
            server.start()
            yield server
        finally:
            server.stop()


def weaviate_binary() -> Path:
    """The server's binary, built by `go install` (4 minutes on 2 cores) where it is not in the cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    binary = cache / "ragbase" / "servers" / f"weaviate-{VERSION}" / "weaviate-server"
    if not binary.exists():
        go = shutil.which("go")
        if go is None:
            pytest.skip(f"Weaviate {VERSION} is not there and takes Go to build: install Go, or put it at {binary}.")
        binary.parent.mkdir(parents=True, exist_ok=True)
        # Built beside its place and then moved, so that a build that was stopped leaves nothing that looks whole.
        with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
            built = subprocess.run(
                [go, "install", MODULE],
                env=os.environ | {"CGO_ENABLED": "0", "GOBIN": folder},
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            if built.returncode:
                pytest.skip(f"`go install {MODULE}` failed: {built.stderr.strip()[-500:]}")
            (Path(folder) / binary.name).replace(binary)
    return binary


def weaviate_command(port: int) -> list[str]:
    return [str(weaviate_binary()), "--scheme", "http", "--host", "127.0.0.1", "--port", str(port)]


def weaviate_environment(data: Path, grpc: int, cluster: int) -> Mapping[str, str]:
    return {
        "PERSISTENCE_DATA_PATH": str(data),
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "DISABLE_TELEMETRY": "true",
        "GO_PROFILING_DISABLE": "true",  # it would listen on one fixed port
        "GRPC_PORT": str(grpc),
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_IN_LOCALHOST": "true",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        # A cluster on one machine takes each of these pairs for neighbours: else it never elects a leader.
        "CLUSTER_GOSSIP_BIND_PORT": str(cluster),
        "CLUSTER_DATA_BIND_PORT": str(cluster + 1),
        "RAFT_PORT": str(cluster + 2),
        "RAFT_INTERNAL_RPC_PORT": str(cluster + 3),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "LOG_LEVEL": "warning",
    }


def _free_port(*, following: int = 0) -> int:
    """A port that is free, as are the `following` ones after it."""
    while True:
        with ExitStack() as held:
            first = _bound(held, 0)
            try:
                for i in range(following):
                    _bound(held, first + 1 + i)
            except (OSError, OverflowError):
                continue
            return first


def _bound(held: ExitStack, port: int) -> int:
    opened = held.enter_context(socket.socket())
    opened.bind(("127.0.0.1", port))
    return int(opened.getsockname()[1])


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/v1/.well-known/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
