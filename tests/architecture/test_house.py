"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from tests.page_blocks import block_of

ROOT = Path(__file__).resolve().parents[2]


def tracked(*patterns: str) -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


def test_functions_only_decode_call_and_encode() -> None:
    mains = tracked("functions/*/main.py")
    assert len(mains) >= 4
    for main in mains:
        assert len(main.read_text(encoding="utf-8").splitlines()) <= 40, main


def texts(*folders: str) -> Iterator[tuple[str, str]]:
    """Every file of the folders, committed or not: its path from the root, and its text."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8", errors="replace")


@cache
def classes_and_imports() -> tuple[dict[str, list[str]], set[str]]:
    """The files of each class of the package, and the packages that it imports."""
    homes, imported = defaultdict[str, list[str]](list), set[str]()
    for path, text in texts("common/ragbase"):
        for node in ast.walk(ast.parse(text)) if path.endswith(".py") else ():
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path)
            elif isinstance(node, ast.Import):
                imported.update(name.name.partition(".")[0] for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    return homes, imported


def test_a_class_has_a_name_of_its_own() -> None:
    homes, _ = classes_and_imports()
    assert len(homes) > 100
    assert {name: paths for name, paths in homes.items() if len(paths) > 1 and not name.startswith("_")} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Neither for types, nor inside of functions."""
    graph = grimp.build_graph("ragbase", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the modules of a circle


def test_nothing_that_is_shipped_imports_tests() -> None:
    for path, text in texts("common", "functions"):
        assert not re.search(r"^\s*(from|import)\s+tests\b", text, re.MULTILINE), path
        assert not re.search(r"\btests\.\w+\.\w+", text), path  # as the argument of `python -m`, say


EVERYWHERE = {"numpy", "pydantic", "pydantic_core"}
"""Packages that say what values are: the domain and the messages use them, too."""


def test_each_package_has_the_rooms_that_may_import_it() -> None:
    """A new one gets a contract of import-linter in pyproject.toml."""
    _, imported = classes_and_imports()
    theirs = imported - sys.stdlib_module_names - {"ragbase"} - EVERYWHERE
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    kept = {module for contract in contracts for module in contract.get("protected_modules", ())}
    assert len(theirs) > 20
    assert theirs - kept == set()


def test_every_vendor_has_a_room_apart() -> None:
    """But for the models of this machine, and language models, which share a room each."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (apart,) = (contract["modules"] for contract in contracts if contract["type"] == "independence")
    rooms = {path.parent.name for path in (ROOT / "common" / "ragbase" / "adapters").glob("*/__init__.py")}
    assert {module.rpartition(".")[2] for module in apart} == rooms - {"local_model", "chat"}


def test_what_the_product_cites_exists() -> None:
    cited = 0
    for path, text in texts("common", "functions", "scripts"):
        assert "DESIGN.md" not in text, path
        for contract in re.findall(r"\bcontracts/[\w./-]*\w", text):
            assert (ROOT / "docs" / contract).exists(), f"{path}: {contract}"
            cited += 1
    assert cited


CITED = re.compile(r"(?<![\w./*<$-])((?:[\w-]+/)+[\w-]+\.(?:py|tf)|docs/[\w/-]+\.md)\b")


THEIRS = "src/"
"""Where contracts keep the files that they describe."""


def test_a_path_that_is_cited_exists() -> None:
    """In code, comments and docs. It may begin at any folder."""
    names = [f"/{file.relative_to(ROOT).as_posix()}" for file in tracked()]
    ends = {name[place:] for name in names for place, character in enumerate(name) if character == "/"}
    files = [file for file in tracked("*.py", "*.md", "*.tf", "scripts/*") if ROOT / "tests" not in file.parents]
    cited = [
        (file.relative_to(ROOT).as_posix(), path)
        for file in files
        for path in CITED.findall(file.read_text(encoding="utf-8", errors="replace"))
    ]
    assert len(cited) > 100
    assert [(file, path) for file, path in cited if f"/{path}" not in ends and not path.startswith(THEIRS)] == []


def test_the_map_names_every_room() -> None:
    named = re.findall(
        r"^(?:  )?(?:common/ragbase/)?([\w.]+?)/? {2,}\S", block_of("CONTRIBUTING.md", "The map").text, re.MULTILINE
    )
    rooms = {
        one.name
        for one in (ROOT / "common" / "ragbase").iterdir()
        if one.name not in ("__init__.py", "__pycache__", "py.typed")
    }
    folders = {path.relative_to(ROOT).parts[0] for path in tracked() if path.parent != ROOT} - {"common", ".ci"}
    assert sorted(named) == sorted(rooms | folders)


def test_the_layers_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["type"] == "layers" and one["containers"] == ["ragbase"])
    told = block_of("CONTRIBUTING.md", "Layers").text.splitlines()
    assert [sorted(layer.split(" | ")) for layer in told] == [sorted(layer.split(" | ")) for layer in layers]


def test_every_script_and_bench_is_listed() -> None:
    commands = (ROOT / "scripts" / "README.md").read_text(encoding="utf-8").partition("## Where the code is")[0]
    listed = re.findall(r"^\| `([\w/-]+)[^`]*` \|", commands, re.MULTILINE)
    scripts = {path.relative_to(ROOT / "scripts").as_posix() for path in tracked("scripts") if not path.suffix}
    assert sorted(listed) == sorted(scripts - {"environment"})


DEFINED = r"^\s*(?:async )?(?:class|def) {0}\b|^\s*{0}(?::| =)"


def test_a_name_of_the_glossary_is_where_it_says() -> None:
    """`path.py` (`Name`), and the same for a method or field of a class: `path.py` (`Class.name`)."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)` \(`([\w.]+)`\)", text)
    assert named
    for path, name in named:
        code = (ROOT / "common" / "ragbase" / path).read_text(encoding="utf-8")
        for one in name.split("."):
            assert re.search(DEFINED.format(one), code, re.MULTILINE), f"{path}: {name}"


def test_lock_files_hold_no_address() -> None:
    locks = tracked("requirements/*.txt")
    assert locks
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text and " @ " not in text, lock
        assert "--hash=sha256:" in text, lock


def test_nothing_large_is_committed() -> None:
    for file in tracked():
        assert file.stat().st_size <= 256 * 1024, file  # requirements/test.txt has hashes for every platform
