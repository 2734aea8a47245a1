"""moto, a server that speaks as S3 does and keeps everything in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.process import running


@contextmanager
def s3_server(*, page: int = 1000) -> Iterator[dict[str, str]]:
    """The variables by which the AWS SDK finds an empty server. It lists `page` objects at a time, as S3 does with
    1000."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with running(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        health=f"{url}/moto-api/",
        environment={"MOTO_S3_DEFAULT_MAX_KEYS": str(page)},
    ):
        yield {
            "AWS_ENDPOINT_URL_S3": url,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
