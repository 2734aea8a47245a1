"""Compare the text that ragbase reads from the files of a folder with what a plain reader of each format finds.

A word is lost if no passage has it, the document does not say it of itself, and no note says that it was left out. A
word is doubled if it stands more often than in the file. Ends with 1 if more words are lost or doubled than allowed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.check_text.check_file import Checked, check_file

IN_ALL = 0.003
IN_A_FILE = 0.03
SHORT = 20
"""In a file of few words, one word is more than its share. So many lost words count as one of a long file would."""

SHOWN = 12


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/check-text", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="+", help="a folder with everything below it, or a file")
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each file, and one for all")
    parser.add_argument("--verbose", action="store_true", help="name every file, with the words and all notes")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="files that are read at once")
    options = parser.parse_args()
    files = list(_files(options.folder))
    if not files:
        parser.error(f"{', '.join(map(str, options.folder))}: there is no file. Name a folder that has some.")
    with ProcessPoolExecutor(options.processes) as pool:
        checked = []
        for one in pool.map(check_file, files):
            checked.append(one)
            if options.json:
                print(json.dumps(_as_json(one), ensure_ascii=False), flush=True)
            elif options.verbose or is_fault(one):
                print("\n".join(_told(one, verbose=options.verbose)), flush=True)
    sys.exit(_summary(checked, as_json=options.json))


def is_fault(one: Checked) -> bool:
    """Whether too much is lost or doubled in this file."""
    return len(one.lost) + len(one.doubled) > IN_A_FILE * max(one.words, SHORT)


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        if folder.is_file():
            yield folder
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
                yield path


def _told(one: Checked, *, verbose: bool) -> Iterator[str]:
    if one.refused or one.unchecked:
        yield f"{one.path}: {f'refused: {one.refused}' if one.refused else f'not compared: {one.unchecked}'}"
        return
    shown = None if verbose else SHOWN
    yield (
        f"{one.path}: {one.format}, {one.words} words, {one.noted} left out with a note, {len(one.lost)} lost, "
        f"{len(one.doubled)} doubled"
    )
    if one.lost:
        yield f"    lost: {' '.join(one.lost[:shown])}"
    if one.doubled:
        yield f"    doubled: {' '.join(one.doubled[:shown])}"
    yield from (f"    note: {note}" for note in one.notes if verbose)


def _as_json(one: Checked) -> dict[str, object]:
    return {
        "file": str(one.path),
        "format": one.format,
        "words": one.words,
        "noted": one.noted,
        "lost": one.lost,
        "doubled": one.doubled,
        "notes": one.notes,
        "refused": one.refused or None,
        "unchecked": one.unchecked or None,
    }


def _summary(checked: Sequence[Checked], *, as_json: bool) -> int:
    """Prints it. 1 if too much is lost or doubled."""
    compared = [one for one in checked if not one.refused and not one.unchecked]
    count = sum(one.words for one in compared)
    lost = sum(len(one.lost) for one in compared)
    doubled = sum(len(one.doubled) for one in compared)
    faults = [one for one in compared if is_fault(one)]
    share = (lost + doubled) / max(count, 1)
    refused = Counter(one.refused.partition(":")[0] for one in checked if one.refused)
    figures = {
        "files": len(checked),
        "compared": len(compared),
        "formats": Counter(one.format for one in compared),
        "refused": refused,
        "not compared": sum(bool(one.unchecked) for one in checked),
        "words": count,
        "left out with a note": sum(one.noted for one in compared),
        "lost": lost,
        "doubled": doubled,
        "share": round(share, 5),
        "files with too much": len(faults),
    }
    if as_json:
        print(json.dumps(figures))
    else:
        print("\n".join(f"{name}: {_shown(value)}" for name, value in figures.items()))
    return int(bool(faults) or share > IN_ALL)


def _shown(value: object) -> str:
    return (
        ", ".join(f"{name} {count}" for name, count in value.most_common())
        if isinstance(value, Counter)
        else str(value)
    )


if __name__ == "__main__":
    main()
