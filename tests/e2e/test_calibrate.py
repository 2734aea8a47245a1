"""`ragbase calibrate`: a model that nobody knows is fitted to the index, by hand and before a reindex switches."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ragbase import RAGEngine, load_config
from ragbase.domain.calibration import CalibrationOrigin
from ragbase.domain.errors import Unavailable
from ragbase.domain.index import Index
from ragbase.engine.calibrate import calibrating
from ragbase.engine.calibrate_when_due import AGAIN, calibrate_when_due
from ragbase.engine.plan_reindex import plan_reindex
from ragbase.retrieval.calibration import origin_of
from ragbase.testing.clock import VirtualClock
from ragbase.upkeep.reindex.reindex import reindex
from tests.doubles.cohere_server import CohereServer, cohere_server
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


def shown(ragbase: CommandLine) -> Any:
    return ragbase.call("calibrate", "--show", "--json").json


@pytest.mark.slow
def test_an_unknown_model_is_calibrated_when_it_has_passages(
    ragbase: CommandLine, tmp_path: Path, cohere: CohereServer
) -> None:
    fitted = shown(ragbase)
    assert (fitted["origin"], fitted["passages"]) == ("fitted", len(TEXTS))
    assert fitted["answers"] == pytest.approx(0.585, abs=0.01)
    assert -0.05 < fitted["background"] < 0.1
    assert "without labels" in ragbase.call("calibrate", "--show").out

    document = tmp_path / "documents" / "harbour.md"
    assert ragbase.call("explain", OWN, "--document", document, "--json").json["calibration"] == "fitted"
    assert ragbase.call("query", OWN, "--json").json["results"]
    assert not ragbase.call("query", FOREIGN, "--json").json["results"]

    again = ragbase.call("calibrate", "--json").json
    assert again["fittedAt"] > fitted["fittedAt"]
    assert {**again, "fittedAt": ""} == {**fitted, "fittedAt": ""}


@pytest.mark.slow
@pytest.mark.prove
def test_an_index_that_grows_is_fitted_again_after_a_while(tmp_path: Path, cohere: CohereServer) -> None:
    config = load_config(home=tmp_path / "home", environment={}, **settings(cohere))
    with ExitStack() as stack:
        first, second, third = (stack.enter_context(RAGEngine(config)) for _ in range(3))

        def passages() -> int:
            fitted = first.profile.calibrations.of(first.profile.open_index().index)
            return fitted.passages if fitted is not None else 0

        assert calibrate_when_due(first.profile) is None  # there is no passage
        files = sorted(documents(tmp_path).iterdir())
        first.ingest(files[:1])
        assert passages() == 1
        first.ingest(files[1:])
        assert passages() == 1  # ten minutes have not passed
        clock = VirtualClock(datetime.now(UTC) + AGAIN)
        for engine in (first, second, third):
            engine.profile.__dict__["clock"] = clock
        with ThreadPoolExecutor() as pool:  # two processes look at the same time
            done = [*pool.map(lambda engine: calibrate_when_due(engine.profile), (first, second))]
        (fitted,) = (one for one in done if one is not None)
        assert fitted.passages == len(files)
        clock.advance(AGAIN)
        assert calibrate_when_due(third.profile) is None  # there are no more passages than before


@pytest.mark.slow
def test_a_service_that_is_away_stops_no_ingest(
    tmp_path: Path, cohere: CohereServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: str) -> NoReturn:
        raise Unavailable("The service is away.")

    with RAGEngine(load_config(home=tmp_path / "home", environment={}, **settings(cohere))) as engine:
        index = engine.profile.open_index().index
        monkeypatch.setattr(engine.profile.embedder, "embed_query", away)
        assert engine.ingest(sorted(documents(tmp_path).iterdir()))["failed_count"] == 0
        assert engine.profile.calibrations.of(index) is None


@pytest.mark.slow
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
            done = reindex(
                plan,
                before_switch=calibrating(
                    profile.calibrations, profile.maker_for, profile.documents, profile.clock, look
                ),
            )
        assert done.made and done.index is not None
        assert seen == [(True, CalibrationOrigin.FITTED)]
        fitted = profile.calibrations.of(done.index)
        assert fitted is not None and fitted.passages == len(TEXTS)


@pytest.mark.slow
@pytest.mark.prove
def test_labels_hold_for_a_reindex_with_the_same_model(ragbase: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text(LABELS, encoding="utf-8")
    before = ragbase.call("calibrate", "--questions", tmp_path / "questions.csv", "--json").json
    file = ragbase.home / "ragbase.toml"
    file.write_text(file.read_text(encoding="utf-8") + "chunk_size = 500\n", encoding="utf-8")
    assert ragbase.call("reindex").code == 0
    after = ragbase.call("calibrate", "--show", "--json").json
    assert after["index"] != before["index"]
    assert (after["origin"], after["stretch"], after["shift"]) == ("labelled", before["stretch"], before["shift"])


@pytest.mark.slow
@pytest.mark.prove
def test_what_chance_gives_is_measured_at_the_end_of_an_ingest_and_not_for_english(tmp_path: Path) -> None:
    russian = "Насос номер {} смазывают весной, а клапан меняют каждые два года, если мельник просит об этом заранее.\n"
    english = (
        "Pump number {} is oiled in spring, and its valve is replaced every two years if the miller asks for it.\n"
    )
    for text, languages in ((russian, {"russian"}), (english, set[str]())):
        folder = tmp_path / str(len(languages))
        folder.mkdir()
        for number in range(12):
            (folder / f"{number}.md").write_text(text.format(number), encoding="utf-8")
        with RAGEngine(load_config(home=folder / "home", environment={})) as engine:
            engine.ingest(sorted(folder.glob("*.md")))
            index = engine.profile.current_index.get()
            assert index is not None
            fitted = engine.profile.calibrations.of(index.index)
            assert fitted is not None and fitted.chance_levels is not None
            assert fitted.chance_levels.keys() == languages
            engine.profile.__dict__["clock"] = VirtualClock(datetime.now(UTC) + AGAIN)
            assert calibrate_when_due(engine.profile) is None  # there are no more passages than before


@pytest.mark.slow
@pytest.mark.prove
def test_an_index_from_before_chance_was_measured_gets_its_levels(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.md").write_text(
            f"Насос номер {number} смазывают весной, а клапан меняют каждые два года, если об этом просят.\n",
            encoding="utf-8",
        )
    with RAGEngine(load_config(home=tmp_path / "home", environment={})) as engine:
        engine.ingest(sorted(tmp_path.glob("*.md")))
        index = engine.profile.current_index.get()
        assert index is not None
        engine.profile.calibrations.forget(index.index.name)
        engine.profile.__dict__["clock"] = VirtualClock(datetime.now(UTC) + AGAIN)
        fitted = calibrate_when_due(engine.profile)
        assert fitted is not None and fitted.chance_levels is not None and "russian" in fitted.chance_levels
        assert fitted.cosines is None
