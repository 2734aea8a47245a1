"""The collections and question sets that the confidence is fitted on and judged by, and the indexes made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragbase.domain.chunk import Passage
from scripts.bench.corpus import Collection, beside, cranfield, markdown, off_topic, xquad

_EVERYDAY = Path(__file__).parent / "data" / "everyday_questions.tsv"
_MARKDOWN = (("prometheus", "prometheus"), ("book", "rust"))
_LEAST_GROUPS = 3
_LEAST_OWN = 10


@dataclass(frozen=True, kw_only=True)
class JudgedSet:
    """A collection whose documents are in groups, and questions on everyday things, which it does not answer.

    Groups that are `apart` are on other subjects: questions on one are foreign to an index without it. Other groups are
    too near each other to say so.
    """

    collection: Collection
    language: str
    everyday: Sequence[str]
    groups: Mapping[str, int] = field(default_factory=dict)
    apart: bool = False

    @property
    def left_out_as(self) -> str:
        """What is left out with it: its language, or itself if it is one of the English collections."""
        return self.language if self.groups else self.collection.name


@dataclass(frozen=True, kw_only=True)
class Variant:
    """An index to make, and who asks it. Questions are named by their ids in the set's collection."""

    judged: JudgedSet
    name: str
    indexed: Collection
    own: Sequence[str]
    foreign: Sequence[str] = ()


def everyday_questions(language: str) -> list[str]:
    """Questions on everyday things in this language, and in English those on other subjects, too."""
    lines = (line.split("\t") for line in _EVERYDAY.read_text(encoding="utf-8").splitlines())
    return [question for of, question in lines if of == language] + (off_topic() if language == "en" else [])


def sets_of_data(data: Path) -> Iterator[JudgedSet]:
    """Cranfield and the Markdown files whole, and XQuAD, whose articles are the groups."""
    english = everyday_questions("en")
    yield JudgedSet(collection=cranfield(data), language="en", everyday=english)
    for folder, questions in _MARKDOWN:
        if (data / "markdown" / folder).is_dir():
            yield JudgedSet(collection=markdown(data, folder, questions), language="en", everyday=english)
    for file in sorted((data / "xquad").glob("xquad.*.json")):
        language = file.suffixes[0][1:]
        collection = xquad(data, language)
        yield JudgedSet(
            collection=collection,
            language=language,
            everyday=everyday_questions(language),
            groups={name: int(name.partition("/")[0]) for name in collection.documents},
            apart=True,
        )


def set_of_file(file: Path) -> JudgedSet:
    """A set as scripts/bench/question-sets writes it. Each passage is a document of its own. The groups are apart if
    they are sources, as in a set whose name has "mix" in it."""
    read = json.loads(file.read_text(encoding="utf-8"))
    numbers = {group: at for at, group in enumerate(dict.fromkeys(one["group"] for one in read["passages"]))}
    collection = Collection(
        read["name"],
        {one["id"]: [Passage(text=one["text"], char_start=0, char_end=len(one["text"]))] for one in read["passages"]},
        {one["id"]: one["text"] for one in read["questions"]},
        {one["id"]: set(one["answers"]) for one in read["questions"]},
    )
    return JudgedSet(
        collection=collection,
        language=read["language"],
        everyday=everyday_questions(read["language"]),
        groups={one["id"]: numbers[one["group"]] for one in read["passages"]},
        apart="-mix" in read["name"],
    )


def variants(sets: Sequence[JudgedSet]) -> Iterator[Variant]:
    """Both halves of each set, and a half of each language of XQuAD beside all that is English. What has no groups is
    indexed whole."""
    for judged in sets:
        if len(set(judged.groups.values())) < _LEAST_GROUPS:
            yield _variant(judged, "whole", judged.collection, list(judged.collection.questions))
            continue
        for half in (0, 1):
            if len((variant := _half(judged, half)).own) >= _LEAST_OWN:
                yield variant
        if judged.collection.name.startswith("xquad."):
            unrelated = [one.collection for one in sets if one.language == "en" and not _is_xquad(one)]
            yield _half(judged, 0, unrelated)


def _is_xquad(judged: JudgedSet) -> bool:
    return judged.collection.name.startswith("xquad.")


def _half(judged: JudgedSet, half: int, unrelated: Sequence[Collection] = ()) -> Variant:
    kept = {name for name, group in judged.groups.items() if group % 2 == half}
    whole = judged.collection
    documents = {name: passages for name, passages in whole.documents.items() if name in kept}
    own = [question for question, answers in whole.answers.items() if answers & kept]
    foreign = [question for question, answers in whole.answers.items() if not answers & kept] if judged.apart else []
    indexed = Collection(whole.name, documents, whole.questions, whole.answers)
    if unrelated:
        return _variant(judged, "beside unrelated passages", beside(indexed, unrelated), own, foreign)
    return _variant(judged, f"half {half + 1}", indexed, own, foreign)


def _variant(
    judged: JudgedSet, name: str, indexed: Collection, own: Sequence[str], foreign: Sequence[str] = ()
) -> Variant:
    return Variant(judged=judged, name=name, indexed=indexed, own=own, foreign=foreign)
