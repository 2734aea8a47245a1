"""Collections in the form of BEIR (Thakur et al., 2021): corpus.jsonl, queries.jsonl and qrels."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbase.domain.errors import BadDataset, UnreadableFile
from ragbase.sources.open_inside import open_file

_HEADER = ("query-id", "corpus-id", "score")
_USUAL_SPLIT = "test"


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class BeirCollection:
    """`questions` are the texts of those that have an answer, by id, and `grades` the answers of each: the grades of
    corpus documents by their ids. No link leads out of `within`, if that is set."""

    folder: Path
    questions: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]
    within: str | None = None

    def documents(self) -> Iterator[CorpusDocument]:
        """The corpus, one document at a time. Raises BadDataset."""
        for place, row in _rows(self.folder / "corpus.jsonl", self.within):
            yield CorpusDocument(
                _text(row, "_id", place), _text(row, "title", place, default=""), _text(row, "text", place)
            )


def read_beir(folder: Path, split: str | None = None, *, follow_links: bool = False) -> BeirCollection:
    """The collection in this folder. `split` names the file of its qrels, without `.tsv`; without it, that is `test`,
    or the only one. A link that leads out of the folder is refused, unless `follow_links` is set. Raises BadDataset."""
    within = None if follow_links else os.path.realpath(folder)
    missing = [name for name in ("corpus.jsonl", "queries.jsonl") if not (folder / name).is_file()]
    if missing:
        raise BadDataset(
            f"{folder} lacks {' and '.join(missing)}. A folder in the form of BEIR has corpus.jsonl, queries.jsonl and "
            "qrels/*.tsv or qrels.tsv."
        )
    queries = _rows(folder / "queries.jsonl", within)
    texts = {_text(row, "_id", place): _text(row, "text", place) for place, row in queries}
    grades = _grades(_qrels(folder, split), texts, within)
    if not grades:
        raise BadDataset(
            f"{folder}: no question of queries.jsonl has an answer in the qrels. Check that the ids agree."
        )
    return BeirCollection(folder, {id: texts[id] for id in grades}, grades, within)


def _qrels(folder: Path, split: str | None) -> Path:
    found = {file.stem: file for file in [*sorted((folder / "qrels").glob("*.tsv")), *folder.glob("qrels.tsv")]}
    if not found:
        raise BadDataset(f"{folder} has no qrels: neither qrels/*.tsv nor qrels.tsv.")
    if split is not None and split not in found:
        raise BadDataset(f"{folder} has no qrels for the split {split}. There are {', '.join(found)}.")
    if split is not None:
        return found[split]
    if _USUAL_SPLIT in found or len(found) == 1:
        return found.get(_USUAL_SPLIT) or next(iter(found.values()))
    raise BadDataset(f"{folder} has qrels for {', '.join(found)}. Choose one with --split.")


def _grades(file: Path, questions: Mapping[str, str], within: str | None) -> dict[str, dict[str, int]]:
    """The answers of the questions that have one."""
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, line in _lines(file, within):
        columns = tuple(line.split("\t"))
        if number == 1 and columns == _HEADER:
            continue
        question, document, grade = _judgement(columns, f"{file}, line {number}")
        if question in questions and grade > 0:
            grades[question][document] = grade
    return dict(grades)


def _judgement(columns: Sequence[str], place: str) -> tuple[str, str, int]:
    try:
        question, document, grade = columns
        return question, document, int(float(grade))
    except ValueError:
        raise BadDataset(
            f"{place}: this is no judgement. It needs the id of a query, the id of a document and a whole number, "
            "with tabs between them."
        ) from None


def _rows(file: Path, within: str | None) -> Iterator[tuple[str, dict[str, object]]]:
    """Each row, and where it stands."""
    for number, line in _lines(file, within):
        place = f"{file}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadDataset(f"{place}: this is no JSON: {error}. Correct the line.") from None
        if not isinstance(row, dict):
            raise BadDataset(f"{place}: this is no JSON object. Correct the line.")
        yield place, row


def _lines(file: Path, within: str | None) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    try:
        with os.fdopen(open_file(file, within), encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise BadDataset(f"{file} is not in UTF-8. Save it in UTF-8.") from None
    except UnreadableFile as error:
        raise BadDataset(str(error)) from None
    except OSError as error:
        raise BadDataset(f"{file} cannot be read: {error.strerror}.") from None


def _text(row: Mapping[str, object], key: str, place: str, *, default: str | None = None) -> str:
    value = row.get(key, default)
    if isinstance(value, int) and key == "_id":
        return str(value)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise BadDataset(f"{place}: `{key}` has to be a text. Correct the line.")
    return value
