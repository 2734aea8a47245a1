"""A library that is not installed is named with its extra, and with a command that works where the package is."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragbase.domain.errors import ConfigurationError, MissingExtra
from ragbase.extras import CLOUD_EXTRAS, EXTRAS, extra_of, install_command, missing_module, naming_extras

COMMON = Path(__file__).resolve().parents[2] / "common"
WITHOUT = """
import sys
for module in {modules!r}:
    sys.modules[module] = None
import ragbase
from ragbase.domain.errors import MissingExtra
try:
    {program}
except MissingExtra as error:
    print(error)
"""
ASK = """
    engine = ragbase.RAGEngine(ragbase.load_config(home='home', embedder='{embedder}', similarity_threshold=0))
    engine.ingest(['guide.md'])
    engine.generate('When does the backup start?')
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("modules", "program", "extra"),
    [
        (("Stemmer",), "ragbase.RAGEngine", "process"),
        (("Stemmer",), "ragbase.Retriever", "process"),
        (("numpy",), "ragbase.RAGEngine", "process"),
        (("httpx2",), "ragbase.Client('http://localhost')", "client"),
        (("langchain_core",), "import ragbase.client.langchain", "langchain"),
        (("llama_index",), "import ragbase.client.llama_index", "llama-index"),
        (("onnxruntime",), ASK.format(embedder="minilm"), "minilm"),
        (("numpy",), "import ragbase.csv_service; ragbase.csv_service.CsvKnowledgeBase", "process"),
        (("bs4",), "import ragbase.website_pipeline", "website"),
        (("pytest",), "import ragbase.testing.contracts", "testing"),
        (("quicktok",), ASK.format(embedder="hashing"), "answers"),
    ],
)
def test_the_library_names_the_extra(modules: tuple[str, ...], program: str, extra: str, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("The nightly backup starts at half past two, and takes ten minutes.")
    code = WITHOUT.format(modules=modules, program=program)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(COMMON)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{modules[0]} is not installed. The extra {extra} has it" in done.stdout, done.stderr
    assert f"[{extra}]" in done.stdout


def test_only_what_the_extra_local_has_is_said_to_be_in_it() -> None:
    project = tomllib.loads((COMMON.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    local = set(project["local"][0].removeprefix("ragbase[").removesuffix("]").split(","))
    for extra in EXTRAS.keys() | CLOUD_EXTRAS.keys():
        module = (EXTRAS | CLOUD_EXTRAS)[extra][0]
        assert ("the extra local" in missing_module(module)) == (extra_of(module) in local), module


def test_it_is_an_error_of_ours_and_an_import_error() -> None:
    with pytest.raises(MissingExtra) as caught, naming_extras():
        raise ModuleNotFoundError("No module named 'flask.json'", name="flask.json")
    assert isinstance(caught.value, ConfigurationError) and isinstance(caught.value, ImportError)
    assert caught.value.name == "flask.json"
    with pytest.raises(ModuleNotFoundError, match="somebody's own"), naming_extras():
        raise ModuleNotFoundError("somebody's own", name="somebodys_own")


@pytest.fixture
def pip_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The shell finds the pip of this environment."""
    (tmp_path / "bin").mkdir()
    for name in ("pip", "python"):
        (tmp_path / "bin" / name).touch(mode=0o755)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any] | None], None]:
    """Let the package be installed with this record of where it came from."""

    def come_from(origin: dict[str, Any] | None) -> None:
        text = None if origin is None else json.dumps(origin)
        monkeypatch.setattr(
            "importlib.metadata.distribution", lambda name: SimpleNamespace(read_text=lambda file: text)
        )

    return come_from


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'ragbase[ocr,pdf]'"),
        ({"url": "file://FOLDER/rag%20base", "dir_info": {}}, "pip install 'FOLDER/rag base[ocr,pdf]'"),
        ({"url": "file://FOLDER/r", "dir_info": {"editable": True}}, "pip install -e 'FOLDER/r[ocr,pdf]'"),
        ({"url": "file://FOLDER/r-1-py3-none-any.whl"}, "pip install 'FOLDER/r-1-py3-none-any.whl[ocr,pdf]'"),
        ({"url": "file://FOLDER/gone-1-py3-none-any.whl"}, "pip install 'ragbase[ocr,pdf]'"),
        ({"url": "https://example.com/r.whl"}, "pip install 'ragbase[ocr,pdf] @ https://example.com/r.whl'"),
        (
            {"url": "https://example.com/r.git", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}},
            "pip install 'ragbase[ocr,pdf] @ git+https://example.com/r.git@0a1b'",
        ),
    ],
)
def test_the_command_installs_from_where_the_package_came(
    pip_here: Path,
    installed: Callable[[dict[str, Any] | None], None],
    origin: dict[str, Any] | None,
    command: str,
) -> None:
    for name in ("rag base", "r", "r-1-py3-none-any.whl"):
        (pip_here / name).touch()
    installed(origin and {**origin, "url": origin["url"].replace("FOLDER", str(pip_here))})
    assert install_command("ocr", "pdf") == command.replace("FOLDER", str(pip_here))


def test_a_checkout_that_is_not_installed_is_installed_from_its_folder(
    pip_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", nowhere)
    assert install_command("ocr") == f"pip install -e '{COMMON.parent}[ocr]'"


def test_the_pip_of_another_environment_is_not_named(
    pip_here: Path, installed: Callable[[dict[str, Any] | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(None)
    monkeypatch.setattr("sys.executable", "/my venv/bin/python")
    assert install_command("ocr") == "'/my venv/bin/python' -m pip install 'ragbase[ocr]'"
    monkeypatch.setenv("PATH", "/nowhere")
    assert install_command("ocr") == "'/my venv/bin/python' -m pip install 'ragbase[ocr]'"


def test_each_module_has_an_extra() -> None:
    assert (extra_of("pypdfium2.raw"), extra_of("google"), extra_of("nowhere")) == ("pdf", "storage", "local")
