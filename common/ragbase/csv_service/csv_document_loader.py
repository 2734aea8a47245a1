"""Reads the CSV file and makes a document of each row."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import BufferedReader
from itertools import count
from pathlib import Path
from typing import Any

from ragbase import telemetry
from ragbase.csv_service.csv_document import CsvDocument
from ragbase.csv_service.cut_parts import RowText
from ragbase.csv_service.properties import CsvProperties
from ragbase.csv_service.row_store import RowStore
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.formats.csv import open_table

CLASSPATH = "classpath:"
FILE = "file:"

LONGEST_FIELD = 1_000
"""Characters. A longer value is in the content, but not in the metadata, which each result repeats."""

_READINGS = 3
"""How often a file is read that changes while it is read."""


def csv_file(path: str) -> Path:
    """The file that `path` names, whether it exists or not. A relative path begins at the working folder.

    `classpath:` names a file next to the program, as in Spring. Python's class path is `sys.path`: the first of the
    working folder and the folders of `sys.path` that has the file is meant, so that a package may carry it. `file:` may
    stand in front of any other path.
    """
    if not path.startswith(CLASSPATH):
        return Path(path.removeprefix(FILE))
    name = path.removeprefix(CLASSPATH).lstrip("/")
    places = [Path(name), *(Path(folder) / name for folder in sys.path)]
    return next((place for place in places if place.exists()), places[0])


class CsvDocumentLoader:
    """Override `format_row_as_content` and `extract_metadata` to suit your file."""

    def __init__(self, properties: CsvProperties, store: RowStore) -> None:
        self.properties = properties
        self._store = store

    @property
    def file(self) -> Path:
        """The CSV file, whether it is there or not."""
        return csv_file(self.properties.path)

    def format_row_as_content(self, row: Mapping[str, str]) -> str:
        """The text of a row that is searched and shown: by default a line `name: value` for each value that is not
        blank. `row` has the values by the names of the header. A blank text leaves the row out."""
        return "\n".join(f"{name}: {value.strip()}" for name, value in row.items() if value and not value.isspace())

    def extract_metadata(self, row: Mapping[str, str]) -> Mapping[str, Any]:
        """What the metadata of a row has besides `source`, `row` and `timestamp`, which win over fields of the same
        name: by default all values of at most 1,000 characters. Values become JSON. No change of metadata alone costs
        an embedding."""
        return {name: value for name, value in row.items() if len(value) <= LONGEST_FIELD}

    def load_documents(self) -> list[CsvDocument]:
        """A document for each row of the file, all in memory. A file that is not there or has no rows gives none, with
        a warning in the log. A row that cannot be parsed is left out, with an error.

        Raises ConfigurationError if the file cannot be read, and PermanentError if it is no text.
        """
        timestamp = self._store.clock.now().isoformat()
        of_all = {"source": self.properties.path, "timestamp": timestamp}
        try:
            documents = [
                CsvDocument(content=row.content, metadata={**row.fields, **of_all, "row": row.number})
                for row in self._rows()
            ]
        except FileNotFoundError:
            self._warn_missing()
            return []
        if not documents:
            self._warn_empty()
        return documents

    def reload_documents(self) -> None:
        """Bring the vector store in step with the file, whatever it holds. Only texts that it does not hold are
        embedded. Until all rows are there, search shows those of before.

        A file that is not there: search shows nothing, but the texts are kept for the time when it is back. What cannot
        be embedded or written raises, and search goes on with what it showed before; call it again to go on. Raises
        also as `load_documents`, and Unavailable if the file changes all the time.
        """
        with self._store.alone():
            for _ in range(_READINGS):
                fingerprint = self.fingerprint()
                if fingerprint is None:
                    self._warn_missing()
                    self._store.put_away()
                    return
                if self._replace(fingerprint):
                    return
        raise Unavailable(f"{self.file} changes while it is read. Load it again when it is complete.")

    def fingerprint(self) -> str | None:
        """Names the content of the file and how it is read; None if there is no file. Code of your own that makes
        another text of a row does not change it: call `reload_documents` after such a change."""
        settings = self.properties
        kind = f"{type(self).__module__}.{type(self).__qualname__}"
        try:
            with self._open() as file:
                digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
        except FileNotFoundError:
            return None
        return f"{digest}|{settings.delimiter}|{settings.encoding}|{settings.path}|{kind}"

    def _replace(self, fingerprint: str) -> bool:
        """False if the file has changed or has gone meanwhile."""
        try:
            replaced = self._store.replace(
                self._rows(),
                fingerprint=fingerprint,
                source=self.properties.path,
                is_complete=lambda: self.fingerprint() == fingerprint,
            )
        except FileNotFoundError:
            return False
        version = self._store.version
        if replaced and (version is None or not version.rows):
            self._warn_empty()
        return replaced

    def _rows(self) -> Iterator[RowText]:
        """The rows, one after the other. Raises FileNotFoundError."""
        settings = self.properties
        with self._open() as file:
            table = open_table(file, delimiter=settings.delimiter, encoding=settings.encoding)
            for note in table.notes:
                telemetry.log(
                    "csv.doubt",
                    f"{settings.path}: {note}",
                    level=logging.WARNING,
                    source=settings.path,
                    note=note,
                )
            names = _distinct(table.headers)
            for row in table.rows:
                if row.problem is not None:
                    telemetry.log(
                        "csv.bad_row",
                        f"{settings.path}: row {row.number} (line {row.line}) is skipped: {row.problem}.",
                        level=logging.ERROR,
                        source=settings.path,
                        row=row.number,
                        line=row.line,
                        problem=row.problem,
                    )
                    continue
                fields = dict(zip(names, (value for _, value in row.cells), strict=True))
                content = self.format_row_as_content(fields)
                if content and not content.isspace():
                    yield RowText(row.number, content, self.extract_metadata(fields))

    def _open(self) -> BufferedReader:
        """Raises FileNotFoundError, and ConfigurationError for a file that is there and cannot be read."""
        try:
            return self.file.open("rb")
        except FileNotFoundError:
            raise
        except OSError as error:
            raise ConfigurationError(
                f"{self.file} cannot be read: {error.strerror}. Correct that, or set RAG_CSV_PATH."
            ) from error

    def _warn_missing(self) -> None:
        file = self.file.absolute()
        text = f"{file} is not there: searches find nothing. Put the file there, or set RAG_CSV_PATH."
        telemetry.log("csv.missing", text, level=logging.WARNING, file=str(file))

    def _warn_empty(self) -> None:
        file = self.file.absolute()
        telemetry.log("csv.empty", f"{file} has no rows that can be used.", level=logging.WARNING, file=str(file))


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number where one occurs again: a row has each name once."""
    distinct: dict[str, None] = {}
    for name in names:
        numbered = (name if number == 1 else f"{name} ({number})" for number in count(1))
        distinct[next(one for one in numbered if one not in distinct)] = None
    return list(distinct)
