"""Find the sections of documentation folders again: known headings as questions, alone and in eight wrappers.

Each folder goes through the whole pipeline, into one index. The questions are a seeded sample of the headings that only
one document has, in every folder alike. A section is found if a passage below its heading is first, or among the first
five. Prints a line of JSON for each index: for each wrapper, and for each folder over all wrappers, the share that is
found without a threshold and with the default one.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.bench.harness import Bench, share

if TYPE_CHECKING:
    from ragbase import RAGEngine
    from ragbase.retrieval.search_result import SearchResult

WRAPPERS = (
    "{h}",
    "What does the documentation say about {h}?",
    "tell me about {h}",
    "I would like to know more about {h}, please",
    "where can i find something on {lower}",
    "{h} in {name}",
    "How does {h} work in {name}?",
    "What does {name} say about {h}?",
    "{lower_name}: please explain {lower}",
)
_FOREIGN = (
    "What does {name} say about the breeding of penguins?",
    "How do I bake sourdough bread in {name}?",
    "Which medieval kings does {name} mention?",
    "Tell me about the offside rule in {name}",
    "mortgage rates in {name}",
)
"""On subjects that no documentation of programs has."""
_LONGEST, _SHORTEST = 80, 6
_LEAST_TEXT = 80
"""Characters of a section: a title alone says nothing."""
_FIVE = 5


@dataclass(frozen=True, slots=True)
class Item:
    """A heading, and the folder that has it."""

    heading: str
    folder: str
    name: str

    def asked(self, wrapper: str) -> str:
        return wrapper.format(h=self.heading, lower=self.heading.lower(), name=self.name, lower_name=self.name.lower())


def main() -> None:
    bench = Bench("known-items", __doc__)
    bench.add_argument(
        "--data",
        type=_folder,
        nargs="+",
        required=True,
        metavar="FOLDER[=NAME]",
        help="folders of documentation in any format, and what each is about; without a name, that of the folder",
    )
    bench.number("--items", 300, "how many headings")
    bench.number("--seed", 1)
    bench.add_argument("--home", type=Path, help="keeps the index here, and takes it from here if it is there")
    bench.add_argument("--misses", action="store_true", help="print each miss to standard error")
    options = bench.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        figures = measure(dict(options.data), options.home or Path(temporary), options)
    bench.say({"seed": options.seed, **figures})


def _folder(argument: str) -> tuple[Path, str]:
    path, _, name = argument.partition("=")
    folder = Path(path).absolute()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is no folder. Name a folder of documentation.")
    return folder, name or folder.name


def measure(folders: Mapping[Path, str], home: Path, options: argparse.Namespace) -> dict[str, object]:
    from ragbase import RAGEngine, load_config

    config = load_config(home=home)
    with RAGEngine(config) as engine:
        ingested = engine.ingest(sorted(file for folder in folders for file in folder.rglob("*") if file.is_file()))
        items = _sample(engine, folders, options.items, options.seed)
        asked = [(item, wrapper) for item in items for wrapper in WRAPPERS]
        ranks: list[tuple[Item, str, int, int]] = []
        for item, wrapper in asked:
            results = _search(engine, item.asked(wrapper), 0.0)
            free = _rank(item, results)
            kept = _rank(item, _search(engine, item.asked(wrapper), config.similarity_threshold))
            ranks.append((item, wrapper, free, kept))
            if options.misses and not 0 < kept <= _FIVE:
                print(f"{item.asked(wrapper)!r} ({item.folder}): {free} {kept}", file=sys.stderr)
        foreign = [text.format(name=name) for name in folders.values() for text in _FOREIGN]
        refused = [not _search(engine, text, config.similarity_threshold) for text in foreign]
    return {
        "documents": ingested["ingested_count"],
        "chunks": ingested["chunk_count"],
        "items": len(items),
        "wrappers": {wrapper: _found(one for one in ranks if one[1] == wrapper) for wrapper in WRAPPERS},
        "folders": {folder.name: _found(one for one in ranks if one[0].folder == str(folder)) for folder in folders},
        "foreign_refused": share(refused),
    }


def _search(engine: RAGEngine, query: str, threshold: float) -> list[SearchResult]:
    from ragbase.domain.question import Question
    from ragbase.engine.search import search

    return search(Question(query, _FIVE, threshold), engine.profile)


def _sample(engine: RAGEngine, folders: Mapping[Path, str], items: int, seed: int) -> list[Item]:
    """So many headings of each folder, as far as it has them."""
    found = {folder: _headings(engine, folder) for folder in folders}
    having: dict[str, set[str]] = defaultdict(set)
    for headings in found.values():
        for heading, document in headings:
            having[heading.casefold()].add(document)
    draw = random.Random(seed)
    drawn: list[Item] = []
    for number, (folder, name) in enumerate(folders.items()):
        unique = sorted({heading for heading, _ in found[folder] if len(having[heading.casefold()]) == 1})
        wanted = (items - len(drawn)) // (len(folders) - number)
        chosen = draw.sample(unique, min(wanted, len(unique)))
        drawn += [Item(heading, str(folder), name) for heading in chosen]
    return drawn


def _headings(engine: RAGEngine, folder: Path) -> set[tuple[str, str]]:
    """The headings of passages with text of their own, each with the id of its document."""
    found: set[tuple[str, str]] = set()
    index = engine.profile.open_index()
    for file in sorted(folder.rglob("*")):
        record = engine.find(str(file)) if file.is_file() else None
        if record is None or record.active is None:
            continue
        for one in index.vectors_of(record.name).read(record.id, record.active.generation):
            heading = one.chunk.header_path[-1] if one.chunk.header_path else ""
            is_named = _SHORTEST <= len(heading) <= _LONGEST and any(map(str.isalpha, heading))
            if is_named and len(one.chunk.text) >= _LEAST_TEXT:
                found.add((heading, record.id))
    return found


def _rank(item: Item, results: Sequence[SearchResult]) -> int:
    """The place of the first passage of the section; 0 if there is none."""
    wanted = item.heading.casefold()
    return next(
        (
            one.rank
            for one in results
            if any(wanted in map(str.casefold, source.chunk.header_path) for source in one.sources)
        ),
        0,
    )


def _found(ranks: Iterable[tuple[Item, str, int, int]]) -> dict[str, float]:
    """The share found first and in five, without the threshold and with it."""
    places = [(free, kept) for _, _, free, kept in ranks]
    return {
        "first": share(free == 1 for free, _ in places),
        "in_five": share(free > 0 for free, _ in places),
        "first_with_threshold": share(kept == 1 for _, kept in places),
        "in_five_with_threshold": share(kept > 0 for _, kept in places),
    }


if __name__ == "__main__":
    main()
