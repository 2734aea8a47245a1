"""The adapters of the port DocumentSource, each with a way to change what it lists."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package says nothing of types

from ragbase.adapters.amazon.source import S3Source
from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.ports import Bucket, DocumentSource
from ragbase.sources.bucket_source import BucketSource
from ragbase.sources.folder_source import FolderSource
from ragbase.sources.site_source import SiteSource
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock
from ragbase.testing.contracts.source import SourceUnderTest
from ragbase.testing.source import MemorySource
from scripts.local_cloud.storage import storage_emulator
from tests.contract.web_server import Page, website
from tests.doubles.s3_server import s3_server


@contextmanager
def _memory(_: Path) -> Iterator[SourceUnderTest]:
    source = MemorySource("memory://docs/", root="docs/")
    yield SourceUnderTest(
        source, "memory://docs/", "docs/", source.files.__setitem__, source.files.__delitem__, lambda: None
    )


@contextmanager
def _folder(folder: Path) -> Iterator[SourceUnderTest]:
    docs = folder / "docs"
    docs.mkdir()

    def put(name: str, data: bytes) -> None:
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_bytes(data)

    def outside() -> None:
        put("../docs-2.md", b"outside")
        put(".hidden/a.md", b"hidden")

    yield SourceUnderTest(
        FolderSource(docs),
        f"{docs}/",
        f"{docs}/".lstrip("/"),
        put,
        lambda name: (docs / name).unlink(),
        outside,
        missing=lambda: FolderSource(folder / "missing"),
    )


def _of_bucket(bucket: Bucket, scheme: str, missing: Callable[[], DocumentSource] | None = None) -> SourceUnderTest:
    return SourceUnderTest(
        BucketSource(bucket, "docs/", scheme=scheme),
        f"{scheme}://{bucket.name}/docs/",
        f"{bucket.name}/docs/",
        lambda name, data: bucket.put(f"docs/{name}", data),
        lambda name: bucket.delete(f"docs/{name}"),
        lambda: bucket.put("docs-2.md", b"outside"),
        missing,
    )


@contextmanager
def _bucket(_: Path) -> Iterator[SourceUnderTest]:
    yield _of_bucket(MemoryBucket("theirs", lambda _: None, VirtualClock()), "memory")


@contextmanager
def _cloud_storage(_: Path) -> Iterator[SourceUnderTest]:
    with (
        storage_emulator("contract", "nobody-listens", "127.0.0.1:1", bucket="none") as host,
        patch.dict(os.environ, STORAGE_EMULATOR_HOST=host),
    ):
        Client(project=None).create_bucket("theirs", project="contract")
        yield _of_bucket(
            CloudStorageBucket("theirs"), "gs", lambda: BucketSource(CloudStorageBucket("missing"), "", scheme="gs")
        )


@contextmanager
def _s3(_: Path) -> Iterator[SourceUnderTest]:
    with s3_server(page=3) as variables, patch.dict(os.environ, variables):
        client = s3_client(variables)
        client.create_bucket(Bucket="theirs")
        yield SourceUnderTest(
            S3Source("theirs", "docs/"),
            "s3://theirs/docs/",
            "theirs/docs/",
            lambda name, data: client.put_object(Bucket="theirs", Key=f"docs/{name}", Body=data),
            lambda name: client.delete_object(Bucket="theirs", Key=f"docs/{name}"),
            lambda: (
                client.put_object(Bucket="theirs", Key="docs-2.md", Body=b"outside"),
                client.put_object(Bucket="theirs", Key="docs/", Body=b""),
            ),
            missing=lambda: S3Source("missing", ""),
        )


def s3_client(variables: Mapping[str, str]) -> Any:
    """A client of the server, for what a source never does: to write."""
    import boto3  # type: ignore[import-untyped]  # the package has no types

    return boto3.client(
        "s3",
        endpoint_url=variables["AWS_ENDPOINT_URL_S3"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
        region_name=variables["AWS_DEFAULT_REGION"],
    )


@contextmanager
def _site(_: Path) -> Iterator[SourceUnderTest]:
    with website({"/docs/": Page("", content_type="text/plain")}) as site:

        def path(name: str) -> str:
            return f"/docs/{quote(name.removesuffix('.html'))}"

        def sitemap() -> None:
            urls = "".join(f"<url><loc>{site.url}{one}</loc></url>" for one in site.pages if not one.endswith(".xml"))
            site.pages["/docs/sitemap.xml"] = Page(f"<urlset>{urls}</urlset>")

        def put(name: str, data: bytes) -> None:
            site.pages[path(name)] = Page(data, headers={"ETag": f'"{hashlib.md5(data).hexdigest()}"'})
            sitemap()

        def remove(name: str) -> None:
            del site.pages[path(name)]
            sitemap()

        source = SiteSource(f"{site.url}/docs/", allowed_hosts=frozenset(["127.0.0.1"]))
        host = site.url.removeprefix("http://")
        yield SourceUnderTest(
            source,
            f"{site.url}/docs/",
            f"{host}/docs/",
            put,
            remove,
            lambda: put("../docs-2", b"outside"),
            ending=".html",
            keeps=True,
        )
        source.close()


SOURCES: Mapping[str, Callable[[Path], AbstractContextManager[SourceUnderTest]]] = {
    "memory": _memory,
    "folder": _folder,
    "bucket": _bucket,
    "cloud_storage": _cloud_storage,
    "s3": _s3,
    "site": _site,
}
