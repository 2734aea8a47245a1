"""scripts/mutants: which faults are drawn, and which of them a test notices."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.locked import NotInstalled, locked_environment
from tests.mutation.__main__ import compare, main
from tests.mutation.kill import BY_IMPORT, GONE, KILLED, SURVIVED, Copy, stages, try_mutant
from tests.mutation.lines import Lines, alike
from tests.mutation.table import DRAWN, Mutant, read, write

PRICE = '''"""What a parcel costs."""

MOST = 20


def price(weight: int | None = None) -> int:
    if weight is None or weight > MOST:
        return 0
    return 3 + weight
'''
CONFTEST = """import hypothesis
hypothesis.settings.register_profile("fast", max_examples=10)
def pytest_configure(config):
    config.addinivalue_line("markers", "prove: left to prove")
"""
STRONG = "tests/unit/domain/test_price.py::test_the_price_grows_with_the_weight"
WEAK = "tests/unit/domain/test_price.py::test_there_is_a_price"
BROKEN = "tests/unit/domain/test_price.py::test_of_another_day"
PROVING = "tests/unit/domain/test_price.py::test_too_heavy"
TESTS = """import pytest
from ragbase.domain.price import price

def test_the_price_grows_with_the_weight():
    assert (price(1), price(5)) == (4, 8)

def test_there_is_a_price():
    assert isinstance(price(1), int)

def test_of_another_day():
    assert False

@pytest.mark.prove
def test_too_heavy():
    assert (price(20), price(21)) == (23, 0)
"""
FAULT = Mutant(
    DRAWN, "", "common/ragbase/domain/price.py", 9, 0, "Add_Sub", "    return 3 + weight", "    return 3 - weight"
)
HEAVY = replace(FAULT, operator="NumberReplacer", line=3, before="MOST = 20", after="MOST = 21")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with one function, its tests, and the packages of this one."""
    root = tmp_path / "project"
    files = {
        "common/ragbase/__init__.py": "",
        "common/ragbase/domain/__init__.py": "",
        "common/ragbase/domain/price.py": PRICE,
        "tests/conftest.py": CONFTEST,
        "tests/unit/domain/test_price.py": TESTS,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["common"]\n',
        ".gitignore": ".venv\n__pycache__\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / ".venv").symlink_to(sys.prefix)
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for arguments in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "-m", "One"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


@pytest.mark.slow
def test_a_fault_is_noticed_by_a_strong_test_and_not_by_a_weak_one(project: Path) -> None:
    with Copy(project) as copy:
        assert try_mutant(copy, FAULT, [WEAK]).result == SURVIVED
        killed = try_mutant(copy, FAULT, [WEAK, STRONG])
        assert (killed.result, killed.killed_by) == (KILLED, STRONG)
        assert (copy.folder / FAULT.file).read_text(encoding="utf-8") == PRICE
    assert (project / FAULT.file).read_text(encoding="utf-8") == PRICE
    assert not copy.folder.exists()


@pytest.mark.prove
def test_a_test_that_fails_without_the_fault_notices_nothing(project: Path) -> None:
    with Copy(project) as copy:
        assert try_mutant(copy, FAULT, [BROKEN, WEAK]).result == SURVIVED
        assert try_mutant(copy, FAULT, [BROKEN, WEAK, STRONG]).killed_by == STRONG


@pytest.mark.prove
def test_a_fault_that_cannot_be_imported_is_killed_by_the_import(project: Path) -> None:
    with Copy(project) as copy:
        assert try_mutant(copy, replace(HEAVY, after="MOST = 20 + None"), [WEAK]).killed_by == BY_IMPORT


@pytest.mark.prove
def test_the_comparison_says_which_set_of_tests_kills_what_was_killed(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [replace(FAULT, result=KILLED, killed_by=STRONG), replace(HEAVY, result=KILLED, killed_by=PROVING)]
    moved = [replace(before[0], before="    return 4 + weight"), replace(HEAVY, result=SURVIVED)]
    tests: dict[str, dict[str, list[str]] | None] = {
        FAULT.key: {"test": [WEAK, STRONG]},
        HEAVY.key: {"test": [WEAK, STRONG], "prove": [PROVING]},
        moved[0].key: {"test": [WEAK]},
    }
    after = tmp_path / "compared.tsv"
    assert compare(project, [*before, *moved], after, tests) == 1  # half is less than 97 of 100
    assert [mutant.result for mutant in read(after)] == ["test", "prove", GONE]
    assert "2 killed before, now by test 1, else by prove 1" in capsys.readouterr().out
    assert compare(project, before[:1], tmp_path / "one.tsv", tests) == 0
    assert compare(project, before[:1], tmp_path / "weak.tsv", {FAULT.key: {"test": [WEAK]}}) == 1
    assert "+ return 3 - weight" in capsys.readouterr().out


def test_a_comparison_continues_where_it_was_stopped(project: Path, tmp_path: Path) -> None:
    write(tmp_path / "compared.tsv", [replace(FAULT, result="test", killed_by=STRONG)])
    assert compare(project, [replace(FAULT, result=KILLED, killed_by=STRONG)], tmp_path / "compared.tsv", {}) == 0


def test_the_tests_of_its_own_file_come_first() -> None:
    cheap = [f"tests/contract/test_{letter}.py::test_one" for letter in "abcd"]
    assert stages(FAULT, [*cheap, STRONG, f"{cheap[0]}[2]"]) == [
        [STRONG, cheap[0], f"{cheap[0]}[2]", cheap[1]],
        cheap[2:],
    ]
    assert stages(replace(FAULT, killed_by=cheap[1]), [*cheap[:2], STRONG]) == [[cheap[1]], [STRONG, cheap[0]]]


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    odd = replace(FAULT, before='    split("\\t", "\t")', after='    split("\\n", """')
    write(tmp_path / "table.tsv", [FAULT, odd])
    assert read(tmp_path / "table.tsv") == [FAULT, odd]


def test_a_line_is_found_after_others_moved_it() -> None:
    second = replace(FAULT, nth=1, before="    return 0", after="    return 1")
    source = "# new\n    return 0\n    pass\n    return 0\n"
    assert second.planted(source) == "# new\n    return 0\n    pass\n    return 1\n"
    assert second.line_in(source) == 4
    assert second.planted("    return 0\n") is None


NOTHING_TO_CHANGE = '''"""Words."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from a import b
    LIMIT = 1
__all__ = ["f"]
@cache
@dataclass(frozen=True, slots=True)
def f(a: int | None = 1, *, b: "x" = 2) -> int | None:
    """Words."""
    log("f", size=1 + 2)
    c: dict[str, int | None] = g(a, 3)
    é = cast(int | None, 4)
    return h(
        c + 1,
        é,
    )
'''


def test_annotations_logs_and_safeguards_hold_no_fault() -> None:
    lines = Lines(NOTHING_TO_CHANGE)
    numbered = dict(enumerate(NOTHING_TO_CHANGE.split("\n"), start=1))
    allowed = {
        number: "".join(text[column] if lines.allows((number, column)) else " " for column in range(len(text)))
        for number, text in numbered.items()
        if number in lines.spans
    }
    assert {number: text.split() for number, text in allowed.items()} == {
        7: [],
        8: ["@dataclass", ",", ")"],
        9: ["def", "f(a:", "=", "1,", "*,", "b:", "=", "2)", "->", ":"],
        12: ["c:", "=", "g(a,", "3)"],
        13: ["é", "=", "cast", ",", "4)"],
        14: ["return", "h("],
        15: ["c", "+", "1,"],
        16: ["é,"],
        17: [")"],
    }
    assert lines.spans[15] == (14, 17)


def test_a_change_of_blanks_is_none() -> None:
    assert alike("a = 1", "a =  1") is True
    assert alike("a = 1", "a = 2") is False
    assert alike("a = 1", "a =") is None


@pytest.mark.prove
def test_the_steps_draw_and_kill_with_the_locked_tools(project: Path, tmp_path: Path) -> None:
    """Cosmic Ray and coverage have an environment of their own, which is made when it is first needed."""
    try:
        locked_environment("cosmic-ray", "mutants")
    except NotInstalled as missing:
        pytest.skip(str(missing))
    places = [f"--checkout={project}", f"--data={tmp_path / 'data'}", f"--table={tmp_path / 'table.tsv'}"]
    assert mutants("cover", *places, "tests/unit", f"--deselect={BROKEN}") == 0
    costs = [json.loads(line) for line in (tmp_path / "data" / "costs.jsonl").read_text().splitlines()]
    assert {cost["id"]: cost["prove"] for cost in costs} == {STRONG: False, WEAK: False, PROVING: True}
    assert mutants("draw", *places, "--seed=7", "--number=6") == 0
    first = read(tmp_path / "table.tsv")
    assert mutants("draw", *places, "--seed=7", "--number=6") == 0
    assert read(tmp_path / "table.tsv") == first and {mutant.result for mutant in first} == {DRAWN}
    assert mutants("run", *places) == 0
    results = {(mutant.before.strip(), mutant.result) for mutant in read(tmp_path / "table.tsv")}
    assert ("return 3 + weight", KILLED) in results
    assert mutants("compare", *places) in (0, 1)
    assert (tmp_path / "data" / "compared.tsv").exists()


def mutants(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["mutants", *arguments])
        return main()
