"""What the operator does with the client, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragbase import Client
from ragbase.client.errors import ApiError
from ragbase.domain.dead_letter import DeadLetter, UnreadMessage
from ragbase.domain.errors import ErrorCode
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import Served, served

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "home", password_hash=hash_of(), tenancy="folder") as server:
        yield server


@pytest.fixture
def client(server: Served) -> Iterator[Client]:
    with Client(server.url) as client:
        client.sign_in(PASSWORD)
        yield client


def test_how_the_deployment_is(client: Client) -> None:
    health = client.operator.health()
    assert health.ok and {"bucket", "records", "index"} <= {check.name for check in health.checks}
    assert client.operator.rate() is None
    assert client.operator.sources().sources == ()
    assert client.operator.reconciliation().report is None
    assert client.operator.evaluations() == ()
    assert list(client.operator.tenants()) == []
    assert client.session().operator


def test_a_dead_letter_is_replayed(server: Served, client: Client) -> None:
    now = datetime.now(UTC)
    for number in range(120):
        server.profile.dead_letters.keep(
            DeadLetter(
                message=UnreadMessage.of(b"%d" % number, {}),
                attempts=5,
                code=ErrorCode.INTERNAL_ERROR,
                reason=f"This is no job: {number}.",
                first_seen=now,
                last_seen=now,
            )
        )
    assert len({one.id for one in client.operator.dead_letters()}) == 120
    (one,) = client.operator.dead_letters(reason="job: 77.")
    assert client.operator.dead_letter(one.id).message["size"] == 2
    assert client.operator.replay(one.id).fate == "refused"
    for wrong in ("", "..", "none"):
        with pytest.raises((ApiError, ValueError)):
            client.operator.replay(wrong)


def test_a_key_is_made_and_revoked(server: Served, client: Client) -> None:
    made = client.operator.create_key("robot", tenant="red", prefixes=["reports/"], expires=3, limits={"requests": 9})
    assert made.key not in repr(made)
    (listed,) = client.operator.keys()
    assert (listed.id, listed.name) == (made.id, "robot")
    with Client(server.url, made.key) as robot:
        assert list(robot.list()) == []
        with pytest.raises(ApiError, match="may only read"):
            robot.operator.health()
        client.operator.revoke_key(made.id)
        with pytest.raises(ApiError, match="not valid"):
            list(robot.list())
    actions = [entry.action for entry in client.operator.audit(action="key.create")]
    assert actions == ["key.create", "key.create"]
    assert list(client.operator.audit(since=datetime(2999, 1, 1, tzinfo=UTC))) == []
