"""What the operator of a deployment does in the console."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from ragbase.access.caller import Scope
from ragbase.domain.dead_letter import DeadLetter, UnreadMessage
from ragbase.domain.errors import ErrorCode
from tests.browser.conftest import Console, Opened
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import Served, served

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        yield server


def sign_in(console: Console, secret: str = PASSWORD) -> None:
    console.page.get_by_label("Password or API key").fill(secret)
    console.page.keyboard.press("Enter")
    console.page.get_by_role("navigation", name="Places").wait_for()


def section(console: Console, name: str) -> Locator:
    """The section of this name, as somebody opens it."""
    console.page.get_by_role("navigation", name="Sections").get_by_role("link", name=name, exact=True).click()
    return console.page.get_by_role("region", name=name, exact=True)


def keep(server: Served, number: int, reason: str) -> None:
    now = datetime.now(UTC)
    server.profile.dead_letters.keep(
        DeadLetter(
            message=UnreadMessage.of(b"%d" % number, {}),
            attempts=5,
            code=ErrorCode.INTERNAL_ERROR,
            reason=reason,
            first_seen=now,
            last_seen=now,
        )
    )


def test_only_the_operator_is_shown_the_way(server: Served, opened: Opened) -> None:
    others: dict[str, dict[str, object]] = {
        "reads": {"scopes": [Scope.READ]},
        "of a folder": {"scopes": [Scope.READ, Scope.WRITE], "prefixes": ["red/"]},
    }
    for name, rights in others.items():
        _, token = server.profile.access.keys.create(name, **rights)  # type: ignore[arg-type]  # of several types
        console = opened(server)
        sign_in(console, str(token))
        expect(console.page.get_by_role("link", name="Documents")).to_be_visible()
        expect(console.page.get_by_role("link", name="Operate")).to_have_count(0)
        console.open("operate/keys")
        expect(console.page.get_by_label("Ask a question about your documents")).to_be_visible()
        expect(console.page.get_by_role("heading", name="Operate")).to_have_count(0)


def test_health_and_dead_letters(server: Served, opened: Opened) -> None:
    keep(server, 1, "This is no job: <b>documentId</b> is missing.")
    keep(server, 2, "This is no event.")
    console = opened(server)
    page = console.page
    sign_in(console)
    page.get_by_role("link", name="Operate").click()
    expect(page).to_have_title("Operate · ragbase")
    health = page.get_by_role("region", name="Health")
    expect(health.get_by_role("row", name="Bucket")).to_contain_text("Works")
    expect(health.get_by_role("row", name="Dead letters")).to_contain_text("2 undeliverable messages are kept")
    expect(health.get_by_role("status")).to_have_text("Everything works.")

    letters = section(console, "Dead letters")
    expect(letters.get_by_text("This is no job: <b>documentId</b> is missing.")).to_be_visible()
    letters.get_by_label("Filter by reason").fill("no event")
    expect(letters.get_by_role("row")).to_have_count(2)
    letters.get_by_label("Filter by reason").fill("nothing like it")
    expect(letters.get_by_text("No dead letter has this in its reason.")).to_be_visible()
    letters.get_by_label("Filter by reason").fill("no event")
    replay = letters.get_by_role("button", name="Replay")
    expect(replay).to_have_count(1)
    replay.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(replay).to_be_focused()
    replay.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Replay").click()
    expect(page.locator(".notice.bad")).to_contain_text("ragbase cannot read this message")
    expect(letters.get_by_role("heading")).to_be_focused()


def test_a_section_that_gets_no_answer_says_so_and_tries_again(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    sign_in(console)
    body = {"error": "UNAVAILABLE", "message": "The records cannot be read."}
    page.route("**/api/dead-letters*", lambda route: route.fulfill(status=503, json=body))
    console.open("operate/dead-letters")
    expect(page.get_by_text("The records cannot be read.")).to_be_visible()
    page.unroute("**/api/dead-letters*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("There are no dead letters")).to_be_visible()
