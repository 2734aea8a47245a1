"""A folder that has something of all that the benches read: made of random words, the same each time."""

from __future__ import annotations

import json
import random
from pathlib import Path

from scripts.local_cloud.pdf import pdf

_STEMS = [
    "harbour",
    "lantern",
    "copper",
    "meadow",
    "engine",
    "ribbon",
    "glacier",
    "orchard",
    "signal",
    "timber",
    "anchor",
    "velvet",
    "compass",
    "furnace",
]
_ENDS = ("", "s", "ing", "ed", "less", "ward", "like", "ship")
WORDS = [stem + end for stem in _STEMS for end in _ENDS]
ARTICLES, PARAGRAPHS, QUESTIONS = 4, 3, 2
ABSTRACTS, FILES = 16, 12


class _Speaker:
    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def words(self, count: int) -> str:
        return " ".join(self._chance.choices(WORDS, k=count))

    def sentence(self) -> str:
        return f"The {self.words(self._chance.randint(8, 14))}."

    def paragraph(self, sentences: int = 5) -> str:
        return " ".join(self.sentence() for _ in range(sentences))


def make_collection(folder: Path) -> None:
    """Cranfield's and XQuAD's form, Markdown files in two folders, a PDF with what it has to become, HTML pages."""
    say = _Speaker(1)
    _cranfield(folder / "cranfield", say)
    _xquad(folder / "xquad", say)
    for name in ("book", "prometheus"):
        _markdown(folder / "markdown" / name, say)
    (folder / "pdf").mkdir()
    text = "The nightly backup of the harbour begins at half past two, and is kept for ninety days."
    (folder / "pdf" / "a.pdf").write_bytes(pdf(text))
    (folder / "pdf" / "a.expected.md").write_text(text, encoding="utf-8")
    (folder / "pages").mkdir()
    for number in range(2):
        page = f"<html><head><title>{number}</title></head><body><h1>Page</h1><p>{say.paragraph()}</p></body></html>"
        (folder / "pages" / f"{number}.html").write_text(page, encoding="utf-8")


def _cranfield(folder: Path, say: _Speaker) -> None:
    folder.mkdir()
    abstracts = [{"_id": str(n), "title": say.words(4), "text": say.paragraph()} for n in range(ABSTRACTS)]
    asked = [{"_id": str(n), "text": f"what is {abstracts[n]['title']}"} for n in range(ABSTRACTS // 2)]
    judged = ["query-id\tcorpus-id\tscore", *(f"{n}\t{n}\t1" for n in range(len(asked)))]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, abstracts)), encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    (folder / "qrels.tsv").write_text("\n".join(judged), encoding="utf-8")


def _xquad(folder: Path, say: _Speaker) -> None:
    folder.mkdir()
    articles = []
    for article in range(ARTICLES):
        paragraphs = []
        for place in range(PARAGRAPHS):
            text = f"{say.paragraph(3)} Clara Weston was there in {1900 + 10 * article + place}, before the war."
            asked = [
                {
                    "id": f"{article}-{place}-{number}",
                    "question": f"What is the {' '.join(text.split()[1 + 4 * number : 6 + 4 * number])}?",
                    "answers": [{"text": text.split()[2 + 4 * number]}],
                }
                for number in range(QUESTIONS)
            ]
            paragraphs.append({"context": text, "qas": asked})
        articles.append({"paragraphs": paragraphs})
    (folder / "xquad.en.json").write_text(json.dumps({"data": articles}), encoding="utf-8")


def _markdown(folder: Path, say: _Speaker) -> None:
    folder.mkdir(parents=True)
    for number in range(FILES):
        sections = [f"## About {say.words(3)}\n\n{say.paragraph()}\n\n{say.paragraph()}" for _ in range(3)]
        text = "\n\n".join([f"# Guide {number} to {say.words(2)}", *sections])
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
