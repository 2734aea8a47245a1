"""Hundreds of files at once on the local cloud."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.local_cloud.burst import embedded, made_up, settled, upload_all
from scripts.local_cloud.inside import Index, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User

FILES = made_up("burst", 229, seed=1)
BURST_SECONDS = 180
"""Six times what it takes on two cores that do nothing else."""

pytestmark = pytest.mark.prove


def test_each_of_many_files_is_completed_once_with_the_chunks_of_the_embedded_profile(
    cloud: LocalCloud, user: User, tmp_path: Path
) -> None:
    upload_all(user, FILES)
    statuses = settled(user, FILES, BURST_SECONDS)
    assert set(statuses.values()) == {"COMPLETED"}
    with profile_of(cloud) as profile, embedded(FILES, profile.bucket.name, tmp_path) as reference:
        here = Index(profile)
        for name in FILES:
            assert here.shown(name) == reference.shown(name), name
