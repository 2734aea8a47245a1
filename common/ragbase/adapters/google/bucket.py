"""Objects in Cloud Storage.

The bucket itself announces changes: its notification publishes each finalised and each deleted generation to a topic.
The service keeps no order between names, and may announce a change twice.

The emulator, fake-gcs-server, differs. It ignores preconditions, but for those of uploads: so a generation is checked
after it was read, and a deletion at the same time as a `put` may also remove the new generation. It accepts names with
line breaks, which the service refuses.
"""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import cached_property
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING

from ragbase.adapters.google.temporary_errors import PATIENCE, passing_faults
from ragbase.domain.errors import (
    ConfigurationError,
    ErrorCode,
    GenerationChanged,
    GenerationGone,
    InvalidObject,
    PermanentError,
)
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.domain.object_name import check_object
from ragbase.formats.content_type import content_type_of
from ragbase.formats.table import check_size
from ragbase.ports import SignedRequest, StoredObject

if TYPE_CHECKING:
    from google.api_core.retry import Retry
    from google.cloud.storage import Blob  # type: ignore[import-untyped]  # the package has no types
    from google.cloud.storage import Bucket as GoogleBucket

_TIMEOUT = (3.0, 20.0)
"""Seconds to connect, and seconds without data while waiting for an answer: 50 MB take the service a few."""

_DELETERS = 8
"""Objects deleted at once: the service has no call for several."""


class CloudStorageBucket:
    """Implements the Bucket port. The client is made when it is first used, and talks to STORAGE_EMULATOR_HOST if that
    is set. Without a `project`, that of the credentials is billed."""

    def __init__(self, name: str, *, project: str | None = None) -> None:
        self._name = name
        self._project = project

    @property
    def name(self) -> str:
        return self._name

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        from google.api_core.exceptions import BadRequest, PreconditionFailed

        check_object(name, metadata or {})
        blob = self._bucket.blob(name)
        blob.metadata = dict(metadata or {})
        with passing_faults("Cloud Storage"):
            try:
                blob.upload_from_string(
                    data,
                    content_type=content_type or content_type_of(name, data),
                    if_generation_match=replaces,
                    retry=self._retry,
                    timeout=_TIMEOUT,
                )
            except PreconditionFailed as error:
                live = self.stat(name)
                if live is None or live.md5 != hashlib.md5(data, usedforsecurity=False).hexdigest():
                    raise GenerationChanged(f"{name}: somebody else has written or deleted it.") from error
                return live  # this call has written it, and its first answer was lost; or others wrote the same
            except BadRequest as error:
                raise InvalidObject(
                    f"{name!r} cannot be an object of {self._name}: {error.message}. "
                    "Names have no line breaks and at most 1024 bytes, metadata at most 8 KiB."
                ) from error
        return self._stored(blob)

    def sign_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        seconds: int,
    ) -> SignedRequest | None:
        check_object(name, metadata)
        headers = {
            "Content-Type": content_type or content_type_of(name, b""),
            "x-goog-content-length-range": f"{size},{size}",
            **({} if replaces is None else {"x-goog-if-generation-match": str(replaces)}),
            **{f"x-goog-meta-{key}": value for key, value in metadata.items()},
        }
        url = self._signed(name, "PUT", seconds, headers=dict(headers))  # which it adds to
        return SignedRequest(method="PUT", url=url, headers=headers) if url is not None else None

    def begin_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        origin: str | None,
    ) -> str | None:
        """A resumable session, which lasts a week. The service answers pages of the origin that has begun it, so the
        bucket needs no settings for them. (The emulator ends a session when it is asked what has come.)"""
        check_object(name, metadata)
        if self.takes_parts_at is None:
            return None
        blob = self._bucket.blob(name)
        blob.metadata = dict(metadata)
        with passing_faults("Cloud Storage"):
            url: str = blob.create_resumable_upload_session(
                content_type=content_type or content_type_of(name, b""),
                size=size,
                origin=origin,
                if_generation_match=replaces,
                timeout=_TIMEOUT,
                retry=self._retry,
            )
        return url

    @property
    def takes_parts_at(self) -> str | None:
        if "STORAGE_EMULATOR_HOST" in os.environ:
            return None
        return f"https://storage.googleapis.com/upload/storage/v1/b/{self._name}/o"

    def sign_download(self, name: str, generation: int, *, seconds: int) -> SignedRequest | None:
        url = self._signed(name, "GET", seconds, generation=generation, response_disposition="attachment")
        return SignedRequest(method="GET", url=url, headers={}) if url is not None else None

    def _signed(self, name: str, method: str, seconds: int, **arguments: object) -> str | None:
        """An address with a V4 signature. A key file signs by itself. The account of a function has no key: Google's
        IAM service signs for it, which needs the role Service Account Token Creator on itself
        (https://cloud.google.com/storage/docs/access-control/signing-urls-with-helpers)."""
        from google.auth.credentials import Signing
        from google.auth.transport.requests import Request

        credentials = self._bucket.client._credentials
        account = getattr(credentials, "service_account_email", None)
        if not isinstance(credentials, Signing):
            if account is None:
                return None  # a person's credentials, or the emulator's
            if not credentials.valid:
                with passing_faults("Google's sign-in"):
                    credentials.refresh(Request())  # which also learns the account's address
            arguments["service_account_email"] = credentials.service_account_email
            arguments["access_token"] = credentials.token
        with passing_faults("Google's signing service"):
            url: str = self._bucket.blob(name).generate_signed_url(
                version="v4", expiration=timedelta(seconds=seconds), method=method, scheme="https", **arguments
            )
        return url

    def delete(self, name: str, *, generation: int | None = None) -> StoredObject | None:
        from google.api_core.exceptions import NotFound, PreconditionFailed

        while (live := self.stat(name)) is not None and generation in (None, live.generation):
            try:
                with passing_faults("Cloud Storage"):
                    self._bucket.blob(name).delete(
                        if_generation_match=live.generation, retry=self._retry, timeout=_TIMEOUT
                    )
            except NotFound:
                return None
            except PreconditionFailed:
                continue  # overwritten meanwhile: another generation is the live one now
            return live
        return None

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        deleters = ThreadPoolExecutor(_DELETERS, thread_name_prefix="delete")
        try:
            removed = deleters.map(lambda one: self.delete(one[0], generation=one[1]), generations.items())
            return {stored.name: stored for stored in removed if stored is not None}
        finally:
            deleters.shutdown(wait=True, cancel_futures=True)

    def stat(self, name: str) -> StoredObject | None:
        if not _is_addressable(name):
            return None
        with passing_faults("Cloud Storage"):
            blob = self._bucket.get_blob(name, retry=self._retry, timeout=_TIMEOUT)
        return self._stored(blob) if blob is not None else None

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        # Taken from listings: each starts at the first name that is still missing. Up to 1000 neighbouring names come
        # in one request. Names that are far apart cost one request each, as they would alone.
        found: dict[str, StoredObject] = {}
        wanted = sorted(filter(_is_addressable, set(names)))
        while wanted:
            pages = self._pages(start_offset=wanted[0], page_size=len(wanted))
            listed = next(filter(None, pages), [])
            if not listed:
                break
            found |= {stored.name: stored for stored in listed}
            wanted = wanted[bisect_right(wanted, listed[-1].name) :]
        return {name: found[name] for name in names if name in found}

    def read(self, name: str, generation: int) -> bytes:
        from google.api_core.exceptions import NotFound, PreconditionFailed

        blob = self._bucket.blob(name)
        try:
            with passing_faults("Cloud Storage"):
                data: bytes = blob.download_as_bytes(
                    if_generation_match=generation, raw_download=True, retry=self._retry, timeout=_TIMEOUT
                )
        except (NotFound, PreconditionFailed):
            blob = None
        if blob is None or blob.generation != generation:
            raise GenerationGone(f"{name}: generation {generation} is no longer in the bucket.")
        return _decompressed(data) if blob.content_encoding == "gzip" else data

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        # A listing begins with the offset's own name.
        listed = chain.from_iterable(self._pages(prefix=prefix, start_offset=after or None))
        return (stored for stored in listed if stored.name != after)

    def list_all(self, *, after: str = "") -> Iterator[StoredObject]:
        return self.list(after=after)  # each form of a name is another name here

    def _pages(self, **query: object) -> Iterator[Sequence[StoredObject]]:
        """The pages of a listing by name (by code point, as UTF-8 sorts), each requested when it is needed."""
        from google.api_core.exceptions import Forbidden, NotFound

        pages = self._bucket.list_blobs(**query, retry=self._retry, timeout=_TIMEOUT).pages
        while True:
            try:
                with passing_faults("Cloud Storage"):
                    page = next(pages, None)
            except (Forbidden, NotFound) as error:
                raise ConfigurationError(
                    f"The bucket {self._name} cannot be listed: {error.message}. Check its name, and the permission "
                    "storage.objects.list."
                ) from error
            if page is None:
                return
            yield [self._stored(blob) for blob in page]

    @cached_property
    def _bucket(self) -> GoogleBucket:
        from google.cloud.storage import Client

        # Otherwise the client asks for the bucket's own metadata in a thread, for traces that are not used here, and
        # again whenever an object is missing.
        os.environ.setdefault("DISABLE_GCS_PYTHON_CLIENT_OTEL_BUCKET_METADATA", "true")
        return Client(self._project).bucket(self._name)

    @cached_property
    def _retry(self) -> Retry:
        """Every call here may be repeated: repeating a `put` only makes one more generation of the same bytes."""
        from google.cloud.storage.retry import DEFAULT_RETRY  # type: ignore[import-untyped]  # as above

        retry: Retry = DEFAULT_RETRY.with_delay(initial=0.1, maximum=0.8).with_timeout(PATIENCE)
        return retry

    def _stored(self, blob: Blob) -> StoredObject:
        return StoredObject(
            bucket=self._name,
            name=blob.name,
            generation=blob.generation,
            size=blob.size,
            md5=base64.b64decode(blob.md5_hash or "").hex(),  # a composite object has none
            content_type=blob.content_type or "",
            metadata=blob.metadata or {},
            written_at=blob.time_created,
        )


def _decompressed(data: bytes) -> bytes:
    """What an object holds that was uploaded with `Content-Encoding: gzip`.

    Raises PermanentError: FILE_TOO_LARGE above the limit of a file, CORRUPT_FILE for what is not gzip.
    """
    import gzip  # most functions never see such an object

    try:
        with gzip.open(BytesIO(data)) as stream:
            content = stream.read(MAX_FILE_SIZE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(
            ErrorCode.CORRUPT_FILE,
            f"The object has the content encoding gzip, but its bytes are not valid gzip: {error}. Upload it again.",
        ) from error
    check_size(len(content))
    return content


def _is_addressable(name: str) -> bool:
    """Whether a request can name this object. "." and ".." would be taken for parts of a path."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name not in ("", ".", "..")
