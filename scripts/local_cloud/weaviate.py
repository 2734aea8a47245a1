"""A real Weaviate on this machine. Go builds it once, the user's cache folder keeps it, and it runs on free ports."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.local_cloud.free_ports import free_ports
from scripts.local_cloud.process import cache_folder, exclusive
from scripts.local_cloud.weaviate_build import PROGRAM, build_weaviate

VERSION = "1.39.0"
START_SECONDS = 60
STOP_SECONDS = 20


@dataclass(slots=True)
class WeaviateServer:
    """A Weaviate in `folder`. Its data stay there when its process ends. `process` belongs to the last `start`."""

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
        """Start it and return when it is ready."""
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
        """Kill it at once: it cannot save anything more."""
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
        """Call its REST API and return the parsed answer, or None if the answer has no body."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/v1/{path}", data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def drop(self, alias: str) -> None:
        """Delete an alias and all collections whose names start with it."""
        for known in self.request("GET", "aliases")["aliases"]:
            if known["alias"] == alias:
                self.request("DELETE", f"aliases/{alias}")
        for known in self.request("GET", "schema")["classes"]:
            if known["class"].startswith(f"{alias}_"):
                self.request("DELETE", f"schema/{known['class']}")


@contextmanager
def weaviate_server() -> Iterator[WeaviateServer]:
    """A new, empty Weaviate that is ready. Raises Missing."""
    with tempfile.TemporaryDirectory(prefix="weaviate-") as folder:
        first = free_ports(6)  # the cluster's port, which is the third, needs the next three, too
        server = WeaviateServer(Path(folder), first, first + 1, first + 2)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def weaviate_binary() -> Path:
    """The path of the server's binary. Go builds it if necessary (some minutes). Raises Missing."""
    binary = cache_folder(f"weaviate-{VERSION}") / PROGRAM
    with exclusive(binary.parent):
        if not binary.exists():
            # Build it next to its final place, then move it: an interrupted build leaves no broken binary behind.
            with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
                build_weaviate(VERSION, Path(folder)).replace(binary)
    return binary


def weaviate_command(port: int) -> list[str]:
    return [str(weaviate_binary()), "--scheme", "http", "--host", "127.0.0.1", "--port", str(port)]


def weaviate_environment(data: Path, grpc: int, cluster: int) -> Mapping[str, str]:
    return {
        "PERSISTENCE_DATA_PATH": str(data),
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "DISABLE_TELEMETRY": "true",
        "GO_PROFILING_DISABLE": "true",  # the profiler would listen on a fixed port
        "GRPC_PORT": str(grpc),
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_IN_LOCALHOST": "true",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        # On one machine, Weaviate expects each of these two pairs on neighbouring ports. Otherwise it elects no leader.
        "CLUSTER_GOSSIP_BIND_PORT": str(cluster),
        "CLUSTER_DATA_BIND_PORT": str(cluster + 1),
        "RAFT_PORT": str(cluster + 2),
        "RAFT_INTERNAL_RPC_PORT": str(cluster + 3),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "LOG_LEVEL": "warning",
    }


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/v1/.well-known/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
