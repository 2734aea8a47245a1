"""`ragbase calibrate`: a model that nobody knows is fitted to the index, by hand and before a reindex switches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from ragbase.domain.index import Index
from ragbase.engine.calibrate import calibrating
from ragbase.engine.plan_reindex import plan_reindex
from ragbase.retrieval.calibration import CalibrationOrigin, origin_of
from ragbase.upkeep.reindex.reindex import reindex
from scripts.local_cloud.cohere_server import CohereServer, cohere_server
from tests.e2e.command_line import CommandLine

TEXTS = {
    "pump": "The pump of the mill is oiled in spring, and its valve is replaced every second year by the miller.",
    "leave": "Everyone may take twenty-five days of paid leave a year, and asks for them two weeks before they begin.",
    "harbour": "The harbour of Oulu is nine metres deep, and ships with grain and timber call there in summer.",
}
OWN, FOREIGN = "How deep is the harbour of Oulu?", "Who painted the Mona Lisa?"
LABELS = f"""question,expected
{OWN},is nine metres deep
When is the pump oiled?,is oiled in spring
{FOREIGN},none
"""


@pytest.fixture(scope="module")
def cohere() -> Iterator[CohereServer]:
    """MiniLM's vectors of 1,024 numbers, under a name that has no constants."""
    with cohere_server("minilm") as server:
        yield server


def settings(cohere: CohereServer) -> dict[str, str]:
    return {
        "embedder": "cohere",
        "cohere_api_key": "local",
        "cohere_url": cohere.url,
        "embedding_model": "embed-multilingual-v3.0",
        "embedding_dimension": "1024",
    }


@pytest.fixture
def ragbase(tmp_path: Path, cohere: CohereServer) -> CommandLine:
    """Has the three documents."""
    ragbase = CommandLine(tmp_path / "home", embedder="cohere")
    ragbase.home.mkdir()
    (ragbase.home / "ragbase.toml").write_text(
        "".join(f'{name} = "{value}"\n' for name, value in settings(cohere).items()), encoding="utf-8"
    )
    assert ragbase.call("ingest", documents(tmp_path)).code == 0
    return ragbase


def documents(folder: Path) -> Path:
    made = folder / "documents"
    made.mkdir()
    for name, text in TEXTS.items():
        (made / f"{name}.md").write_text(text, encoding="utf-8")
    return made


def test_a_model_is_said_to_be_uncalibrated_until_it_is_calibrated(
    ragbase: CommandLine, tmp_path: Path, cohere: CohereServer
) -> None:
    def explained() -> str:
        document = tmp_path / "documents" / "harbour.md"
        return str(ragbase.call("explain", OWN, "--document", document, "--json").json["calibration"])

    before = ragbase.call("calibrate", "--show", "--json").json
    assert (before["origin"], explained()) == ("missing", "missing")
    assert "fittedAt" not in before

    done = ragbase.call("calibrate", "--json")
    assert done.code == 0
    assert (done.json["origin"], explained()) == ("fitted", "fitted")
    assert done.json["passages"] == len(TEXTS)
    assert done.json["answers"] == pytest.approx(0.585, abs=0.01)
    assert -0.05 < done.json["background"] < 0.1
    assert done.json["fittedAt"]
    assert ragbase.call("calibrate", "--show", "--json").json == done.json
    assert "without labels" in ragbase.call("calibrate", "--show").out

    assert ragbase.call("query", OWN, "--json").json["results"]
    assert not ragbase.call("query", FOREIGN, "--json").json["results"]


def test_labels_are_fitted_and_another_fit_without_them_drops_them(ragbase: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text(LABELS, encoding="utf-8")
    labelled = ragbase.call("calibrate", "--questions", tmp_path / "questions.csv", "--json").json
    assert labelled["origin"] == "labelled"
    assert labelled["questions"] == 2 and labelled["foreign"] > 1
    assert labelled["stretch"] > 0
    assert "questions" not in ragbase.call("calibrate", "--json").json


def test_a_known_model_needs_none_and_can_have_labels(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    ragbase.call("ingest", documents(tmp_path))
    assert ragbase.call("calibrate", "--json").json["origin"] == "known"
    (tmp_path / "questions.csv").write_text(LABELS, encoding="utf-8")
    labelled = ragbase.call("calibrate", "--questions", tmp_path / "questions.csv", "--json").json
    assert labelled["origin"] == "labelled"
    assert "background" not in labelled


def test_without_an_index_it_says_what_to_do(tmp_path: Path) -> None:
    for options in ((), ("--show",)):
        ended = CommandLine(tmp_path / "home").call("calibrate", *options)
        assert ended.code == 1
        assert "ragbase ingest" in ended.err


@pytest.mark.slow
def test_a_reindex_to_an_unknown_model_calibrates_it_before_the_switch(tmp_path: Path, cohere: CohereServer) -> None:
    home = tmp_path / "home"
    with RAGEngine(load_config(home=home, environment={}, embedder="hashing")) as engine:
        assert engine.ingest(sorted(documents(tmp_path).iterdir()))["failed_count"] == 0
    seen: list[tuple[bool, CalibrationOrigin]] = []

    with RAGEngine(load_config(home=home, environment={}, **settings(cohere))) as engine:
        profile = engine.profile

        def look(current: Index, built: Index) -> None:
            is_current = profile.indexes.current() == current
            seen.append((is_current, origin_of(built.model, profile.calibrations.of(built))))

        with plan_reindex(profile) as plan:
            done = reindex(plan, before_switch=calibrating(profile, look))
        assert done.made and done.index is not None
        assert seen == [(True, CalibrationOrigin.FITTED)]
        fitted = profile.calibrations.of(done.index)
        assert fitted is not None and fitted.passages == len(TEXTS)


@pytest.mark.slow
def test_labels_hold_for_a_reindex_with_the_same_model(ragbase: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text(LABELS, encoding="utf-8")
    before = ragbase.call("calibrate", "--questions", tmp_path / "questions.csv", "--json").json
    file = ragbase.home / "ragbase.toml"
    file.write_text(file.read_text(encoding="utf-8") + "chunk_size = 500\n", encoding="utf-8")
    assert ragbase.call("reindex").code == 0
    after = ragbase.call("calibrate", "--show", "--json").json
    assert after["index"] != before["index"]
    assert (after["origin"], after["stretch"], after["shift"]) == ("labelled", before["stretch"], before["shift"])
