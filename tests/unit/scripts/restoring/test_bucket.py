"""Which versions of objects come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from scripts.restoring.bucket import Back, lost, versions_of

NOON = datetime(2026, 11, 26, 12, tzinfo=UTC)


@dataclass(frozen=True)
class One:
    """A version that was written and replaced or deleted so many minutes after noon."""

    name: str
    generation: int
    written: int
    ended: int | None = None
    md5_hash: str | None = "a"
    crc32c: str = "a"

    @property
    def time_created(self) -> datetime:
        return NOON + timedelta(minutes=self.written)

    @property
    def time_deleted(self) -> datetime | None:
        return None if self.ended is None else NOON + timedelta(minutes=self.ended)


@pytest.mark.parametrize(
    ("versions", "back"),
    [
        ([One("f", 1, -5)], []),
        ([One("f", 1, -5, 5, "old"), One("f", 2, 5)], [Back("f", 1, 2)]),
        ([One("f", 1, -5, 5)], [Back("f", 1, None)]),
        ([One("f", 1, -9, -5, "x"), One("f", 2, -5, 5, "y"), One("f", 3, 5, 6, "z")], [Back("f", 2, None)]),
        ([One("f", 1, 5)], []),
        ([One("f", 1, 5, 6)], []),
        ([One("f", 1, -9, -5)], []),
        ([One("f", 1, -5, 5), One("f", 2, 5)], []),
        ([One("f", 1, -5, 5, None, "x"), One("f", 2, 5, None, None, "y")], [Back("f", 1, 2)]),
        ([One("b", 1, -5, 5), One("a", 2, -5, 5)], [Back("a", 2, None), Back("b", 1, None)]),
    ],
    ids=[
        "as it was",
        "overwritten",
        "deleted",
        "the version of that time, not the newest",
        "new since then",
        "came and went since then",
        "was gone already",
        "the same bytes again",
        "composed objects",
        "several objects",
    ],
)
def test_what_had_other_bytes_or_is_gone_comes_back(versions: Sequence[One], back: Sequence[Back]) -> None:
    assert list(lost(versions, NOON)) == back


class Bucket:
    """Lists as Cloud Storage: all names that start with the prefix."""

    def __init__(self, *names: str) -> None:
        self.client = self
        self._names = names

    def list_blobs(self, bucket: object, *, prefix: str, versions: str) -> Sequence[One]:
        assert bucket is self and versions == "true"
        return [One(name, 1, 0) for name in self._names if name.startswith(prefix)]


def test_a_folder_or_exactly_one_document_comes_back() -> None:
    bucket = Bucket("guides/a.md", "guides/a.md.old", "other/a.md")
    assert [one.name for one in versions_of(bucket, "guides/")] == ["guides/a.md", "guides/a.md.old"]
    assert [one.name for one in versions_of(bucket, "", only="guides/a.md")] == ["guides/a.md"]
