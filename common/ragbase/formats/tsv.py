"""Tables of values with tabs between them: read as csv.py reads, which finds the delimiter in the content."""

from __future__ import annotations

from ragbase.formats.csv import is_table, read_csv_file
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file


def is_tsv(data: bytes) -> bool:
    return is_table(data, "\t")


READER = Reader(
    version="tsv-v3",
    check=check_text_file,
    read=read_csv_file,
    proves=is_tsv,
)
