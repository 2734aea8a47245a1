"""Make question sets from a folder of documentation in one language, and print where they were
written.

The files are read and cut into passages as an ingest does it. Each heading that stands once in the folder, with text
under it, is a question, and the passages of its section answer it. There are three sets:

- NAME.heading.json asks the headings themselves.
- NAME.wrapped.json asks those that are no questions inside a question of the language (data/question_wrappers.tsv).
- NAME.bare.json asks the headings, and no passage has a heading that is asked: neither in its text nor in its path.

A set is one JSON object: `name`, `language`, `kind`, `passages` (`id`, `document`, `group` and `text`, which is what is
embedded) and `questions` (`id`, `text` and `answers`, the ids of passages). The group of a passage is the folder of its
file, or the file if all files are in one folder. Leave out half of the groups, and the questions on them are foreign.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.chunking.outline import Heading
from ragbase.chunking.read_outline import read_outline
from ragbase.domain.chunk import Passage, embedding_text
from ragbase.domain.errors import PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from scripts.bench.corpus import rows
from scripts.bench.harness import Bench

MIN_SECTION = 120
"""Characters under a heading, so that there is something to find."""
_NUMBER = re.compile(r"^(?:(?:[^\W\d]+\s)?\W*(?:[A-Z]\.)?\d+(?:\.\d+)*[.:)]\s*|[第제]\s*\d+\s*[章장]\.?\s*)")
"""Of a chapter: `7.2.`, `Chapter 7.`, `第7章`."""
_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\W\d_]+")
"""Two characters of a script without blanks count as one."""
_QUESTION_MARKS = "?？؟;；"


@dataclass(frozen=True)
class Asked:
    """A heading as a question. `name` is the file that it is in."""

    name: str
    text: str
    heading: Heading


@dataclass(frozen=True)
class Documentation:
    """The text of each file by its name, its passages, and the headings to ask."""

    texts: Mapping[str, str]
    passages: Mapping[str, Sequence[Passage]]
    asked: Sequence[Asked]


def main() -> None:
    bench = Bench("question-sets", __doc__)
    bench.add_argument("folder", type=Path, help="documentation in one language: Markdown, HTML, man pages, ...")
    bench.add_argument("--language", required=True, help="its ISO code, such as de")
    bench.add_argument("--name", required=True, help="of the sets")
    bench.add_argument("--kind", choices=("fit", "judge"), default="judge", help="what the sets are for")
    bench.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="where to write the sets")
    bench.number("--questions", 200, "at most")
    bench.number("--passages", 800, "at most; whole files are left out")
    options = bench.parse_args()
    documentation = read(options.folder, options.passages)
    asked = sorted(
        random.Random(0).sample(documentation.asked, min(options.questions, len(documentation.asked))),
        key=lambda one: (one.name, one.heading.start),
    )
    if not asked:
        bench.error(f"No file in {options.folder} has a heading with text under it. Name a folder of documentation.")
    options.to.mkdir(parents=True, exist_ok=True)
    wrappers = [wrapper for code, wrapper in rows("question_wrappers") if code == options.language]
    for form, questions, passages in forms(documentation, asked, wrappers):
        file = options.to / f"{options.name}.{form}.json"
        header = {"name": file.stem, "language": options.language, "kind": options.kind}
        made = header | {"passages": _passages(passages), "questions": _questions(questions, passages)}
        file.write_text(json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8")
        bench.say({"file": str(file), "passages": len(made["passages"]), "questions": len(questions)})


Question = tuple[Asked, str]
"""A heading, and the words in which it is asked."""


def forms(
    documentation: Documentation, asked: Sequence[Asked], wrappers: Sequence[str]
) -> Iterator[tuple[str, Sequence[Question], Mapping[str, Sequence[Passage]]]]:
    """Each set's form, its questions, and the passages of each file."""
    headings = [(one, one.text) for one in asked]
    yield "heading", headings, documentation.passages
    statements = [one for one in asked if one.text[-1] not in _QUESTION_MARKS]
    if wrappers and statements:
        wrapped = [(one, wrappers[i % len(wrappers)].format(one.text)) for i, one in enumerate(statements)]
        yield "wrapped", wrapped, documentation.passages
    yield "bare", headings, without_headings(documentation, asked)


def _passages(passages: Mapping[str, Sequence[Passage]]) -> list[dict[str, str]]:
    grouped = groups(passages)
    return [
        {"id": f"{name}#{i}", "document": name, "group": grouped[name], "text": text}
        for name, split in passages.items()
        for i, passage in enumerate(split)
        if (text := embedding_text(passage).strip())
    ]


def _questions(
    questions: Sequence[Question], passages: Mapping[str, Sequence[Passage]]
) -> list[dict[str, str | list[str]]]:
    return [
        {"id": f"{one.name}@{one.heading.start}", "text": text, "answers": answers(one, passages[one.name])}
        for one, text in questions
    ]


def read(folder: Path, most: int) -> Documentation:
    """The files of a folder, in an order by chance, until there are `most` passages."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    random.Random(0).shuffle(files)
    extractor, chunker = FormatExtractor(), MarkdownChunker()
    texts: dict[str, str] = {}
    passages: dict[str, Sequence[Passage]] = {}
    found: list[Asked] = []
    for file in files:
        data = file.read_bytes()
        try:
            format = extractor.detect(data, file.suffix[1:].lower())
            extraction = extractor.extract(data, format, ProcessingConfig())
        except PermanentError:
            continue
        split = chunker.split(extraction)
        if sum(map(len, passages.values())) + len(split) > most:
            continue
        name = file.relative_to(folder).as_posix()
        texts[name], passages[name] = extraction.markdown, split
        found += _headings(name, extraction.markdown)
    times = Counter(one.text.casefold() for one in found)
    return Documentation(texts, passages, [one for one in found if times[one.text.casefold()] == 1])


def _headings(name: str, text: str) -> Iterator[Asked]:
    outline = read_outline(text)
    for heading in outline.headings:
        following = next((other.start for other in outline.headings if other.start > heading.start), len(text))
        title = _NUMBER.sub("", heading.path[-1]).strip(" :：.。")
        if len(_WORD.findall(title)) > 1 and len(text[heading.end : following].strip()) >= MIN_SECTION:
            yield Asked(name, title, heading)


def answers(asked: Asked, passages: Sequence[Passage]) -> list[str]:
    """The passages that have some of the section's text, and more than the end of an overlap."""
    start, end = asked.heading.end, asked.heading.section_end
    held = [min(passage.char_end, end) - max(passage.char_start, start) for passage in passages]
    return [f"{asked.name}#{i}" for i, length in enumerate(held) if length >= min(MIN_SECTION, max(held))]


def without_headings(documentation: Documentation, asked: Sequence[Asked]) -> dict[str, list[Passage]]:
    shown: dict[str, list[Passage]] = {}
    for name, passages in documentation.passages.items():
        headings = [one.heading for one in asked if one.name == name]
        titles = {heading.path[-1] for heading in headings}
        lines = [documentation.texts[name][heading.start : heading.end].strip() for heading in headings]
        shown[name] = [_without(passage, titles, lines) for passage in passages]
    return shown


def _without(passage: Passage, titles: set[str], lines: Sequence[str]) -> Passage:
    text = passage.text
    for line in lines:
        text = text.replace(line, "")
    return replace(
        passage, text=text.strip(), header_path=tuple(title for title in passage.header_path if title not in titles)
    )


def groups(passages: Mapping[str, Sequence[Passage]]) -> dict[str, str]:
    folders = {name: name.rpartition("/")[0] for name in passages}
    return folders if len(set(folders.values())) > 1 else {name: name for name in passages}


if __name__ == "__main__":
    main()
