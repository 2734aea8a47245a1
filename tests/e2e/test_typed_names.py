"""A name is found however it is typed, and however the disk has it: "é" is one character or two (NFC, NFD)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragbase.domain.document import Document
from ragbase.domain.name_forms import nfd
from tests.e2e.command_line import CommandLine

FOLDER, FILE = "Vertr\u00e4ge", "\u00dcbersicht.md"
CONTRACT = "# K\u00fcndigung\n\nThe notice period of the contract is three months to the end of a quarter.\n"
PAYMENT = "# Zahlung\n\nPayment is due within thirty days after the invoice was received, without a deduction.\n"
QUESTION = "What is the notice period of the contract?"


@contextmanager
def an_older_version() -> Iterator[None]:
    """What told the forms of a name apart."""
    with pytest.MonkeyPatch.context() as patches:
        for module in ("domain.identity", "domain.labels", "domain.search_filter", "pipeline.route", "sources.folder"):
            patches.setattr(f"ragbase.{module}.nfc", lambda name: name)
        for module in ("route", "make_document"):
            patches.setattr(f"ragbase.pipeline.{module}.remove_older", lambda *_: None)
        patches.setattr("ragbase.ports.canonical_bucket.CanonicalBucket", lambda bucket: bucket)
        patches.setattr(Document, "is_older", False)
        yield


@pytest.fixture(params=["this version", "an older version"])
def ragbase(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """It has the documents of a folder whose name and file are in NFD, as a Mac writes them."""
    monkeypatch.chdir(tmp_path)
    command_line = CommandLine(tmp_path / "home")
    folder = tmp_path / nfd(FOLDER)
    folder.mkdir()
    (folder / nfd(FILE)).write_text(CONTRACT, encoding="utf-8")
    (folder / "zahlung.md").write_text(PAYMENT, encoding="utf-8")
    if request.param == "this version":
        assert command_line.call("ingest", folder).code == 0
    else:
        with an_older_version():
            assert command_line.call("ingest", folder).code == 0
    return command_line


def documents(ragbase: CommandLine) -> list[str]:
    return [one["filename"] for one in ragbase.call("list", "--json").json["documents"]]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_every_command_finds_a_document_by_every_form_of_its_name(
    ragbase: CommandLine, tmp_path: Path, form: str
) -> None:
    folder, file = (FOLDER, FILE) if form == "NFC" else (nfd(FOLDER), nfd(FILE))
    name = f"{tmp_path}/{folder}/{file}".lstrip("/")
    for typed in (f"{folder}/{file}", name, f"/{name}"):
        assert ragbase.call("status", typed, "--json").json["status"] == "COMPLETED"
    assert "three months" in ragbase.call("text", f"{folder}/{file}").out
    for path in (folder, f"{tmp_path}/{folder}".lstrip("/"), f"{folder}/{file}"):
        found = ragbase.call("query", QUESTION, "--path", path, "--threshold", "0", "--json").json["results"]
        assert "three months" in found[0]["content"]
    within = ragbase.call("query", QUESTION, "--document", f"{folder}/{file}", "--threshold", "0", "--json").json
    assert len(within["results"]) == 1
    explained = ragbase.call("explain", QUESTION, "--document", name, "--threshold", "0", "--json").json
    assert explained["stage"] == "FOUND"
    questions = tmp_path / "questions.csv"
    questions.write_text(f"question,document\n{QUESTION},{folder}/{file}\n", encoding="utf-8")
    evaluated = ragbase.call("eval", questions, "--json").json
    assert evaluated["measures"][0]["withoutThreshold"] == 1
    assert ragbase.call("retry", f"{folder}/{file}").code == 0
    assert ragbase.call("dead-letters", "list", "--document", name).out.startswith("No dead letters")

    assert ragbase.call("delete", f"{folder}/{file}", "--yes").code == 0
    assert [Path(one).name for one in documents(ragbase)] == ["zahlung.md"]
    assert ragbase.call("delete", folder, "--yes").code == 0
    assert documents(ragbase) == []
    assert not any(files for _, _, files in os.walk(tmp_path / "home" / "bucket"))
    assert ragbase.call("reconcile").code == 0


@pytest.mark.slow
def test_the_next_ingest_makes_no_second_document(ragbase: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / nfd(FOLDER)
    assert "2 unchanged" in ragbase.call("ingest", folder).out
    (folder / nfd(FILE)).rename(folder / FILE)  # on a Mac, it has this name already
    (folder / FILE).write_text(CONTRACT.replace("three", "six"), encoding="utf-8")
    assert ragbase.call("ingest", folder).code == 0
    assert len(documents(ragbase)) == 2
    found = ragbase.call("query", QUESTION, "--threshold", "0", "--json").json["results"]
    assert [text for one in found if "months" in (text := one["content"])] == [found[0]["content"]]
    assert "six months" in found[0]["content"]

    ragbase.call("reconcile", "--repair")
    assert len(documents(ragbase)) == 2
    after = ragbase.call("reconcile", "--json").json
    assert (after["left"], after["shadowed"], after["inStep"]) == (0, 0, 2)


@pytest.mark.slow
def test_a_folder_that_has_both_forms_of_a_name_has_one_document(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    bucket = tmp_path / "home" / "bucket"
    bucket.mkdir(parents=True)
    (bucket / FILE).write_text(CONTRACT, encoding="utf-8")
    (bucket / nfd(FILE)).write_text(PAYMENT, encoding="utf-8")
    if len(list(bucket.iterdir())) == 1:
        return  # such a disk takes both forms for one name itself
    report = ragbase.call("reconcile", "--repair").out
    assert documents(ragbase) == [FILE]
    assert "shadowed    1 object\n" in report
    assert f"shadowed: {FILE}: it is kept as {nfd(FILE)!a}, and another object has a form of the same name" in report
    assert "three months" in ragbase.call("text", nfd(FILE)).out
