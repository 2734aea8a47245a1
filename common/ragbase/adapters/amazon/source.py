"""Objects in S3, or in a store that speaks as S3 does, as a source. Nothing is changed there.

The SDK finds credentials, region and endpoint by its own rules: environment variables, profiles, the machine's role,
AWS_ENDPOINT_URL_S3 for MinIO and others
(https://docs.aws.amazon.com/boto3/latest/guide/configuration.html).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from http import HTTPStatus
from typing import Any

from ragbase.domain.errors import EntryChanged, Unavailable, UnreadableFile, UnreadableSource
from ragbase.domain.no_document import folder_with_content
from ragbase.ports import SourceEntry

_BLOCK = 1024 * 1024
_ATTEMPTS = 3
"""How often a body that breaks off is asked for again, from the byte where it did. The SDK repeats only requests."""

_ARCHIVED = "InvalidObjectState"
"""What S3 answers to GetObject of an archived object that is not restored (S3 Glacier Flexible Retrieval and Deep
Archive, and the archive tiers of Intelligent-Tiering):
https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html. The listing does not tell: its storage class stays
that of the archive after a restore, and says nothing of the tiers."""

_GONE = frozenset({"PreconditionFailed", "NoSuchKey", "404", "412"})


class S3Source:
    """Implements the DocumentSource port.

    The mark of an object is its ETag, which differs for other bytes. It is read only as long as it has that ETag, so
    what is read is the version that was listed. A listing does not name versions: that of all versions does, but needs
    another permission and lists what was overwritten and deleted, too.
    """

    def __init__(self, bucket: str, prefix: str, *, requester_pays: bool = False) -> None:
        """The objects whose keys begin with `prefix`, which is empty or ends with "/". With `requester_pays`, the costs
        may be those of the caller: a bucket that wants this refuses other requests."""
        self._bucket = bucket
        self._prefix = prefix
        self._payer = {"RequestPayer": "requester"} if requester_pays else {}

    @property
    def address(self) -> str:
        return f"s3://{self.root}"

    @property
    def root(self) -> str:
        return f"{self._bucket}/{self._prefix}"

    @property
    def in_order(self) -> bool:
        """Directory buckets have no order
        (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html). They are known by their names."""
        return not self._bucket.endswith("--x-s3")

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        start = len(self._prefix)
        later = {"StartAfter": self._prefix + after} if after and self.in_order else {}  # a directory bucket refuses it
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix, **later, **self._payer
        )
        with self._explained():
            for page in pages:
                for one in page.get("Contents", ()):
                    name = one["Key"][start:]
                    if not one["Key"].endswith("/"):
                        yield SourceEntry(name=name, mark=one["ETag"], size=one["Size"])
                    elif one["Size"]:  # consoles show folders by empty ones
                        yield SourceEntry(name=name, mark="", left_out=folder_with_content(one["Key"]))

    def read(self, entry: SourceEntry) -> Iterator[bytes]:
        from botocore.exceptions import (  # type: ignore[import-untyped]  # the package has no types
            HTTPClientError,
            IncompleteReadError,
        )

        done = 0
        for attempt in range(1, _ATTEMPTS + 1):
            body = self._body(entry, done)
            try:
                for block in body.iter_chunks(_BLOCK):
                    done += len(block)
                    yield block
            except (HTTPClientError, IncompleteReadError) as error:
                if attempt == _ATTEMPTS:
                    raise Unavailable(f"{self.address}{entry.name}: S3 broke off: {error}") from error
            else:
                return
            finally:
                body.close()

    def close(self) -> None:
        if "_client" in self.__dict__:  # it was made
            self._client.close()

    def _body(self, entry: SourceEntry, start: int) -> Any:
        from botocore.exceptions import ClientError

        rest = {"Range": f"bytes={start}-"} if start else {}
        where = f"{self.address}{entry.name}"
        try:
            with self._explained():
                return self._client.get_object(
                    Bucket=self._bucket, Key=self._prefix + entry.name, IfMatch=entry.mark, **rest, **self._payer
                )["Body"]
        except UnreadableSource as error:
            cause = error.__cause__
            if isinstance(cause, ClientError) and cause.response["Error"]["Code"] in _GONE:
                raise EntryChanged(f"{where}: it was changed while it was read. Run the sync again.") from error
            if isinstance(cause, ClientError) and cause.response["Error"]["Code"] == _ARCHIVED:
                kind = cause.response.get("AccessTier") or cause.response.get("StorageClass") or "GLACIER"
                raise UnreadableFile(
                    f"{where}: it is archived ({kind}), and S3 gives it only after a restore. Restore it (aws s3api "
                    "restore-object), or move it elsewhere, and run the sync again."
                ) from error
            raise UnreadableFile(f"{where}: {error}") from error

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raises Unavailable for what may pass, and UnreadableSource for what does not."""
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
        from botocore.exceptions import ConnectionError as NoConnection

        try:
            yield
        except (HTTPClientError, NoConnection) as error:  # or no answer in time
            raise Unavailable(f"S3 does not answer: {error}") from error
        except ClientError as error:
            said = error.response["Error"]
            if error.response["ResponseMetadata"]["HTTPStatusCode"] >= HTTPStatus.INTERNAL_SERVER_ERROR:  # and SlowDown
                raise Unavailable(f"S3 fails: {said['Code']}: {said.get('Message', '')}") from error
            raise UnreadableSource(
                f"{self.address}: S3 refuses: {said['Code']}: {said.get('Message', '')} Check the address and the "
                "permissions: listing needs s3:ListBucket, reading s3:GetObject."
            ) from error
        except BotoCoreError as error:  # no credentials, no region, a bucket's name that cannot be
            raise UnreadableSource(f"{self.address}: {error} Check the settings of the AWS SDK.") from error

    @cached_property
    def _client(self) -> Any:
        import boto3  # type: ignore[import-untyped]  # the package has no types
        from botocore.session import get_session  # type: ignore[import-untyped]  # as above

        session = get_session()
        session.get_component("response_parser_factory").set_parser_defaults(timestamp_parser=_moment)
        return boto3.session.Session(botocore_session=session).client("s3")


def _moment(text: Any) -> datetime:
    """A time as S3 writes it. The SDK's own parser takes any way to write a time, and more than half of the processor
    time of a listing."""
    from botocore.utils import parse_timestamp  # type: ignore[import-untyped]  # as above

    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        parsed: datetime = parse_timestamp(text)
        return parsed
