"""`ragbase config` and `ragbase doctor`, and the page that explains the settings."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.extras import EXTRAS, extra_of, install_command
from ragbase.interfaces.cli.application import application
from ragbase.settings import Config
from tests.doubles.cohere_server import cohere_server
from tests.unit.adapters.chat_service import JSON, KEY, Reply, serving
from tests.unit.adapters.chat_services import WORKING, said

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGBASE_EMBEDDER", "hashing")
    monkeypatch.delenv("RAGBASE_HOME", raising=False)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(application, list(arguments), prog_name="ragbase")


def test_config_shows_each_value_and_its_origin(home: Path) -> None:
    (home / "ragbase.toml").write_text("top_k = 7\nembedder = 'minilm'\n")

    result = call("config", "--json", "--home", str(home))

    settings = {setting["name"]: setting for setting in json.loads(result.output)["settings"]}
    assert list(settings) == list(Config.model_fields)
    assert {name: (settings[name]["value"], settings[name]["origin"]) for name in ("home", "top_k", "embedder")} == {
        "home": (str(home), "--home"),
        "top_k": (7, str(home / "ragbase.toml")),
        "embedder": ("hashing", "RAGBASE_EMBEDDER"),
    }
    assert settings["chunk_size"]["origin"] == "default"
    assert settings["chunk_size"]["variable"] == "RAGBASE_CHUNK_SIZE"


def test_config_is_a_table_for_people(home: Path) -> None:
    result = call("config", "--home", str(home))

    rows = {line.split()[0]: line.split()[1:3] for line in result.output.splitlines()}
    assert rows["embedder"] == ["hashing", "RAGBASE_EMBEDDER"]
    assert list(rows)[1:] == list(Config.model_fields)


def test_the_page_of_settings_shows_them_as_they_are() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `(\w+)` \| `(.*?)` \| (.*) \|$", page, re.MULTILINE)

    assert len(shown) > 10
    own_ways = {"home": "~/.local/share/ragbase"}
    for name, default, meaning in shown:
        field = Config.model_fields[name]
        assert (default, meaning) == (own_ways.get(name, str(field.default)), field.description)


def test_doctor_finds_no_fault_where_everything_is_there(home: Path) -> None:
    result = call("doctor", "--json", "--home", str(home / "new"))

    report = json.loads(result.output)
    checks = {check["name"]: check for check in report["checks"]}
    assert (result.exit_code, report["ok"]) == (0, True)
    assert all(check["ok"] for check in checks.values() if check["needed"])
    assert {"python", "sqlite", "extra pdf", "settings", "data folder", "disk space", "embedder"} <= set(checks)
    assert not (home / "new").exists(), "looking leaves nothing behind"


@pytest.mark.parametrize("chunk_size", ["500", "3"])
def test_doctor_names_the_version_first_even_if_a_setting_is_wrong(
    home: Path, monkeypatch: pytest.MonkeyPatch, chunk_size: str
) -> None:
    monkeypatch.setenv("RAGBASE_CHUNK_SIZE", chunk_size)

    version = call("--version").output.strip()

    assert call("doctor", "--home", str(home)).output.splitlines()[0] == version
    assert f"ragbase {json.loads(call('doctor', '--json', '--home', str(home)).output)['version']}" == version


def test_doctor_names_the_remedy_for_a_wrong_setting(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGBASE_CHUNK_SIZE", "3")

    result = call("doctor", "--home", str(home))

    assert result.exit_code == 1
    assert "FAILED" in result.output
    assert "RAGBASE_CHUNK_SIZE" in result.output


def test_doctor_names_the_remedy_for_a_data_folder_that_cannot_be_written(home: Path) -> None:
    result = call("doctor", "--json", "--home", "/proc/ragbase")

    checks = {check["name"]: check for check in json.loads(result.output)["checks"]}
    assert result.exit_code == 1
    assert not checks["data folder"]["ok"]
    assert "--home" in checks["data folder"]["remedy"]


def test_doctor_says_what_the_embedder_lacks(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, text: str) -> None:
        raise ConfigurationError("The model is not there. Get it with: …")

    monkeypatch.setattr("ragbase.adapters.hashing.embedder.HashingEmbedder.embed_query", fail)

    result = call("doctor", "--json", "--home", str(home))

    check = json.loads(result.output)["checks"][-1]
    assert result.exit_code == 1
    assert (check["name"], check["ok"], check["remedy"]) == (
        "embedder",
        False,
        "The model is not there. Get it with: …",
    )


@pytest.mark.parametrize("status", [200, 404])
def test_doctor_asks_the_models_that_write_and_rerank(home: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    def answer(request: Mapping[str, Any]) -> Reply:
        if status != 200:
            return said("The model does not exist", 404, code="model_not_found")
        if "documents" not in request:
            return WORKING["OpenAI"][1](request)
        scores = [{"index": 0, "relevance_score": 0.5} for _ in request["documents"]]
        return Reply([json.dumps({"results": scores}).encode()], headers=JSON)

    with serving(answer) as server:
        monkeypatch.setenv("RAGBASE_GENERATOR", "openai")
        monkeypatch.setenv("RAGBASE_CHAT_MODEL", "writer")
        monkeypatch.setenv("RAGBASE_CHAT_URL", f"{server.url}/v1")
        monkeypatch.setenv("RAGBASE_CHAT_API_KEY", KEY)
        monkeypatch.setenv("RAGBASE_RERANKER", "jina")
        monkeypatch.setenv("RAGBASE_RERANKER_URL", server.url)
        monkeypatch.setenv("RAGBASE_RERANK_TIMEOUT", "30")
        result = call("doctor", "--json", "--home", str(home / "new"))

    checks = {check["name"]: check for check in json.loads(result.output)["checks"]}
    assert (result.exit_code, checks["generator"]["ok"], checks["reranker"]["ok"]) == (
        (0, True, True) if status == 200 else (1, False, False)
    )
    if status == 200:
        assert checks["generator"]["found"].startswith("writer writes; ")
        assert "; 1 passage of 1,000 characters in " in checks["reranker"]["found"]


def test_the_extras_are_those_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert EXTRAS.keys() <= project["optional-dependencies"].keys()
    assert extra_of("pypdfium2.raw") == "pdf"
    assert extra_of("a_module_that_is_nowhere") == "local"


def test_doctor_lets_an_optional_extra_be_missing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.interfaces.cli.checks.EXTRAS", {"pdf": ("a_module_that_is_nowhere",)})

    result = call("doctor", "--home", str(home))

    assert result.exit_code == 0
    assert install_command("pdf") in result.output


def test_a_misspelt_variable_is_an_error_that_names_the_right_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGBASE_EMBEDER", "hashing")
    result = call("config", "--home", str(home))
    assert result.exit_code == 1
    assert "RAGBASE_EMBEDER sets nothing" in result.output and "Did you mean RAGBASE_EMBEDDER?" in result.output
    monkeypatch.delenv("RAGBASE_EMBEDER")
    monkeypatch.setenv("RAGBASE_XYZZY_QQQ_WWW", "1")
    assert "`ragbase config` lists the settings" in call("config", "--home", str(home)).output


def test_an_empty_home_is_refused() -> None:
    result = call("list", "--home", "")
    assert result.exit_code == 2
    assert "it is empty. Name a folder" in result.output
    with pytest.raises(ConfigurationError, match="name is empty"):
        load_config(home="")


@pytest.mark.slow
def test_doctor_shows_what_is_booked_of_a_rate(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cohere_server() as server:
        monkeypatch.setenv("CO_API_KEY", "key")
        monkeypatch.setenv("CO_API_URL", server.url)
        monkeypatch.setenv("RAGBASE_EMBEDDER", "cohere")
        monkeypatch.setenv("RAGBASE_COHERE_RATE", "1000")

        def rate() -> str | None:
            report = json.loads(call("doctor", "--json", "--home", str(home)).output)
            checks = {check["name"]: check for check in report["checks"]}
            return checks["rate"]["found"] if "rate" in checks else None

        assert rate() is None, "no process has booked anything here"
        assert not (home / "ragbase.db").exists(), "looking leaves nothing behind"
        with closing(open_profile(load_config(home=home))) as profile:
            profile.embedder.embed_documents(["one", "two"])
            profile.embedder.embed_query("three")
        assert (
            rate() == "2 of 950 texts of documents in the last minute, 0 booked ahead; 50 a minute are left to queries"
        )
        with closing(open_profile(load_config(home=home))) as profile:
            assert profile.rate_limiter is not None
            profile.rate_limiter.refused(30)
        assert "cohere has refused calls" in (rate() or "")
