"""What do short, odd and long questions find? Prints a line of JSON for each kind of question and each collection:
Cranfield's abstracts, its titles alone, and XQuAD in each language of the data folder that has frames
(data/question_frames.tsv).

Each kind writes the collection's own questions in another way: in a hurry, with a mistake, as one word, politely, as a
long request. Recall@5 is the share of them with
an answer among five results, and nDCG@10 how good the order is, without a threshold and at the default one. `refused`
is the share of foreign questions, written in the same way, that get no result: for XQuAD those about the articles that
are missing from half of its index, for Cranfield questions on other subjects. A kind that asks for nothing has only
`refused`. The questions are a sample by chance, the same in each run. RAGBASE_EMBEDDER chooses the embedder.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.chunk import Passage
from ragbase.ports import Embedder
from ragbase.retrieval.remembering_embedder import RememberingEmbedder
from ragbase.text.function_words import FUNCTION_WORDS
from scripts.bench.corpus import (
    Collection,
    JudgedBench,
    Search,
    articles,
    cranfield,
    index,
    ndcg,
    off_topic,
    recall,
    rows,
    xquads,
)
from scripts.bench.harness import Figures, rounded

LANGUAGES = {"de": "german", "en": "english", "es": "spanish", "ru": "russian", "vi": "vietnamese"}
"""Those that have frames, by the names of the function words."""
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_LONGEST_PHRASE = 6
"""Words."""


@dataclass(frozen=True)
class Asked:
    """A question as it was asked. `beside` are questions on the same subject, and `elsewhere` is one on another."""

    text: str
    language: str
    beside: Sequence[str]
    elsewhere: str


Kind = Callable[[Asked, random.Random], str | None]
"""The question in other words; None if it cannot be asked in this way."""


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _content_words(text: str, language: str) -> list[str]:
    function_words = FUNCTION_WORDS[LANGUAGES[language]]
    return [word for word in _words(text) if word.casefold() not in function_words]


def _longest(asked: Asked) -> str | None:
    words = _content_words(asked.text, asked.language)
    return max(words, key=len) if words else None


def phrase(text: str, language: str) -> str | None:
    """The longest run of words without a function word."""
    function_words = FUNCTION_WORDS[LANGUAGES[language]]
    runs: list[list[str]] = [[]]
    for word in _words(text):
        if word.casefold() in function_words:
            runs.append([])
        else:
            runs[-1].append(word)
    return " ".join(max(runs, key=len)[:_LONGEST_PHRASE]) or None


def _name(asked: Asked, chance: random.Random) -> str | None:
    """The longest run of words with a capital. The first word has one anyway."""
    runs: list[list[str]] = [[]]
    for word in _words(asked.text)[1:]:
        if word[0].isupper():
            runs[-1].append(word)
        else:
            runs.append([])
    name = max(runs, key=len)
    return " ".join(name) or None


def _unmarked(asked: Asked, chance: random.Random) -> str | None:
    text = asked.text.strip("¿?. ")
    return text if text != asked.text else None


def _swapped(asked: Asked, chance: random.Random) -> str | None:
    def swap(word: str) -> str:
        at = chance.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return _misspelt(asked, swap)


def _missing(asked: Asked, chance: random.Random) -> str | None:
    def drop(word: str) -> str:
        at = chance.randrange(1, len(word) - 1)
        return word[:at] + word[at + 1 :]

    return _misspelt(asked, drop)


def _misspelt(asked: Asked, wrong: Callable[[str], str]) -> str | None:
    word = _longest(asked)
    return asked.text.replace(word, wrong(word), 1) if word is not None and len(word) > 3 else None


def _without_accents(asked: Asked, chance: random.Random) -> str | None:
    letters = unicodedata.normalize("NFD", asked.text)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    plain = plain.replace("đ", "d").replace("Đ", "D")
    return plain if plain != asked.text else None


def _quoted(asked: Asked, chance: random.Random) -> str | None:
    quoted = phrase(asked.text, asked.language)
    return asked.text.replace(quoted, f'"{quoted}"') if quoted is not None and quoted in asked.text else None


def _framed(kind: str) -> Kind:
    def frame(asked: Asked, chance: random.Random) -> str | None:
        frames = FRAMES.get((asked.language, kind))
        about, other = phrase(asked.text, asked.language), phrase(asked.elsewhere, asked.language)
        examples = [found for text in asked.beside if (found := phrase(text, asked.language))]
        if frames is None or about is None or other is None:
            return None
        return chance.choice(frames).format(
            question=asked.text,
            phrase=about,
            other=other,
            examples=", ".join(chance.sample(examples, min(3, len(examples)))),
        )

    return frame


FRAMES: dict[tuple[str, str], list[str]] = {}
for _language, _kind, _frame in rows("question_frames"):
    FRAMES.setdefault((_language, _kind), []).append(_frame)
"""Frames round a question by language and kind. An English question gets another language's frame in `mixed`."""

KINDS: Mapping[str, Kind] = {
    "as asked": lambda asked, chance: asked.text,
    "one word": lambda asked, chance: _longest(asked),
    "a name": _name,
    "content words": lambda asked, chance: " ".join(_content_words(asked.text, asked.language)) or None,
    "no question mark": _unmarked,
    "letters swapped": _swapped,
    "letter missing": _missing,
    "all capitals": lambda asked, chance: asked.text.upper(),
    "no capitals": lambda asked, chance: asked.text.lower(),
    "no accents": _without_accents,
    "phrase quoted": _quoted,
    "with a ticket's number": lambda asked, chance: f"[#{chance.randrange(10000, 99999)}] {asked.text}",
    "with emoji": lambda asked, chance: f"{asked.text} 🤔🙏",
    "twice": lambda asked, chance: f"{asked.text} {asked.text}",
    "mixed languages": _framed("mixed"),
    "polite": _framed("polite"),
    "request": _framed("request"),
    "request with a focus": _framed("focus"),
    "not interested in": _framed("exclusion"),
    "with examples": _framed("examples"),
    "some 200 words": _framed("long"),
}
"""They ask for the same as the question."""

NOTHING: Mapping[str, Kind] = {
    "function words alone": lambda asked, chance: (
        " ".join(word for word in _words(asked.text) if word.casefold() in FUNCTION_WORDS[LANGUAGES[asked.language]])
        or None
    ),
    "punctuation alone": lambda asked, chance: chance.choice(("?", "???", "...", "?!", "- - -", "¿?", "(…)")),
    "emoji alone": lambda asked, chance: chance.choice(("🤔", "🙏🙏", "👍", "😀 😀 😀", "🚀", "❤️")),
    "a code that nobody has": lambda asked, chance: (
        f"{''.join(chance.choices('BCDFGHJKLMNPQRSTVWXZ', k=3))}-{chance.randrange(1000, 9999)}"
    ),
    "a word that nobody has": lambda asked, chance: "".join(
        chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(4)
    ),
}
"""They ask for nothing that a passage has."""

_BESIDE = 5
"""Questions on the same subject that a question knows of."""


@dataclass(frozen=True)
class Odd:
    """A collection whose questions are answered, and an index that lacks what the foreign questions ask for."""

    collection: Collection
    searched: Search
    own: Mapping[str, Asked]
    lacking: Search
    foreign: Mapping[str, Asked]

    def figures(self) -> Iterator[Figures]:
        for name, kind in KINDS.items():
            own, foreign = _written(kind, self.own), _written(kind, self.foreign)
            if own and foreign:
                yield self._named(name) | self._kept(own) | self._refused(foreign)
        for name, kind in NOTHING.items():
            yield self._named(name) | self._refused(_written(kind, self.foreign))

    def _named(self, kind: str) -> Figures:
        return {"collection": self.collection.name, "kind": kind}

    def _kept(self, questions: Mapping[str, str]) -> Figures:
        answers = {question: self.collection.answers[question] for question in questions}
        asked = Collection(self.collection.name, self.collection.documents, questions, answers)
        best, shown = cache(self.searched.best), cache(self.searched.shown)
        return {
            "questions": len(questions),
            "recall_at_5": recall(asked, best),
            "recall_at_5_shown": recall(asked, shown),
            "ndcg_at_10": ndcg(asked, best),
            "ndcg_at_10_shown": ndcg(asked, shown),
        }

    def _refused(self, questions: Mapping[str, str]) -> Figures:
        return {"foreign": len(questions), "refused": 1 - self.lacking.answered(questions.values())}


def main() -> None:
    bench = JudgedBench("odd-questions", "Measure short, odd and long questions on Cranfield and XQuAD.")
    bench.number("--questions", 100, "of each collection")
    options = bench.parsed()
    config = load_config()
    embedder = RememberingEmbedder(open_profile(config).embedder)
    common = {"embedder": embedder.model, "threshold": config.similarity_threshold}
    for one in collections(options.data, embedder, config.similarity_threshold, options.questions):
        for figures in one.figures():
            bench.say(common | rounded(figures))


def collections(data: Path, embedder: Embedder, threshold: float, most: int) -> Iterator[Odd]:
    def search(collection: Collection) -> Search:
        return Search(index(collection, embedder), embedder, threshold)

    abstracts = _with_text(cranfield(data))
    own, foreign = _sampled(abstracts, "en", most), _on_other_subjects(most)
    for collection in (abstracts, _titles(abstracts)):
        searched = search(collection)
        yield Odd(collection, searched, own, searched, foreign)
    for language, collection in xquads(data):
        if language not in LANGUAGES:
            continue
        missing = _sampled(articles(collection, even=False), language, most)
        lacking = search(articles(collection, even=True))
        yield Odd(collection, search(collection), _sampled(collection, language, most), lacking, missing)


def _with_text(collection: Collection) -> Collection:
    """Without the documents that are blank, which a question of signs alone would find. No ingest has any."""
    documents = {name: passages for name, passages in collection.documents.items() if passages[0].text.strip()}
    return Collection(collection.name, documents, collection.questions, collection.answers)


def _titles(collection: Collection) -> Collection:
    """The first line of each document."""
    titles = {name: passages[0].text.partition("\n")[0] for name, passages in collection.documents.items()}
    documents = {name: [Passage(text=title, char_start=0, char_end=len(title))] for name, title in titles.items()}
    return Collection(f"{collection.name}, titles", documents, collection.questions, collection.answers)


def _on_other_subjects(most: int) -> dict[str, Asked]:
    questions = off_topic()
    return {
        text: Asked(text, "en", _sample(questions, _BESIDE), questions[place - 1])
        for place, text in enumerate(questions[:most])
    }


def _sampled(collection: Collection, language: str, most: int) -> dict[str, Asked]:
    """Questions by chance. Those with an answer in common, or in the same article, are on one subject."""
    subjects = {question: {name.partition("/")[0] for name in names} for question, names in collection.answers.items()}
    asked = {}
    for question in sorted(_sample(sorted(subjects), most)):
        others = [other for other in subjects if other != question]
        beside = [other for other in others if not subjects[other].isdisjoint(subjects[question])]
        elsewhere = [other for other in others if subjects[other].isdisjoint(subjects[question])]
        known = (_sample(beside, _BESIDE) + _sample(elsewhere, _BESIDE))[:_BESIDE]
        asked[question] = Asked(
            collection.questions[question],
            language,
            [collection.questions[other] for other in known],
            collection.questions[random.Random(question).choice(elsewhere)],
        )
    return asked


def _sample(texts: Sequence[str], most: int) -> list[str]:
    return random.Random(0).sample(texts, min(most, len(texts)))


def _written(kind: Kind, asked: Mapping[str, Asked]) -> dict[str, str]:
    """The questions that can be asked in this way."""
    written = {question: kind(one, random.Random(one.text)) for question, one in asked.items()}
    return {question: text for question, text in written.items() if text is not None}


if __name__ == "__main__":
    main()
