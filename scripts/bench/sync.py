"""Measure a sync of 100,000 objects of S3 in which nothing has changed, and of a tenth of them. Linux only.

Prints one line of JSON. The S3 is a process of its own that is asked over HTTP: moto, which sorts all its objects for
each page, or with `--server pages` one that only has the pages of this listing, ready to be sent. The bucket is the one
of the profile embedded; the bench writes its table directly, as a first sync would have left it. `memory_mib` is what
the process holds itself: SQLite also maps its file into memory, which the system takes back when it needs it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time

from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine

PAGE = 1000
"""Objects that S3 lists at a time."""

BUCKET, PREFIX = "theirs", "docs/"
DATA = b"# Title\n\nText.\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/sync", description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--server", choices=SERVERS, default="moto")
    options = parser.parse_args()
    many, few = options.objects, max(1, options.objects // 10)
    figures = {}
    for objects in (few, many):
        with tempfile.TemporaryDirectory() as folder, s3(options.server, objects):
            isolated(fill, folder, objects)
            figures[objects] = isolated(measure, folder, objects)
    print(
        json.dumps(
            {
                "bench": "sync",
                "server": options.server,
                "objects": many,
                **figures[many],
                "memory_mib_of_a_tenth": figures[few]["memory_mib"],
                "objects_per_second_of_a_tenth": figures[few]["objects_per_second"],
                "machine": machine(),
            }
        )
    )


@contextmanager
def s3(server: str, objects: int) -> Iterator[None]:
    """A server with so many objects. The variables of the AWS SDK name it."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=SERVERS[server], args=(objects, there), daemon=True)
    process.start()
    os.environ |= {
        "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{here.recv()}",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        yield
    finally:
        process.terminate()
        process.join()


def _serve_moto(objects: int, ready: Connection) -> None:
    import logging
    import threading

    from moto.s3.models import s3_backends
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    backend = s3_backends["123456789012"]["aws"]
    backend.create_bucket(BUCKET, "us-east-1")
    for number in range(objects):
        backend.put_object(BUCKET, PREFIX + name_of(number), DATA)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    ready.send(server.get_host_and_port()[1])
    threading.Event().wait()


def _serve_pages(objects: int, ready: Connection) -> None:
    from hashlib import md5
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from urllib.parse import parse_qs, urlsplit

    names = sorted(map(name_of, range(objects)))
    etag = md5(DATA).hexdigest()
    pages = {}
    for start in range(0, objects, PAGE):
        end = start + PAGE
        listed = "".join(
            f"<Contents><Key>{PREFIX}{name}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>&quot;{etag}&quot;</ETag><Size>{len(DATA)}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            for name in names[start:end]
        )
        more = f"<NextContinuationToken>{end}</NextContinuationToken>" if end < objects else ""
        pages[str(start)] = (
            f"<ListBucketResult><IsTruncated>{str(bool(more)).lower()}</IsTruncated>{listed}{more}</ListBucketResult>"
        ).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            page = pages[parse_qs(urlsplit(self.path).query).get("continuation-token", ["0"])[0]]
            self.send_response(200)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    ready.send(server.server_port)
    server.serve_forever()


SERVERS = {"moto": _serve_moto, "pages": _serve_pages}


def name_of(number: int) -> str:
    return f"{number % 100:02}/{number:06}.md"


def fill(folder: str, objects: int) -> Figures:
    """The objects as a sync leaves them in the bucket's table."""
    import hashlib
    import sqlite3
    from datetime import UTC, datetime

    from ragbase.adapters.embedded.database import Database
    from ragbase.adapters.embedded.folder_files import Mark
    from ragbase.adapters.embedded.object_table import Entry, ObjectTable
    from ragbase.domain.job import SOURCE_KEY
    from ragbase.ports import StoredObject
    from ragbase.sources.brought import ADDRESS_KEY, MARK_KEY, MD5_KEY, ROOT_KEY

    md5 = hashlib.md5(DATA).hexdigest()
    table = ObjectTable("documents")
    root = f"{BUCKET}/{PREFIX}"

    def write(connection: sqlite3.Connection) -> None:
        for number in range(objects):
            stored = StoredObject(
                bucket="documents",
                name=root + name_of(number),
                generation=number + 1,
                size=len(DATA),
                md5=md5,
                content_type="text/markdown",
                metadata={
                    SOURCE_KEY: f"s3://{root}{name_of(number)}",
                    ADDRESS_KEY: f"s3://{root}",
                    ROOT_KEY: root,
                    MARK_KEY: f'"{md5}"',
                    MD5_KEY: md5,
                },
                written_at=datetime.now(UTC),
            )
            table.save(connection, Entry(stored, live=True, mark=Mark(len(DATA), number, number)))

    database = Database(Path(folder) / "ragbase.db")
    database.write(write)
    database.close()
    return {}


def measure(folder: str, objects: int) -> Figures:
    from ragbase.adapters.amazon.source import S3Source
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config
    from ragbase.sources.sync import sync
    from ragbase.sources.sync_step import SourceChange

    profile = open_profile(load_config(home=Path(folder), embedder="hashing"))
    source = S3Source(BUCKET, PREFIX)
    start, cpu = perf_counter(), process_time()
    unchanged = memory = 0
    for step in sync(source, profile.bucket, delete=True):
        unchanged += step.change is SourceChange.UNCHANGED
        if unchanged % PAGE == 0:
            memory = max(memory, _own_memory())
    seconds, cpu_seconds = perf_counter() - start, process_time() - cpu
    if unchanged != objects:
        raise AssertionError(f"{unchanged} of {objects} objects are unchanged")
    profile.close()
    return {
        "memory_mib": round(memory / 1024, 1),
        "seconds": round(seconds, 2),
        "own_cpu_seconds": round(cpu_seconds, 2),
        "objects_per_second": round(objects / seconds),
        "objects_per_own_cpu_second": round(objects / cpu_seconds),
    }


def _own_memory() -> int:
    """KiB of memory that are no part of a file."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    raise OSError("the system does not say how much memory a process has")


if __name__ == "__main__":
    main()
