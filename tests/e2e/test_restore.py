"""Each way back of docs/restore.md on a local cloud: data are lost and come back, and reconcile finds nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.local_cloud.temporary_cloud import started_in
from scripts.local_cloud.user import user_of
from scripts.restoring.rehearsal.google import LocalGoogle
from scripts.restoring.rehearsal.procedures import Rehearsal

pytestmark = [pytest.mark.slow, pytest.mark.prove]

DOCUMENTS = 6


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """On a cloud of its own: the others would lose their data."""
    with started_in(tmp_path_factory.mktemp("lost-cloud")) as cloud, user_of(cloud) as user:
        google = LocalGoogle(cloud, tmp_path_factory.mktemp("google"))
        yield Rehearsal(cloud, user, google, DOCUMENTS, say=lambda _: None)


@pytest.mark.parametrize("procedure", ["region", "bucket", "snapshot", "reindex", "backup"])
def test_after_the_way_back_all_is_as_it_should_be(rehearsal: Rehearsal, procedure: str) -> None:
    ended = rehearsal.by_name(procedure)
    assert ended.found == 0
    assert ended.different == []
    assert ended.documents >= DOCUMENTS
