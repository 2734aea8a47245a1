"""Sixty passages against each embedding service: all documents are COMPLETED, or the one whose text is not taken is
FAILED with a reason that somebody can act on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragbase import RAGEngine, load_config
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ConfigurationError
from tests.unit.adapters.embedding_services import (
    BAD,
    DIMENSION,
    KEY,
    REFUSING,
    WORKING,
    WRONG,
    Answering,
    StandIn,
    embedded,
    serving,
)

pytestmark = pytest.mark.slow

PASSAGES = 60
_FILLER = "The crew keeps watch, and writes down what it sees in the book of the harbour. " * 2
_SECTIONS = [f"## Rule {number}\n\nRule {number}. {_FILLER}" for number in range(PASSAGES)]
LONG = "\n\n".join(_SECTIONS)
WITH_BAD = "\n\n".join([*_SECTIONS[:40], _SECTIONS[40].replace("crew", BAD), *_SECTIONS[41:]])
SHORT = "A short note about the lighthouse, which has nothing that any service would refuse."


def services(table: Mapping[str, tuple[Any, ...]], *here: str) -> list[Any]:
    """What each service answers. What the tests of the adapter meet, too (adapters/test_embedding_services.py), is left
    to prove but for those named here."""
    return [
        pytest.param(*rest, id=name, marks=() if name in here else pytest.mark.prove)
        for name, (_, *rest) in table.items()
    ]


def engine_on(stand_in: StandIn, home: Path, **settings: Any) -> RAGEngine:
    given = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": stand_in.url, **settings}
    return RAGEngine(
        load_config(
            home=home,
            environment=given,
            embedder="openai",
            embedding_model="model",
            embedding_dimension=DIMENSION,
            chunk_size=200,
            chunk_overlap=0,
        )
    )


def ingested(engine: RAGEngine, folder: Path, files: Mapping[str, str]) -> dict[str, Document]:
    """The records by name."""
    paths = [folder / name for name in files]
    for path in paths:
        path.write_text(files[path.name], encoding="utf-8")
    engine.ingest([str(path) for path in paths])
    records = {path.name: engine.find(str(path)) for path in paths}
    return {name: record for name, record in records.items() if record is not None}


@pytest.mark.parametrize("answer", services(WORKING, "OpenAI", "LiteLLM"))
def test_a_service_that_takes_less_than_a_full_call_embeds_everything(answer: Answering, tmp_path: Path) -> None:
    with serving(answer) as stand_in, engine_on(stand_in, tmp_path / "home") as engine:
        records = ingested(engine, tmp_path, {"long.md": LONG, "short.md": SHORT})
        found = engine.query("Rule 17. The crew keeps watch")
    assert {record.status for record in records.values()} == {Status.COMPLETED}, records["long.md"].failure
    active = records["long.md"].active
    assert active is not None and active.chunk_count == PASSAGES
    assert any("Rule 17" in result.chunk.content for result in found), "each passage has its own vector"


@pytest.mark.parametrize(("answer", "reason"), services(REFUSING, *REFUSING))
def test_a_text_that_is_not_taken_fails_its_document_alone_and_the_reason_names_it(
    answer: Answering, reason: str, tmp_path: Path
) -> None:
    with serving(answer) as stand_in, engine_on(stand_in, tmp_path / "home") as engine:
        records = ingested(engine, tmp_path, {"long.md": WITH_BAD, "short.md": SHORT})
    assert records["short.md"].status is Status.COMPLETED
    failed = records["long.md"]
    assert failed.status is Status.FAILED and failed.failure is not None
    start = WITH_BAD.index("## Rule 40\n")
    place = re.search(r"Passage 41 \(characters ([0-9,]+)–([0-9,]+)\): ", failed.failure.reason)
    assert place is not None, failed.failure.reason
    first, last = (int(number.replace(",", "")) for number in place.groups())
    assert first <= start < last <= WITH_BAD.index("## Rule 41\n")
    assert reason in failed.failure.reason
    assert BAD not in failed.failure.reason and KEY not in failed.failure.reason
    assert failed.usage.billed_tokens <= stand_in.billed


def test_what_was_paid_for_is_on_the_record_of_a_document_that_fails(tmp_path: Path) -> None:
    """The calls that were taken before the text was found were paid for, too."""
    with serving(REFUSING["Ollama"][1]) as stand_in, engine_on(stand_in, tmp_path / "home") as engine:
        (failed,) = ingested(engine, tmp_path, {"long.md": WITH_BAD}).values()
    calls = [call for call in stand_in.calls if "Rule" in call[0]]
    # A calibration has passages embedded without one of their sentences.
    taken = [text for call in calls if not any(BAD in text for text in call) for text in call if ".  " not in text]
    assert len(taken) == 40
    assert (failed.usage.embedded_texts, failed.usage.billed_tokens) == (40, 40)


@pytest.mark.parametrize(("answer", "words"), services(WRONG, "OpenAI, the key"))
def test_a_wrong_setting_is_said_once_before_any_document_is_taken(
    answer: Answering, words: str, tmp_path: Path
) -> None:
    with serving(answer) as stand_in, engine_on(stand_in, tmp_path / "home") as engine:
        for name in ("a.md", "b.md"):
            (tmp_path / name).write_text(LONG, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=re.escape(words)):
            engine.ingest([str(tmp_path / "a.md"), str(tmp_path / "b.md")])
        assert engine.profile.documents.count() == 0
        assert sum(1 for _ in engine.profile.bucket.list()) == 0
        assert len(stand_in.calls) == 1
        stand_in.answer = embedded
        assert engine.ingest([str(tmp_path / "a.md"), str(tmp_path / "b.md")])["ingested_count"] == 2
