"""`ragbase eval` and `ragbase reindex --gate`: a small collection, an owner's questions, and mistakes in them."""

from __future__ import annotations

import json
import re
from contextlib import closing
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from tests.e2e.command_line import CommandLine

TEXTS = {
    "pump": "The pump of the mill is oiled in spring, and its valve is replaced every second year by the miller.",
    "leave": "Everyone may take twenty-five days of paid leave a year, and asks for them two weeks before they begin.",
    "backup": "The nightly backup starts at half past two, takes ten minutes and is kept on another continent.",
    "harbour": "The harbour of Oulu is nine metres deep, and ships with grain and timber call there in summer.",
}
QUESTIONS = {
    "pump": "when is the pump of the mill oiled",
    "leave": "how many days of paid leave may everyone take",
    "backup": "when does the nightly backup start",
    "harbour": "how deep is the harbour of Oulu",
}
WITH_SHORT_WORDS = TEXTS | {
    "axe": "Rub the axes with wax in May, and dry the kegs, the jigs and the urns with a rag each year."
}
INFLECTED = "rubbing an axe and drying a keg or an urn"
"""Finds the axe by its words alone if they lose their endings: they are too short to be alike."""
FOREIGN = ["who painted the ceiling of the chapel", "best recipe for sourdough bread"]


def beir(folder: Path) -> Path:
    """Each document answers one question; the empty one cannot be made."""
    (folder / "qrels").mkdir(parents=True)
    rows: list[dict[str, str]] = [{"_id": f"d/{name}", "title": name, "text": text} for name, text in TEXTS.items()]
    rows.append({"_id": "empty", "title": "", "text": ""})
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    queries = [{"_id": name, "text": text} for name, text in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    judgements = [f"{name}\td/{name}\t1" for name in TEXTS]
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judgements]))
    (folder / "foreign.txt").write_text("\n".join(FOREIGN))
    return folder


def documents(folder: Path, texts: dict[str, str] = TEXTS) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def own_questions(file: Path, folder: Path) -> Path:
    rows = [f"{question},{folder / name}.md" for name, question in QUESTIONS.items()]
    rows += [f"{question},none" for question in FOREIGN]
    file.write_text("\n".join(["question,expected", *rows]), encoding="utf-8")
    return file


def figures(result: Any) -> dict[str, float]:
    return {one["name"]: one["withoutThreshold"] for one in result["measures"]}


def test_a_collection_is_ingested_and_asked(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = beir(tmp_path / "set")
    ended = ragbase.call("eval", folder, "--foreign", folder / "foreign.txt", "--json")
    assert ended.code == 0, ended.err
    result = ended.json
    assert (result["documents"], result["refusedDocuments"]) == (4, 1)
    assert (result["answerable"], result["unanswerable"]) == (4, 2)
    assert figures(result) == dict.fromkeys(("nDCG@10", "recall@5", "recall@10", "recall@100", "MRR"), 1.0)
    assert result["shares"] == {"threshold": 0.5, "answered": 1.0, "refused": 1.0}
    assert result["score"] == 1.0
    curve = result["curve"]
    assert [one["threshold"] for one in curve] == [round(step / 20, 2) for step in range(21)]
    assert (curve[0]["answered"], curve[0]["refused"]) == (1.0, 0.0)
    assert all(one["answered"] >= two["answered"] for one, two in pairwise(curve))
    assert all(one["refused"] <= two["refused"] for one, two in pairwise(curve))
    assert {question["text"] for question in result["questions"]} == {*QUESTIONS.values(), *FOREIGN}
    assert set(result["latencyMilliseconds"]) == {"p50", "p95", "p99", "p100"}
    assert ragbase.call("list", "--json").json["documents"] == []  # the own index is left alone


@pytest.mark.slow
def test_own_questions_are_asked_of_the_index_that_is_there(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = documents(tmp_path / "documents")
    assert ragbase.call("ingest", folder).code == 0
    questions = own_questions(tmp_path / "questions.csv", folder)
    result = ragbase.call("eval", questions, "--json").json
    assert (result["answerable"], result["unanswerable"], result["score"]) == (4, 2, 1.0)
    # A text counts where it stands, and in another document it does not.
    questions.write_text(
        "question,document,text\n"
        f"{QUESTIONS['pump']},,OILED in\n"
        f"{QUESTIONS['leave']},{folder / 'leave.md'},two weeks\n"
        f"{QUESTIONS['harbour']},{folder / 'harbour.md'},two weeks\n"
    )
    result = ragbase.call("eval", questions, "--json").json
    scores = {question["text"]: question["score"] for question in result["questions"]}
    assert scores == {QUESTIONS["pump"]: 1.0, QUESTIONS["leave"]: 1.0, QUESTIONS["harbour"]: 0.0}


@pytest.mark.slow
def test_a_person_reads_tables(ragbase: CommandLine, tmp_path: Path) -> None:
    out = ragbase.call("eval", beir(tmp_path / "set")).out
    assert re.search(r"^nDCG@10 +1\.000 +1\.000$", out, re.MULTILINE)
    assert re.search(r"^ *0\.50 +1\.000$", out, re.MULTILINE)
    assert "5 with an answer" not in out and "4 with an answer, 0 without" in out


@pytest.mark.slow
def test_two_runs_are_compared(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = beir(tmp_path / "set")
    before = tmp_path / "before.json"
    before.write_text(ragbase.call("eval", folder, "--threshold", "1", "--json").out)
    compared = ragbase.call("eval", folder, "--compare", before, "--json").json["comparison"]
    rows = {row["name"]: row for row in compared["measures"]}
    assert compared["other"] == str(before)
    assert (rows["score"]["first"], rows["score"]["second"], rows["score"]["better"]) == (0.0, 1.0, 4)
    assert rows["score"]["p"] == pytest.approx(2 / 16, abs=0.02)
    assert (rows["nDCG@10"]["difference"], rows["nDCG@10"]["p"]) == (0.0, 1.0)
    # The same with settings.
    settings = ragbase.call("eval", folder, "--compare", "similarity_threshold=1", "--json").json["comparison"]
    assert settings["measures"] == compared["measures"]
    chunks = ragbase.call("eval", folder, "--compare", "chunk_size=200", "--compare", "chunk_overlap=0")
    assert "compared with chunk_size=200, chunk_overlap=0" in chunks.out
    # Other questions cannot be compared.
    (folder / "queries.jsonl").write_text('{"_id": "pump", "text": "what is oiled"}')
    refused = ragbase.call("eval", folder, "--compare", before)
    assert refused.code == 1 and "Compare runs with the same questions" in refused.err


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "action")]


@pytest.mark.slow
def test_the_page_stands_alone(ragbase: CommandLine, tmp_path: Path) -> None:
    folder, page = beir(tmp_path / "set"), tmp_path / "page.html"
    (folder / "foreign.txt").write_text("what does <script>alert(1)</script> do\n")
    assert (
        ragbase.call("eval", folder, "--foreign", folder / "foreign.txt", "--threshold", "0", "--html", page).code == 0
    )
    text = page.read_text(encoding="utf-8")
    read = _Page()
    read.feed(text)
    assert read.tags.count("polyline") == 2 and "svg" in read.tags and "script" not in read.tags
    assert read.addresses == [] and "url(" not in text and "@import" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_what_cannot_be_asked_is_said_before_the_work(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = documents(tmp_path / "documents")
    questions = own_questions(tmp_path / "questions.csv", folder)
    unknown = ragbase.call("eval", questions)
    assert unknown.code == 1 and "line 2: there is no document" in unknown.err
    assert ragbase.call("eval", tmp_path / "nothing").code == 2
    (tmp_path / "empty").mkdir()
    missing = ragbase.call("eval", tmp_path / "empty")
    assert missing.code == 1 and "lacks corpus.jsonl and queries.jsonl" in missing.err
    other_index = ragbase.call("eval", questions, "--compare", "chunk_size=200")
    assert other_index.code == 2 and "reindex --gate" in other_index.err
    (tmp_path / "result.json").write_text("{}")
    no_result = ragbase.call("eval", beir(tmp_path / "set"), "--compare", tmp_path / "result.json")
    assert no_result.code == 1 and "This is no result of `ragbase eval --json`" in no_result.err


@pytest.mark.slow
def test_a_reindex_that_answers_worse_does_not_switch(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = documents(tmp_path / "documents", WITH_SHORT_WORDS)
    ragbase.home.mkdir()
    settings = ragbase.home / "ragbase.toml"
    assert ragbase.call("ingest", folder).code == 0
    questions = own_questions(tmp_path / "questions.csv", folder)
    before = ragbase.call("eval", questions, "--json").json["model"]

    def current() -> str:
        return str(ragbase.call("explain", QUESTIONS["pump"], "--document", folder / "pump.md", "--json").json["index"])

    # Words of a language with other endings find less: a stand-in for a model that is worse.
    old = current()
    settings.write_text('language = "none"\n')
    questions.write_text(questions.read_text() + f"\n{INFLECTED},{folder / 'axe.md'}\n")
    (folder / "pump.md").write_text(TEXTS["pump"])
    strict = ragbase.call("reindex", "--gate", questions)
    assert strict.code == 1, strict.out
    assert "answers worse than the current one" in strict.err
    assert INFLECTED in strict.err and "reindex --discard" in strict.err.replace("\n", " ")
    assert current() == old
    again = ragbase.call("reindex", "--gate", questions, "--json")
    assert again.code == 1 and current() == old

    passed = ragbase.call("reindex", "--gate", questions, "--gate-loss", "1", "--json")
    assert passed.code == 0 and passed.json["made"] is True
    assert current() == passed.json["index"] != old
    assert ragbase.call("eval", questions, "--json").json["model"] == before


@pytest.mark.slow
def test_what_a_refused_reindex_has_built_is_thrown_away(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = documents(tmp_path / "documents", WITH_SHORT_WORDS)
    assert ragbase.call("ingest", folder).code == 0
    questions = tmp_path / "questions.csv"
    questions.write_text(f"question,expected\n{INFLECTED},{folder / 'axe.md'}\n")
    (ragbase.home / "ragbase.toml").write_text('language = "none"\n')
    assert ragbase.call("reindex", "--gate", questions).code == 1
    (ragbase.home / "ragbase.toml").unlink()
    discarded = ragbase.call("reindex", "--discard", "--json").json
    assert discarded["made"] is False and len(discarded["dropped"]) == 1
    assert ragbase.call("query", QUESTIONS["pump"], "--json").json["results"]


@pytest.mark.slow
def test_a_gate_with_wrong_questions_stops_before_the_work(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = documents(tmp_path / "documents")
    assert ragbase.call("ingest", folder).code == 0
    questions = tmp_path / "questions.csv"
    questions.write_text("question,expected\nwhere?,nowhere.md\n")
    (ragbase.home / "ragbase.toml").write_text('language = "none"\n')
    ended = ragbase.call("reindex", "--gate", questions)
    assert ended.code == 1 and "there is no document 'nowhere.md'" in ended.err
    assert ragbase.call("reindex", "--dry-run", "--json").json["documents"] == 4


@pytest.mark.slow
def test_without_a_file_the_golden_questions_are_asked(ragbase: CommandLine, tmp_path: Path) -> None:
    nothing = ragbase.call("eval")
    assert nothing.code == 1 and "no golden questions" in nothing.err
    folder = documents(tmp_path / "documents", WITH_SHORT_WORDS)
    assert ragbase.call("ingest", folder).code == 0
    ids = {Path(one["filename"]).stem: one["id"] for one in ragbase.call("list", "--json").json["documents"]}
    with closing(open_profile(load_config(home=ragbase.home, environment={}))) as profile:
        for name, question in {**QUESTIONS, "axe": INFLECTED}.items():
            profile.golden_questions.keep(question, ids[name], "")
        profile.golden_questions.keep("where is the file that was deleted", "an-id-of-nothing", "")

    result = ragbase.call("eval", "--json").json
    assert (result["dataset"], result["answerable"], result["score"]) == ("golden questions", 5, 1.0)
    with closing(open_profile(load_config(home=ragbase.home, environment={}))) as profile:
        (run,) = profile.evaluation_runs.all()
    assert (run.questions, run.hit_rate, run.mrr, run.ranks[0]) == (5, 1.0, 1.0, 5)

    (ragbase.home / "ragbase.toml").write_text('language = "none"\n')
    refused = ragbase.call("reindex", "--gate")
    assert refused.code == 1 and INFLECTED in refused.err
    assert ragbase.call("reindex", "--gate", "--gate-loss", "1").code == 0
