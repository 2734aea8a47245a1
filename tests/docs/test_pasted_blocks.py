"""Every block that the documentation tells somebody to paste is run by a test, or is in NOT_RUN with a reason.

A test takes a block from its page by `block_of` or `blocks_of`, with the page, the heading and the number written
out. This reads these calls.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.docs.not_run import NOT_RUN
from tests.page_blocks import SHOWN, Block, block_of, blocks_of, pages, read_all, read_page

ROOT = Path(__file__).resolve().parents[2]
TAKES: Mapping[str, Callable[..., Block | Sequence[Block]]] = {"block_of": block_of, "blocks_of": blocks_of}
PROGRAM = re.compile(
    r"^(?:\$ |\./scripts/|(?:ragbase|curl|pip|python3?|npm|node|gcloud|terraform|kubectl|docker|claude) +[-\w./'])",
    re.MULTILINE,
)
"""How a command begins."""
REMEDY = (
    "Run it in a test, which takes it by block_of or blocks_of (tests/page_blocks.py). If nothing can run it, add it "
    "to NOT_RUN (tests/docs/not_run.py). If nobody pastes it, fence it as ```text."
)


def takes(source: str) -> Iterator[Block]:
    """The blocks that a module takes. Raises ValueError if an argument is not written out, and LookupError if a page
    has no such block."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in TAKES:
            arguments = [ast.literal_eval(argument) for argument in call.args]
            options = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
            found = TAKES[call.func.id](*arguments, **options)
            yield from [found] if isinstance(found, Block) else found


@cache
def taken() -> Mapping[Block, Sequence[str]]:
    """Which modules take a block."""
    modules: dict[Block, list[str]] = {}
    for folder in ("tests", "scripts"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            source = file.read_text(encoding="utf-8")
            if file.parent != Path(__file__).parent and "tests.page_blocks import" in source:
                for block in takes(source):
                    modules.setdefault(block, []).append(file.relative_to(ROOT).as_posix())
    return modules


def pasted() -> Sequence[Block]:
    return [block for page in pages() for block in read_page(page)]


def not_run() -> Sequence[Block]:
    return [block_of(*place) for places in NOT_RUN.values() for place in places]


def test_every_block_is_run_or_named_with_a_reason() -> None:
    left = [str(block) for block in pasted() if block not in taken() and block not in not_run()]
    assert left == [], REMEDY


def test_what_is_named_is_not_run_and_named_once() -> None:
    counted = Counter(not_run())
    assert [str(block) for block, times in counted.items() if times > 1] == []


@pytest.mark.parametrize("page", pages())
def test_nothing_that_is_only_shown_is_a_command(page: str) -> None:
    shown = [block for block in read_all(page) if block.language == SHOWN and PROGRAM.search(block.text)]
    assert [str(block) for block in shown] == [], "Fence it as ```sh, and the output as ```text."


def test_a_take_of_a_block_that_is_gone_fails() -> None:
    with pytest.raises(LookupError, match="0 blocks with the number 99"):
        list(takes('block_of("README.md", "ragbase", 99)'))
    with pytest.raises(LookupError, match="no block below 'Nothing'"):
        list(takes('blocks_of("README.md", "Nothing")'))
    with pytest.raises(ValueError, match="malformed"):
        list(takes("block_of(PAGE, heading)"))
