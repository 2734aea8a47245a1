"""The page of examples/static-site in Chromium, with the pages, the key and the servers that its README says."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from scripts.local_cloud.free_ports import free_ports
from tests.chromium import PATIENCE, chromium
from tests.examples.machine import EXAMPLES, Machine, replaced
from tests.page_blocks import blocks_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

FOLDER = EXAMPLES / "static-site"
QUESTION = "How long may a rowing boat be kept?"


@dataclass
class Visitor:
    """Somebody who looks at a page of the site. `faults` are what went wrong in it."""

    browser: Browser
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page = self.browser.new_context(locale="en-GB").new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on(
            "console", lambda said: self.faults.append(said.text) if said.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def ask(self, address: str, question: str) -> None:
        self.page.goto(address)
        self.page.get_by_role("searchbox").fill(question)
        self.page.keyboard.press("Enter")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Of the site, which its README's commands have made."""
    machine = Machine(tmp_path_factory.mktemp("site") / "user")
    copied = machine.home / "static-site"
    shutil.copytree(FOLDER, copied)
    ragbase = free_ports(2)
    here = {"8080": str(ragbase), "8000": str(ragbase + 1)}
    site, *others = (replaced(block, {old: new for old, new in here.items() if old in block}) for block in blocks())
    answered = f"curl --silent --output /dev/null --retry 30 --retry-connrefused http://localhost:{ragbase + 1}"
    script = "\n".join([site, answered, *others])
    with machine.running(script, copied, ragbase, ragbase + 1):
        yield ragbase + 1


def blocks() -> list[str]:
    site, read_in, start = (one.text for one in blocks_of("examples/static-site/README.md"))
    assert "8000" in site and "8000" in read_in and start.count("8080") == 2
    return [site, read_in, start]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:
    visitor = Visitor(browser)
    yield visitor
    visitor.page.context.close()


@pytest.mark.prove
def test_a_visitor_gets_an_answer_with_its_page(visitor: Visitor, port: int) -> None:
    visitor.ask(f"http://localhost:{port}", QUESTION)
    expect(visitor.page.locator(".answer")).to_contain_text("A rowing boat may be kept for two days.")
    visitor.page.locator(".cite").first.click()
    # Its address, and nothing of the machine that it was read in on.
    expect(visitor.page.locator("summary bdi").first).to_have_text(f"http://localhost:{port}/pages/renting.html")
    expect(visitor.page.locator("mark").first).to_contain_text("A rowing boat may be kept for two days.")
    assert visitor.faults == []


@pytest.mark.prove
def test_a_question_that_no_page_answers_gets_none(visitor: Visitor, port: int) -> None:
    visitor.ask(f"http://localhost:{port}", "Which planet has the most moons?")
    expect(visitor.page.locator(".answer")).to_contain_text("Try other words.")
    assert visitor.faults == []


@pytest.mark.prove
def test_the_key_gives_nothing_to_a_page_of_another_origin(visitor: Visitor, port: int) -> None:
    """The same files, under the other name of this machine."""
    visitor.ask(f"http://127.0.0.1:{port}", QUESTION)
    expect(visitor.page.locator(".wrong")).to_contain_text(f"does not answer pages of http://127.0.0.1:{port}")


@pytest.mark.prove
def test_the_policy_of_the_page_lets_nothing_else_in(visitor: Visitor, port: int) -> None:
    visitor.page.goto(f"http://localhost:{port}")
    address = f"http://127.0.0.1:{port}/style.css"
    told = visitor.page.evaluate("(address) => fetch(address).then(() => 'read', () => 'refused')", address)
    assert told == "refused"
    assert any("Content Security Policy" in fault for fault in visitor.faults)


def test_the_site_links_to_each_page() -> None:
    links = re.findall(r'href="(pages/.*?)"', (FOLDER / "index.html").read_text(encoding="utf-8"))
    assert links == ["pages/renting.html", "pages/repairs.html"]
    assert sorted(links) == sorted(f"pages/{file.name}" for file in (FOLDER / "pages").iterdir())
