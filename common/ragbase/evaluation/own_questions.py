"""An owner's questions about the documents of an index, in a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbase.domain.errors import BadDataset
from ragbase.evaluation.question import Expected, JudgedQuestion
from ragbase.formats.table import format_of

NONE = "none"
"""The answer of a question that no document answers."""
_COLUMNS = ("question", "expected", "document", "text")


@dataclass(frozen=True, slots=True)
class _Row:
    place: str
    question: str
    expected: str
    document: str
    text: str


def read_questions(file: Path, document_id_of: Callable[[str], str | None]) -> list[JudgedQuestion]:
    """The questions of a CSV file with the column `question` and one or more of `expected`, `document` and `text`.

    `document` names a document, and `text` is in the passage that answers; with both, in a passage of that document.
    `expected` is either of them, or `none`. Several rows with the same question give it several answers.
    `document_id_of` gives the id of a document by its id, name or path; None if the index has none.

    Raises BadDataset for a row that says nothing or contradicts another one, or names a document that is not there.
    """
    questions: dict[str, list[Expected]] = {}
    unanswerable: set[str] = set()
    for row in _rows(file):
        answer = _answer(row, document_id_of)
        answers = questions.setdefault(row.question, [])
        if answer is None:
            unanswerable.add(row.question)
        else:
            answers.append(answer)
        if answers and row.question in unanswerable:
            raise BadDataset(
                f"{row.place}: this question has an answer in one row and `{NONE}` in another. Correct one."
            )
    if not questions:
        raise BadDataset(f"{file} has no questions. Write some below the header row.")
    return [
        JudgedQuestion(id=str(number), text=text, expected=tuple(dict.fromkeys(expected)))
        for number, (text, expected) in enumerate(questions.items(), start=1)
    ]


def read_foreign(file: Path) -> list[JudgedQuestion]:
    """Questions that no document answers, one in a line. Raises BadDataset."""
    lines = [line.strip() for line in _content(file).splitlines()]
    questions = list(dict.fromkeys(line for line in lines if line))
    if not questions:
        raise BadDataset(f"{file} has no questions. Write one in each line.")
    return [JudgedQuestion(id=f"foreign {number}", text=text) for number, text in enumerate(questions, start=1)]


def _answer(row: _Row, document_id_of: Callable[[str], str | None]) -> Expected | None:
    """What answers; None if nothing should be found."""
    if NONE in (row.expected.casefold(), row.document.casefold()) and not row.text:
        return None
    document, text = row.document, row.text
    if row.expected:
        if document or text:
            raise BadDataset(f"{row.place}: fill in `expected`, or `document` and `text`, and not both.")
        if document_id_of(row.expected) is not None or _looks_like_a_name(row.expected):
            document = row.expected
        else:
            text = row.expected
    if not document and not text:
        raise BadDataset(f"{row.place}: the question has no answer. Name a document or a text, or write `{NONE}`.")
    id = document_id_of(document) if document else None
    if document and id is None:
        raise BadDataset(f"{row.place}: there is no document {document!r}. `ragbase list` shows those that are there.")
    return Expected(document_id=id, text=text or None)


def _looks_like_a_name(expected: str) -> bool:
    """Whether it can only be meant as a file's name: otherwise a misspelt name would be a text that nobody finds."""
    return "\n" not in expected and format_of(expected) is not None


def _rows(file: Path) -> Iterator[_Row]:
    reader = csv.DictReader(_content(file).splitlines(keepends=True), strict=True)
    try:
        reader.fieldnames = _header(file, reader.fieldnames or ())
        for fields in reader:
            place = f"{file}, line {reader.line_num}"
            if None in fields:
                raise BadDataset(f"{place}: it has more fields than the header row. Put texts with commas in quotes.")
            if any(value and value.strip() for value in fields.values()):
                yield _row(fields, place)
    except csv.Error as error:
        raise BadDataset(f"{file}, line {reader.reader.line_num}: {error}. Correct the row.") from None


def _header(file: Path, names: Sequence[str]) -> list[str]:
    header = [name.strip().casefold() for name in names]
    if "question" not in header or not set(header) & set(_COLUMNS[1:]):
        raise BadDataset(
            f"{file}, line 1: the header row needs `question` and one or more of `expected`, `document` and `text`. "
            f"It has {', '.join(header) or 'nothing'}."
        )
    return header


def _row(fields: Mapping[str, str | None], place: str) -> _Row:
    question, expected, document, text = ((fields.get(name) or "").strip() for name in _COLUMNS)
    if not question:
        raise BadDataset(f"{place}: the question is empty. Write one, or remove the row.")
    return _Row(place, question, expected, document, text)


def _content(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadDataset(f"{file} is not in UTF-8. Save it in UTF-8.") from None
    except OSError as error:
        raise BadDataset(f"{file} cannot be read: {error.strerror}. Check the path.") from None
