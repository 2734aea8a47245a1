"""Where the CSV file is that the setting `rag.csv.path` names."""

from __future__ import annotations

import sys
from pathlib import Path

CLASSPATH = "classpath:"
FILE = "file:"


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
