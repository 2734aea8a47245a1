"""Collections and questions are read, and a mistake in one is named with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragbase.domain.errors import BadDataset
from ragbase.evaluation.beir import read_beir
from ragbase.evaluation.own_questions import read_foreign, read_questions
from ragbase.evaluation.question import Expected

QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\nother\td1\t1\n"
DOCUMENTS = {"a.md": "id-a", "id-a": "id-a", "notes/b.md": "id-b"}


def beir(folder: Path, *, qrels: str = "qrels/test.tsv") -> Path:
    folder.mkdir(exist_ok=True)
    corpus = [{"_id": "d1", "title": "One", "text": "first"}, {"_id": "d2", "text": "second"}]
    queries = [{"_id": f"q{number}", "text": f"question {number}"} for number in (1, 2, 3)]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)) + "\n\n")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (folder / qrels).parent.mkdir(exist_ok=True)
    (folder / qrels).write_text(QRELS)
    return folder


@pytest.mark.parametrize("qrels", ["qrels/test.tsv", "qrels/dev.tsv", "qrels.tsv"])
def test_a_collection(tmp_path: Path, qrels: str) -> None:
    found = read_beir(beir(tmp_path / "set", qrels=qrels))
    assert found.questions == {"q1": "question 1", "q2": "question 2"}
    assert found.grades == {"q1": {"d1": 2}, "q2": {"d2": 1}}
    assert [(one.id, one.title, one.text) for one in found.documents()] == [
        ("d1", "One", "first"),
        ("d2", "", "second"),
    ]


def test_the_split_is_chosen(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set", qrels="qrels/dev.tsv")
    (folder / "qrels" / "train.tsv").write_text("q3\td1\t1\n")
    with pytest.raises(BadDataset, match=r"dev, train.*--split"):
        read_beir(folder)
    assert list(read_beir(folder, "train").questions) == ["q3"]
    with pytest.raises(BadDataset, match=r"no qrels for the split test. There are dev, train"):
        read_beir(folder, "test")
    (folder / "qrels" / "test.tsv").write_text("q2\td1\t1\n")
    assert list(read_beir(folder).questions) == ["q2"]


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels"])
def test_a_link_out_of_the_folder_is_refused_unless_the_user_says_so(tmp_path: Path, file: str) -> None:
    folder = beir(tmp_path / "set")
    (folder / file).rename(tmp_path / "elsewhere")
    (folder / file).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadDataset, match=r"leads out of the folder.*follow_links"):
        list(read_beir(folder).documents())
    assert len(list(read_beir(folder, follow_links=True).documents())) == 2


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("queries.jsonl", '{"_id": "q1", "text": "a"}\n{"_id": ', r"queries.jsonl, line 2: this is no JSON"),
        ("queries.jsonl", '["q1"]', r"queries.jsonl, line 1: this is no JSON object"),
        ("queries.jsonl", '{"_id": "q1"}', r"queries.jsonl, line 1: `text` has to be a text"),
        ("corpus.jsonl", '{"_id": "d1", "text": "a"}\n\n{"text": "b"}', r"corpus.jsonl, line 3: `_id` has to be"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1 d1 1\n", r"test.tsv, line 2: this is no judgement"),
        ("qrels/test.tsv", "q1\td1\tgood\n", r"test.tsv, line 1: this is no judgement"),
        ("qrels/test.tsv", "q9\td1\t1\n", r"no question of queries.jsonl has an answer"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, file: str, content: str, message: str) -> None:
    folder = beir(tmp_path / "set")
    (folder / file).write_text(content)
    with pytest.raises(BadDataset, match=message):
        list(read_beir(folder).documents())


@pytest.mark.parametrize("missing", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    folder = beir(tmp_path / "set")
    (folder / missing).unlink()
    with pytest.raises(BadDataset, match=missing.partition("/")[0]):
        read_beir(folder)


def questions(tmp_path: Path, content: str) -> list[tuple[str, list[Expected]]]:
    file = tmp_path / "questions.csv"
    file.write_text(content, encoding="utf-8")
    return [(one.text, list(one.expected)) for one in read_questions(file, DOCUMENTS.get)]


def test_own_questions(tmp_path: Path) -> None:
    found = questions(
        tmp_path,
        'Question,expected\nwhere?,a.md\n"where, else?","in the second, lower drawer"\n'
        "who?,None\n\nwhere?,notes/b.md\n",
    )
    assert found == [
        ("where?", [Expected(document_id="id-a"), Expected(document_id="id-b")]),
        ("where, else?", [Expected(text="in the second, lower drawer")]),
        ("who?", []),
    ]
    assert questions(tmp_path, "\ufeffquestion,document,text\nwhere?,id-a,drawer\nhow?,,by hand\nwho?,none,\n") == [
        ("where?", [Expected(document_id="id-a", text="drawer")]),
        ("how?", [Expected(text="by hand")]),
        ("who?", []),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("question,expected\nwhere?,a.md\nwho?,b.md\n", r"line 3: there is no document 'b.md'"),
        ("question,document\nwho?,somebody\n", r"line 2: there is no document 'somebody'"),
        ("question,expected\nwhere?,\n", r"line 2: the question has no answer"),
        ("question,expected\n,a.md\n", r"line 2: the question is empty"),
        ("question,expected\nwhere?,in the first, or not\n", r"line 2: it has more fields"),
        ('question,expected\nwhere?,"a\n', r"line 2: "),
        ("question,expected\nwhere?,a.md\nwhere?,none\n", r"line 3: this question has an answer in one row"),
        ("question,expected,document\nwhere?,a.md,a.md\n", r"line 2: fill in `expected`, or"),
        ("query,answer\nwhere?,a.md\n", r"line 1: the header row needs `question`"),
        ("", r"line 1: the header row needs"),
        ("question,expected\n", r"has no questions"),
    ],
)
def test_a_mistake_in_a_question_is_named_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(BadDataset, match=message):
        questions(tmp_path, content)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"question,expected\ncaf\xe9,none\n")
    (tmp_path / "empty.txt").write_text("\n\n")
    with pytest.raises(BadDataset, match="UTF-8"):
        read_questions(tmp_path / "latin.csv", DOCUMENTS.get)
    with pytest.raises(BadDataset, match="cannot be read"):
        read_questions(tmp_path / "gone.csv", DOCUMENTS.get)
    with pytest.raises(BadDataset, match="no questions"):
        read_foreign(tmp_path / "empty.txt")


def test_foreign_questions(tmp_path: Path) -> None:
    (tmp_path / "foreign.txt").write_text("who?\n\n  where? \nwho?\n")
    assert [(one.text, list(one.expected)) for one in read_foreign(tmp_path / "foreign.txt")] == [
        ("who?", []),
        ("where?", []),
    ]
