"""The demo, with the real model: it checks its own claims, and fails where one does not come true."""

from __future__ import annotations

import pytest

from ragbase.interfaces.demo.run import samples
from tests.e2e.command_line import CommandLine, Ended

pytestmark = [pytest.mark.slow, pytest.mark.prove]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return CommandLine(tmp_path_factory.mktemp("home"), embedder="minilm").run("demo")


def test_the_demo_comes_true(demo: Ended) -> None:
    assert (demo.code, demo.err) == (0, "")
    assert "claims checked in" in demo.out


@pytest.mark.parametrize("name", samples())
def test_every_sample_goes_through_router_and_lane(name: str, demo: Ended) -> None:
    seen = [line.split()[2] for line in demo.out.splitlines() if name in line and " s  " in line]

    assert seen[:3] == ["PENDING", "PROCESSING", "COMPLETED"]


def test_an_edit_a_deletion_and_a_foreign_question(demo: Ended) -> None:
    assert "the old text is no longer found." in demo.out
    assert "DELETED" in demo.out
    assert "Nothing found." in demo.out


def test_answers_are_cited(demo: Ended) -> None:
    assert "installation-handbook.pdf" in demo.out
    assert "page 1, characters " in demo.out
    assert "score " in demo.out


def test_it_says_what_to_try_next(demo: Ended) -> None:
    formats, ingest, *_ = demo.out.splitlines()[-5:]
    assert "ragbase ingest" in ingest
    assert all(f" {format}" in formats for format in ("pdf", "html", "csv", "plain text under any name"))


def test_the_samples_are_small() -> None:
    assert sum(map(len, samples().values())) <= 200 * 1024
