"""What another package adds by entry points: the example is installed beside ragbase, and used (docs/extend.md)."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ragbase.formats.table import KIND as FORMATS
from ragbase.plugins import EMBEDDERS, GENERATORS, RERANKERS, SOURCES, VECTOR_STORES
from tests.page_blocks import block_of
from tests.warm import program, warm

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "ragbase_example"
FILM = (
    "1\n00:00:01,000 --> 00:00:03,500\nThe keeper counts the ships.\n\n2\n00:00:04,000 --> 00:00:06,000\nAll of them.\n"
)


@dataclass
class Machine:
    """A folder with installed packages, and one with data."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def packages(self) -> Path:
        return self.folder / "packages"

    def install(self, name: str, version: str, entry_points: Mapping[str, Mapping[str, str]], **modules: str) -> None:
        """As pip leaves a package: its modules, and a dist-info with its name and entry points."""
        info = self.packages / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = [
            line
            for group, names in entry_points.items()
            for line in (f"[{group}]", *(f"{one} = {what}" for one, what in names.items()))
        ]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        for module, text in modules.items():
            (self.packages / f"{module}.py").write_text(text)

    def python(self, *arguments: str, code: int = 0) -> str:
        return self._run(sys.executable, *arguments, code=code)

    def shell(self, script: str) -> str:
        return self._run("bash", "-euo", "pipefail", "-c", script, code=0)

    def _run(self, *command: str, code: int) -> str:
        done = subprocess.run(
            command,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder),
                "PYTHONPATH": f"{ROOT / 'common'}:{self.packages}",
                "RAGBASE_HOME": str(self.folder / "data"),
                "RAGBASE_EMBEDDER": "hashing",
            }
            | self.settings,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def ragbase(self, *arguments: str, code: int = 0) -> str:
        return self._run(*warm(), *arguments, code=code)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.packages.mkdir()
    return machine


@pytest.fixture
def example(machine: Machine) -> Machine:
    """With the package of examples/, as its pyproject.toml describes it."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    machine.install(project["name"], project["version"], project["entry-points"])
    package = "ragbase_example"
    shutil.copytree(EXAMPLE / package, machine.packages / package, ignore=shutil.ignore_patterns("__pycache__"))
    return machine


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_example_reads_its_format_and_embeds(example: Machine) -> None:
    films = example.folder / "films"
    films.mkdir()
    (films / "tower.srt").write_text(FILM)
    (films / "notes.md").write_text("# Bakery\n\nBread is baked at four.\n")
    example.settings["RAGBASE_EMBEDDER"] = "trigrams"
    assert "tower.srt" in example.ragbase("ingest", "films")
    found = example.ragbase("query", "Who counts the ships?")
    assert "The keeper counts the ships." in found
    assert "00:00:01" not in found
    assert "srt" in example.ragbase("status", "films/tower.srt")


def test_an_index_finds_its_embedder_again_when_the_setting_names_another(example: Machine) -> None:
    (example.folder / "tower.srt").write_text(FILM)
    example.settings["RAGBASE_EMBEDDER"] = "trigrams"
    example.ragbase("ingest", "tower.srt")
    example.settings["RAGBASE_EMBEDDER"] = "hashing"
    assert "The keeper counts the ships." in example.ragbase("query", "Who counts the ships?")


def test_its_name_is_one_of_the_setting_for_formats(example: Machine) -> None:
    (example.folder / "films").mkdir()
    (example.folder / "films" / "tower.srt").write_text(FILM)
    (example.folder / "films" / "notes.md").write_text("Bread is baked at four.\n")
    example.settings["RAGBASE_ALLOWED_FORMATS"] = "srt"
    said = example.ragbase("ingest", "films")
    assert "tower.srt" in said
    assert "The setting allowed_formats does not name md" in one_line(said)


@pytest.mark.prove
def test_the_example_keeps_the_contracts(example: Machine) -> None:
    (example.folder / "test_page.py").write_text(block_of("docs/extend.md", "Test it").text)
    said = example.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA", "test_page.py")
    assert "PASSED test_page.py::TestTrigrams::" in said


def test_the_page_names_the_embedder_as_the_example_does() -> None:
    shown = tomllib.loads(block_of("docs/extend.md", "In four steps").text)["project"]["entry-points"]
    named = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    assert shown.items() <= named.items()


@pytest.mark.prove
def test_the_commands_of_its_page_run(example: Machine) -> None:
    """`pip` stands in: what it would install is here."""
    (example.folder / "films").mkdir()
    (example.folder / "films" / "tower.srt").write_text(FILM)
    shutil.copytree(EXAMPLE, example.folder / "examples" / "ragbase_example")
    programs = example.folder / "programs"
    programs.mkdir()
    program(programs / "ragbase", warm())
    (programs / "pytest").write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest -p no:cacheprovider "$@"\n')
    (programs / "pip").write_text('#!/bin/sh\n[ "$*" = "install -e examples/ragbase_example[test]" ]\n')
    for file in programs.iterdir():
        file.chmod(0o755)
    script = block_of("examples/ragbase_example/README.md", "A package that adds to ragbase").text
    said = example.shell(f'PATH="{programs}:$PATH"\n{script}')
    assert "trigrams" in said and "tower.srt" in said and "The keeper counts the ships." in said and " passed" in said


def test_doctor_lists_what_is_added(example: Machine) -> None:
    said = one_line(example.ragbase("doctor"))
    assert "embedder trigrams ok added by ragbase-example 1.0" in said
    assert "format srt ok added by ragbase-example 1.0" in said


def test_other_kinds_are_chosen_by_the_same_settings(machine: Machine) -> None:
    machine.install(
        "ragbase-others",
        "2.1",
        {
            "ragbase.vector_stores": {"kept": "others:store"},
            "ragbase.generators": {"echo": "others:Echo"},
            "ragbase.rerankers": {"last": "others:Last"},
            "ragbase.sources": {"lake": "others:lake"},
        },
        others="""
from ragbase.ports import DraftCitation, DraftSentence, Reranked
from ragbase.testing.indexes import MemoryIndexes
from ragbase.testing.source import MemorySource

def store(config):
    return MemoryIndexes()

class Echo:
    model = "echo"
    def __init__(self, config): pass
    def generate(self, question, evidence):
        yield DraftSentence(evidence[0].text, (DraftCitation(evidence[0].id, evidence[0].text),))

class Last:
    model = "last"
    def __init__(self, config): pass
    def rerank(self, question, texts):
        return Reranked([place / len(texts) for place in range(len(texts))])

def lake(address, config):
    source = MemorySource(address, root="lake/")
    source.files["shore.md"] = b"The keeper counts the ships."
    return source
""",
        program="""
from ragbase import RAGEngine, load_config
with RAGEngine(load_config()) as engine:
    profile = engine.profile
    print(type(profile.indexes).__name__, profile.generator.model, profile.reranker.model)
    engine.ingest(["tower.md"])
    for result in engine.query("Who counts the ships?"):
        print(result.chunk.content)
""",
    )
    machine.settings |= {
        "RAGBASE_VECTOR_STORE": "kept",
        "RAGBASE_GENERATOR": "echo",
        "RAGBASE_RERANKER": "last",
    }
    (machine.folder / "tower.md").write_text("The keeper counts the ships.")
    said = machine.python("-m", "program")
    assert "MemoryIndexes echo last" in said
    assert "The keeper counts the ships." in said
    assert "shore.md" in machine.ragbase("sync", "lake://shore/")


def test_an_unknown_name_is_told_with_all_names(example: Machine) -> None:
    example.settings["RAGBASE_EMBEDDER"] = "trigram"
    said = one_line(example.ragbase("list", code=1))
    assert (
        "no embedder 'trigram'. ragbase has minilm, e5, hashing, cohere, openai, vertex; installed packages add" in said
    )
    assert "trigrams" in said
    assert "RAGBASE_EMBEDDER" in said


@pytest.mark.parametrize(
    ("entry_points", "module", "setting", "told"),
    [
        (
            {"ragbase.embedders": {"broken": "broken:make"}},
            "import a_library_that_is_not_there",
            "broken",
            "ragbase-broken 0.1 adds the embedder broken, but broken:make cannot be imported",
        ),
        (
            {"ragbase.embedders": {"broken": "broken:make"}},
            "def make(config): raise KeyError('BROKEN_KEY')",
            "broken",
            "The embedder broken of the package ragbase-broken 0.1 cannot be made: KeyError: 'BROKEN_KEY'",
        ),
        (
            {"ragbase.embedders": {"broken": "broken:make", "cohere": "broken:make"}},
            "",
            "broken",
            "ragbase-broken 0.1 adds the embedder cohere, but ragbase has one of this name",
        ),
        (
            {"ragbase.embedders": {"broken": "broken:make"}},
            "from ragbase.adapters.hashing.embedder import HashingEmbedder\ndef make(config): return HashingEmbedder()",
            "broken",
            "names its model 'hashing-384', which has to begin with broken-",
        ),
    ],
)
def test_a_package_that_cannot_be_used_is_named(
    machine: Machine, entry_points: Mapping[str, Mapping[str, str]], module: str, setting: str, told: str
) -> None:
    machine.install("ragbase-broken", "0.1", entry_points, broken=module)
    machine.settings["RAGBASE_EMBEDDER"] = setting
    (machine.folder / "a.md").write_text("text")
    assert told in one_line(machine.ragbase("ingest", "a.md", code=1))


@pytest.mark.parametrize(
    ("name", "extension", "told"),
    [
        ("film", ".md", "adds the format film for .md, which ragbase reads"),
        ("other", ".film", "is no AddedFormat of this name"),
    ],
)
def test_a_format_that_cannot_be_used_is_named(machine: Machine, name: str, extension: str, told: str) -> None:
    module = f"""
from ragbase.domain.lane import Lane
from ragbase.formats.added import AddedFormat
from ragbase.formats.format import Format
from ragbase.formats.text import READER

FILM = AddedFormat(
    format=Format(name="{name}", extensions=("{extension}",), content_types=("text/film",), lane=Lane.FAST),
    reader=READER,
)
"""
    machine.install("ragbase-film", "3", {"ragbase.formats": {"film": "film:FILM"}}, film=module)
    (machine.folder / "a.film").write_text("text")
    assert told in one_line(machine.ragbase("ingest", "a.film", code=1))
    assert told in one_line(machine.ragbase("doctor", code=1))


def test_nobody_looks_for_packages_as_long_as_all_names_are_ours(machine: Machine) -> None:
    """It takes longer than anything else that a starting function does with its settings."""
    machine.install(
        "ragbase-watched",
        "1",
        {},
        program="""
import importlib.metadata, sys
def entry_points(**asked):
    return sys.exit("looked for " + str(asked)) if "ragbase" in str(asked) else find(**asked)
find, importlib.metadata.entry_points = importlib.metadata.entry_points, entry_points
from ragbase import RAGEngine, load_config
from ragbase.formats.table import format_of
assert format_of("a.md").name == "md" and format_of("a", "text/csv").name == "csv"
with RAGEngine(load_config()) as engine:
    engine.ingest(["a.md"])
    print([result.chunk.content for result in engine.query("Who counts the ships?")])
""",
    )
    (machine.folder / "a.md").write_text("The keeper counts the ships.")
    assert "counts" in machine.python("-m", "program")


def test_the_page_names_every_group_and_every_suite() -> None:
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    kinds = (EMBEDDERS, GENERATORS, RERANKERS, VECTOR_STORES, SOURCES, FORMATS)
    assert re.findall(r"^\| [a-z ]+ \| `(ragbase\.\w+)`", page, re.MULTILINE) == [kind.group for kind in kinds]
    suites = dict(re.findall(r"^\| `(contracts\.\w+)\.(\w+)`", page, re.MULTILINE))
    files = (ROOT / "common" / "ragbase" / "testing" / "contracts").glob("[!_]*.py")
    assert suites.keys() == {f"contracts.{file.stem}" for file in files}
    for module, suite in suites.items():
        assert hasattr(importlib.import_module(f"ragbase.testing.{module}"), suite)
