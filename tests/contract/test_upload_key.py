"""What everything that keeps the key of the addresses of uploads promises (ragbase.ports.UploadKey)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragbase.adapters.embedded.upload_key import UploadKeyFile
from ragbase.adapters.upload_key_checkpoint import UploadKeyCheckpoint
from ragbase.ports import UploadKey
from tests.contract.adapters import CHECKPOINTS
from tests.contract.real_servers import in_prove

Open = Callable[[], UploadKey]
"""Opens what keeps the key, as another process would."""


@pytest.fixture(params=["file", *in_prove(CHECKPOINTS)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    if request.param == "file":
        yield lambda: UploadKeyFile(tmp_path / "home" / "upload-key")
        return
    with CHECKPOINTS[request.param]() as checkpoints:
        yield lambda: UploadKeyCheckpoint(checkpoints)


def test_all_have_one_key_which_nobody_can_guess(opened: Open) -> None:
    one, other = opened(), opened()
    with ThreadPoolExecutor(4) as threads:
        keys = set(threads.map(lambda key: key.secret(), [one, other] * 4))

    (secret,) = keys
    assert len(bytes.fromhex(secret)) == 32


def test_a_renewed_key_is_another_one_for_all(opened: Open) -> None:
    one, other = opened(), opened()
    before = one.secret()

    other.renew()

    assert one.secret() == other.secret() != before
