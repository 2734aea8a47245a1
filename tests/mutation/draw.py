"""Draw mutants, and find the tests that reach them. The Python of the environment that requirements/mutants.txt locks
runs this: it has Cosmic Ray, whose operators change the code, and coverage, whose data it reads.

It reads what to do as JSON, with the coverage's data and the tests' costs, and writes JSON: the mutants, and for each
of them the cheapest tests that reach its line."""

from __future__ import annotations

import functools
import json
import os
import random
import sys
from collections import defaultdict
from dataclasses import astuple
from pathlib import Path
from typing import Any

from tests.mutation.lines import Lines, Place, Span, alike
from tests.mutation.table import DRAWN, NOT_REACHED, Mutant

PACKAGES = ("access", "adapters", "domain", "formats", "pipeline", "retrieval", "upkeep")
MOST_TESTS = 200
SETS = (("test", False), ("prove", True))
"""Tests without the mark `prove`, and with it."""
_NEVER = (
    *(f"ReplaceComparisonOperator_{one}" for one in ("Eq_Is", "NotEq_IsNot", "Is_Eq", "IsNot_NotEq")),
    *("VariableReplacer", "VariableInserter"),  # they need names of variables
)
"""Operators of Cosmic Ray that hardly ever change what the code does, or need to be told more."""


class Reached:
    """Which tests execute which lines, by coverage's contexts."""

    def __init__(self, root: Path, data: list[str], costs: dict[str, dict[str, Any]]) -> None:
        from coverage import CoverageData

        self._root = root
        self._parts = [CoverageData(basename=path) for path in data]
        for part in self._parts:
            part.read()
        self._costs = costs

    @functools.cache  # noqa: B019 # there is one of it
    def _contexts(self, file: str) -> dict[int, set[str]]:
        found: dict[int, set[str]] = defaultdict(set)
        for part in self._parts:
            for measured in part.measured_files():
                if measured.endswith(f"{os.sep}{file}"):
                    for line, contexts in part.contexts_by_lineno(measured).items():
                        # pytest-cov adds the phase: a test that reaches a line in a fixture reaches it, too.
                        found[line].update(context.rpartition("|")[0] for context in contexts)
        return found

    def tests(self, file: str, span: Span, killer: str = "") -> dict[str, list[str]] | None:
        """The cheapest tests, cheapest first: of all, and of each set. `killer`, if there is a test of this name, is
        the first of them. None if no test executes these lines."""
        lines = self._contexts(file)
        reaching = {context for line in range(span[0], span[1] + 1) for context in lines.get(line, ())}
        if "" in reaching:  # executed by an import: whatever uses the file may depend on it
            reaching = {context for contexts in lines.values() for context in contexts} - {""}
        known = [test for test in {*(reaching or self._of_child(file)), killer} if test in self._costs]
        known.sort(key=lambda test: (test != killer, self._costs[test]["cpu"], test))
        marked = {kind: [test for test in known if self._costs[test]["prove"] is is_marked] for kind, is_marked in SETS}
        sets = {"all": known, **marked}
        return {kind: tests[:MOST_TESTS] for kind, tests in sets.items()} if known else None

    def _of_child(self, file: str) -> set[str]:
        """Coverage does not see the processes in which the parsers of a folder run. All tests of the folder may."""
        folder = Path(file).parent
        if not (self._root / folder / "child_process.py").exists():
            return set()
        tests = f"tests/unit/{folder.relative_to('common/ragbase').as_posix()}/"
        return {test for test in self._costs if test.startswith(tests)}


def mutants_of_line(path: Path, file: str, number: int, random_: random.Random) -> Mutant | None:
    """One mutant of this line, drawn: first the family of the operator, so that the many replacements of `<` do not
    outweigh a `not`."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    source = path.read_text(encoding="utf-8")
    lines = Lines(source)
    nodes = list(ast_nodes(get_ast(source)))
    on_line = [node for node in nodes if node.start_pos[0] <= number <= node.end_pos[0] and not _is_star(node)]
    families: dict[str, list[tuple[str, Place]]] = defaultdict(list)
    for name in _operators():
        for place in _places(name, on_line):
            if place[0] == number and lines.allows(place):
                families[name.partition("_")[0]].append((name, place))
    while families:
        family = random_.choice(sorted(families))
        name, place = families[family].pop(random_.randrange(len(families[family])))
        if not families[family]:
            del families[family]
        # NumberReplacer has two changes for a place. The first of them adds 1.
        changed = mutate_code(source, _operator(name), _places(name, nodes).index(place))
        mutant = changed and _of_one_line(file, name, source, changed)
        if mutant and alike(source, mutant.planted(source) or source) is False:
            return mutant
    return None


def _is_star(node: Any) -> bool:
    """The * before parameters that need their names: no product."""
    return getattr(node, "value", "") == "*" and node.parent.type in ("parameters", "lambdef")


def _places(name: str, nodes: list[Any]) -> list[Place]:
    return [start for node in nodes for start, _ in _operator(name).mutation_positions(node)]


def _of_one_line(file: str, operator: str, source: str, changed: str) -> Mutant | None:
    old, new = source.split("\n"), changed.split("\n")
    first = next((index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    if first is None or old[first + 1 :] not in (new[first + 1 :], new[first:]):
        return None
    after = new[first] if len(new) == len(old) else ""
    return Mutant(DRAWN, "", file, first + 1, old[:first].count(old[first]), operator, old[first], after)


@functools.cache
def _operators() -> list[str]:
    from cosmic_ray.plugins import operator_names

    named = [name.removeprefix("core/") for name in operator_names() if name.startswith("core/")]
    return sorted(name for name in named if name not in _NEVER)


@functools.cache
def _operator(name: str) -> Any:
    from cosmic_ray.plugins import get_operator

    return get_operator(f"core/{name}")()


def draw(root: Path, seed: int, number: int, reached: Reached) -> list[Mutant]:
    """Lines of code, each as likely as another, until `number` of them have a mutant that a test reaches."""
    places = [
        (file.relative_to(root).as_posix(), line, span)
        for package in PACKAGES
        for file in sorted((root / "common" / "ragbase" / package).rglob("*.py"))
        for line, span in sorted(Lines(file.read_text(encoding="utf-8")).spans.items())
    ]
    random.Random(seed).shuffle(places)
    drawn: list[Mutant] = []
    for file, line, span in places:
        if sum(mutant.result == DRAWN for mutant in drawn) == number:
            break
        mutant = mutants_of_line(root / file, file, line, random.Random(f"{seed} {file} {line}"))
        if mutant:
            is_reached = reached.tests(file, span) is not None
            drawn.append(mutant if is_reached else Mutant(NOT_REACHED, *astuple(mutant)[1:]))
    return drawn


def main() -> None:
    given = json.load(sys.stdin)
    root, reached = Path(given["root"]), Reached(Path(given["root"]), given["data"], given["costs"])
    if "seed" in given:
        mutants = draw(root, given["seed"], given["number"], reached)
    else:
        mutants = [Mutant(*fields) for fields in given["mutants"]]
    tests = {}
    for mutant in mutants:
        file = root / mutant.file
        source = file.read_text(encoding="utf-8") if file.is_file() else ""
        line = mutant.line_in(source)
        if line:
            tests[mutant.key] = reached.tests(
                mutant.file, Lines(source).spans.get(line, (line, line)), mutant.killed_by
            )
    json.dump({"mutants": [astuple(mutant) for mutant in mutants], "tests": tests}, sys.stdout)


if __name__ == "__main__":
    main()
