"""What the operator of a deployment does in the console."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it says nothing of types
from playwright.sync_api import Locator, expect

from ragbase import Client
from ragbase.access.caller import EVERYTHING, Scope
from ragbase.domain.audit import Action
from ragbase.domain.dead_letter import DeadLetter, UnreadMessage
from ragbase.domain.errors import ErrorCode
from ragbase.engine.due_sources import work_on_due_sources
from ragbase.messages.api.reconciliation import Example, Reconciliation
from ragbase.messages.api.sources import LeftOutFiles
from ragbase.upkeep.reconcile.last_report import keep_report
from tests.browser.conftest import Console, Opened
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser


GUIDE = b"# Backups\n\nThe nightly backup starts at half past two and is kept for ninety days.\n"


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
    expect(health.get_by_role("status")).to_have_text("Everything works, and some of it waits for you.")

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
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(replay).to_be_focused()
    replay.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Replay").click()
    expect(page.locator(".notice.bad")).to_contain_text("ragbase cannot read this message")
    expect(letters.get_by_role("heading")).to_be_focused()


def test_a_key_is_made_copied_and_revoked(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(console)
    page.get_by_role("link", name="Operate").click()
    keys = section(console, "Keys")
    expect(keys.get_by_text("There is no key yet.")).to_be_visible()
    keys.get_by_role("button", name="Make a key").click()
    form = keys.get_by_role("form")
    expect(form.get_by_label("Name")).to_be_focused()
    form.get_by_label("Name").fill("<b>website</b>")
    form.get_by_label("Only these folders").fill("/etc")
    form.get_by_label("Ends").select_option("in 30 days")
    form.get_by_text("Limits a day").click()
    form.get_by_label("Requests").fill("10000")
    form.get_by_role("button", name="Make a key").click()
    expect(form.get_by_role("alert")).to_contain_text("'/etc' cannot be a prefix")
    form.get_by_label("Only these folders").fill("finance/, hr/2026")
    form.get_by_role("button", name="Make a key").click()

    field = keys.get_by_label("API key")
    expect(field).to_be_focused()
    token = field.input_value()
    keys.get_by_role("button", name="Copy").click()
    expect(keys.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == token
    with Client(server.url, token) as client:
        assert client.page().total == 0
    row = keys.get_by_role("row", name="<b>website</b>")
    expect(row).to_contain_text("finance/hr/2026/")
    expect(row).to_contain_text("of 10,000")
    keys.get_by_role("button", name="Close").click()
    expect(page.get_by_text(token)).to_have_count(0)
    assert token not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")

    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(row).to_be_visible()
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(keys.get_by_text("There is no key yet.")).to_be_visible()
    assert server.profile.access.keys.all() == []


def test_what_runs_by_itself_is_shown(server: Served, opened: Opened, tmp_path: Path) -> None:
    docs = tmp_path / "handbook"
    docs.mkdir()
    (docs / "a.md").write_text("# Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n")
    home = server.profile.config.home
    (home / "sources.toml").write_text(f'[handbook]\naddress = "{docs}"\nevery_minutes = 60\n')
    console = opened(server)
    sign_in(console)
    console.page.get_by_role("link", name="Operate").click()
    sources = section(console, "Scheduled sources")
    expect(sources.get_by_role("row", name="handbook")).to_contain_text("Never ran")
    profile = server.profile
    work_on_due_sources(profile, until=profile.clock.now() + timedelta(minutes=5))
    expect(section(console, "Reconcile").get_by_text("There was no comparison yet.")).to_be_visible()
    ran = section(console, "Scheduled sources").get_by_role("row", name="handbook")
    expect(ran).to_contain_text("Done")
    expect(ran).to_contain_text("1 added")
    (home / "sources.toml").write_text("[handbook]\naddress = 5\n")
    section(console, "Rate book").get_by_text("The embedder runs on the server itself").wait_for()
    expect(section(console, "Scheduled sources").get_by_role("alert")).to_contain_text("[handbook]")

    report = Reconciliation(
        in_step=1_200,
        in_motion=0,
        missing=1,
        stale=0,
        orphaned=0,
        stuck=0,
        unlabelled=0,
        left=1,
        complete=True,
        examples=(Example(kind="missing", document_id="1", filename="a.md", found="nothing", repaired=False),),
        errors=(),
        left_out=(
            LeftOutFiles(kind="programs' own files", count=2, endings=("~$a.docx",), reason="They are left out."),
        ),
    )
    keep_report(report, profile.checkpoints, now=profile.clock.now())
    reconcile = section(console, "Reconcile")
    expect(reconcile.get_by_role("status")).to_have_text("1 difference is left. Run: ragbase reconcile --repair")
    expect(reconcile.get_by_text("1,200")).to_be_visible()
    expect(reconcile.get_by_role("row", name="a.md")).to_contain_text("Left")
    expect(reconcile.get_by_text("2 programs' own files (~$a.docx). They are left out.")).to_be_visible()


def test_who_did_what_is_shown_page_after_page(server: Served, opened: Opened) -> None:
    profile = server.profile
    for number in range(25):
        profile.audit.record(profile.audit.deed(Action.CREATE_KEY, caller=f"command:{number}"))
    console = opened(server)
    sign_in(console)
    console.page.get_by_role("link", name="Operate").click()
    audit = section(console, "Audit log")
    expect(audit.get_by_role("row")).to_have_count(21)
    expect(audit.get_by_role("row", name="session.sign-in")).to_contain_text("password")
    audit.get_by_role("button", name="Show more").click()
    expect(audit.get_by_text("command:0", exact=True)).to_be_visible()
    expect(audit.get_by_role("button", name="Show more")).to_have_count(0)
    audit.get_by_label("Action").select_option("session.sign-in")
    expect(audit.get_by_role("row")).to_have_count(2)
    audit.get_by_label("Filter by caller").fill("command:")
    expect(audit.get_by_text("No entry fits.")).to_be_visible()
    audit.get_by_label("Action").select_option("key.create")
    expect(audit.get_by_role("row")).to_have_count(21)


def test_tenants_are_shown_with_their_limits(opened: Opened, tmp_path: Path) -> None:
    with served(tmp_path / "home", password_hash=hash_of(), tenancy="folder", tenant_limits="requests=5000") as server:
        _, token = server.profile.access.keys.create("red", scopes=EVERYTHING, tenant="red")
        with Client(server.url, str(token)) as client:
            client.wait(client.upload(GUIDE, path="a.md").id)
        console = opened(server)
        sign_in(console)
        console.page.get_by_role("link", name="Operate").click()
        row = section(console, "Tenants").get_by_role("row", name="red")
        expect(row).to_contain_text("of 5,000")


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_section_keeps_anybody_out(browser: Browser, server: Served, scheme: str) -> None:
    keep(server, 1, "This is no job.")
    server.profile.access.keys.create("robot", scopes=[Scope.READ], lasting=timedelta(days=3))
    # The policy of the page would not run axe.
    context = browser.new_context(bypass_csp=True, color_scheme="dark" if scheme == "dark" else "light")
    console = Console(context.new_page(), server.url)
    page = console.page
    console.open()
    sign_in(console)
    faults: dict[str, list[str]] = {}

    def look(view: str) -> None:
        faults[view] = [f"{one['id']}: {one['help']}" for one in Axe().run(page).response["violations"]]

    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        console.open("operate")
        for name in page.get_by_role("navigation", name="Sections").get_by_role("link").all_text_contents():
            opened = section(console, name)
            opened.locator(".cards, dl, .empty:not([aria-busy])").first.wait_for()
            look(f"{name} {width}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
        section(console, "Keys").get_by_role("button", name="Make a key").click()
        look(f"make a key {width}")
        page.get_by_role("button", name="Revoke").click()
        look(f"revoke {width}")
        page.keyboard.press("Escape")
    context.close()
    assert console.faults == []
    assert faults == {view: [] for view in faults}
