"""How many sentences of texts for people are taken for orders to a language model: text/addressed.py must know no
language of manuals or encyclopaedias as one."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ragbase.chunking.sentences import sentence_spans
from ragbase.text.addressed import speaks_to_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of texts, of xquad and of corpus.jsonl")
    data: Path = parser.parse_args().data
    sentences: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    examples: list[str] = []
    for collection, text in _texts(data):
        for start, end in sentence_spans(text):
            sentences[collection] += 1
            if speaks_to_model(text[start:end]):
                taken[collection] += 1
                examples.append(" ".join(text[start:end].split())[:120])
    found = {name: {"sentences": count, "taken": taken[name]} for name, count in sorted(sentences.items())}
    total = {"sentences": sentences.total(), "taken": taken.total(), "examples": examples[:10]}
    print(json.dumps({"bench": "addressed", **total, "collections": found}, ensure_ascii=False))


def _texts(data: Path) -> Iterator[tuple[str, str]]:
    """The name of the collection, and a text."""
    for path in sorted(data.rglob("*")):
        name = "/".join(path.relative_to(data).parts[:2])
        if path.suffix in (".md", ".txt"):
            yield name, path.read_text(encoding="utf-8", errors="replace")
        elif path.name == "corpus.jsonl":
            for line in path.read_text(encoding="utf-8").splitlines():
                yield name, str(json.loads(line).get("text", ""))
        elif path.name.startswith("xquad.") and path.suffix == ".json":
            articles = json.loads(path.read_text(encoding="utf-8"))["data"]
            yield from ((name, one["context"]) for article in articles for one in article["paragraphs"])


if __name__ == "__main__":
    main()
