"""The files of the console: that they fit together, and what none of them may do."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import PurePosixPath

import pytest

from ragbase.access.caller import Scope
from ragbase.access.daily_limits import Limited
from ragbase.domain.audit import Action, AuditOutcome
from ragbase.domain.confidence import Confidence
from ragbase.domain.document import Status
from ragbase.domain.limits import MAX_FILE_SIZE, MAX_PAGE_SIZE, MAX_PATH, MAX_QUERY_LENGTH
from ragbase.domain.loss_stage import LossStage
from ragbase.formats.table import FORMATS, format_of
from ragbase.interfaces.console.page_files import FOLDER, INDEX, page
from ragbase.interfaces.wire.query import QueryFilter
from ragbase.messages.source_runs import RunPhase
from ragbase.upkeep.dead_letters.replay import Fate
from ragbase.upkeep.reconcile.compare import DifferenceKind

VENDOR = FOLDER / "vendor"
OURS = sorted(path for path in FOLDER.rglob("*") if path.suffix in (".js", ".css") and path.parent != VENDOR)
SCRIPTS = [path for path in OURS if path.suffix == ".js"]
LANGUAGES = sorted(path.stem for path in (FOLDER / "strings").glob("*.json"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_module_imports_files_that_are_there(path: PurePosixPath) -> None:
    for imported in re.findall(r'(?:from |import\()"([^"]+)"', (FOLDER / path).read_text(encoding="utf-8")):
        assert imported.startswith(("./", "../")), imported
        assert (FOLDER / path.parent / imported).is_file(), imported


MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment|DOMParser|\beval\b"
    r"|new Function|javascript:|trustedTypes"
)
FOREIGN = re.compile(r"(?<!xmlns=\")(?:https?:)?//[a-z0-9-]+\.[a-z]", re.IGNORECASE)


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_no_text_becomes_markup_and_nothing_comes_from_elsewhere(path: PurePosixPath) -> None:
    text = (FOLDER / path).read_text(encoding="utf-8")
    assert not MARKUP.findall(text)
    assert not FOREIGN.findall(text)


def test_the_page_has_neither_script_nor_style_in_it() -> None:
    """The policy would not run them."""
    text = (FOLDER / INDEX).read_text(encoding="utf-8")
    assert "<style" not in text and "style=" not in text
    assert not re.search(r"<script[^>]*>[^<]", text) and not re.search(r"\son\w+=", text)


@cache
def strings(language: str) -> dict[str, str | dict[str, str]]:
    found: dict[str, str | dict[str, str]] = json.loads(
        (FOLDER / "strings" / f"{language}.json").read_text(encoding="utf-8")
    )
    return found


def places(string: str | dict[str, str]) -> list[set[str]]:
    forms = [string] if isinstance(string, str) else list(string.values())
    return [set(re.findall(r"{(\w+)}", form)) for form in forms]


def test_the_languages_say_the_same() -> None:
    assert LANGUAGES == ["en", "vi"]
    assert list(strings("en")) == list(strings("vi"))
    for name, string in strings("en").items():
        expected = places(string)[0]
        for language in LANGUAGES:
            other = strings(language)[name]
            assert isinstance(other, dict) is isinstance(string, dict), name
            assert all(found == expected for found in places(other)), name
            assert isinstance(other, str) or "other" in other, name


def test_every_string_is_there_and_used() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    used = set(re.findall(r"\bt\(\"(\w+)\"", text))
    assert used <= strings("en").keys()
    quoted = set(re.findall(r"[\"'](\w+)[\"']", text))
    assert strings("en").keys() <= used | quoted | {"ALL"}


def test_the_page_knows_the_limits_and_the_words_of_the_api() -> None:
    def script(name: str) -> str:
        return (FOLDER / name).read_text(encoding="utf-8")

    checks = script("file_checks.js")
    assert f"const MOST = {MAX_FILE_SIZE // 1024**2};" in checks
    assert f"const LONGEST = {MAX_PATH};" in checks
    unread = {word for line in re.findall(r'"([a-z0-9 ]{20,})"', checks) for word in line.split()}
    assert "zip" in unread and not any(format_of(f"file.{ending}") for ending in unread)
    assert f"const PAGE = {MAX_PAGE_SIZE};" in script("documents.js")
    assert f"const MOST = {MAX_QUERY_LENGTH};" in script("views/ask.js")
    assert set(re.findall(r'"([A-Z]+)"', script("documents.js"))) >= set(Status)
    names = re.search(r"FORMATS = `([^`]*)`", script("filters.js"))
    assert names is not None and names[1].split() == sorted(FORMATS)
    fields = re.findall(r': \["(\w+)"', script("filters.js"))
    assert {*fields} == {field.alias for field in QueryFilter.model_fields.values()}
    stages = re.findall(r'"([A-Z_]+)"', script("views/expected.js"))
    assert [*stages] == [stage for stage in LossStage if stage is not LossStage.FOUND]
    words = re.findall(r'"?(\w+(?: \w+)?)"?: "sure\w+"', script("sure.js"))
    assert words == [*Confidence]


def test_a_view_that_comes_later_is_not_loaded_with_the_first() -> None:
    preloaded = set(re.findall(r'modulepreload" href="console/[0-9a-f]+/([^"]+)"', page().index_with([]).decode()))
    assert {"main.js", "vendor/signals-core.js", "views/app.js", "views/ask.js"} < preloaded
    assert "views/document.js" not in preloaded


def test_operate_knows_the_words_of_the_api() -> None:
    def script(name: str) -> str:
        return (FOLDER / "views" / f"operate_{name}.js").read_text(encoding="utf-8")

    assert set(re.findall(r'"([a-z-]+\.[a-z-]+)"', script("audit"))) == set(Action)
    assert set(re.findall(r"^  (\w+): \[", script("audit"), re.MULTILINE)) == set(AuditOutcome)
    assert set(re.findall(r'^  "?([a-z ]+)"?: \[', script("sources"), re.MULTILINE)) == set(RunPhase)
    assert all(f"{kind.value}: " in script("reconcile") for kind in DifferenceKind)
    assert all(f"{fate.value}: " in script("dead_letters") for fate in Fate)
    assert all(f"{scope.value}: " in script("keys") for scope in Scope)
    assert all(f"{limited.value}: " in script("keys") for limited in Limited)


def test_the_version_names_all_files() -> None:
    assert re.fullmatch("[0-9a-f]{16}", page().version)
    assert page().version.encode() in page().index_with([])
    assert b'content="[&quot;~$*&quot;, &quot;&lt;a&gt;/&quot;]"' in page().index_with(["~$*", "<a>/"])
    assert {f"vendor/{name}" for name in ("preact.js", "htm.js", "signals.js")} < page().files.keys()
