"""What stands before the text of a file: `---` and YAML, or `+++` and TOML. It is recognised and becomes metadata here;
front_matter_text.py finds in it what is text for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import accumulate

from ragbase.domain.metadata import NO_METADATA, DocumentMetadata
from ragbase.formats.yaml_values import read_yaml

MAX_LENGTH = 16 * 1024
"""Characters. Longer front matter is text: a YAML parser takes long for it, and no author writes so much."""

_DEEPEST = 100
"""Brackets within each other. In deeper ones, a YAML parser takes seconds, or comes to an end of Python's stack that is
elsewhere in each process."""

BLOCK = re.compile(
    r"(?:---[ \t]*\r?\n(?=[^\r\n]*\S)(?P<yaml>.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n(?P<toml>.*?)^\+\+\+)[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
OLD_LINE_END = re.compile(r"\r(?!\n)")
BRACKET = re.compile(r"[\[\]{}]")
DEEP = re.compile(rf"(?:[-?:][ \t]+){{{_DEEPEST}}}")

_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
_LONGEST_KEY = 60
_MOST_WORDS = 4
"""Of a key that is no name, as programs have them."""
_WORD = re.compile(r"[\s_-]+")
_SENTENCE_BEGINS = re.compile(r"[^\w$@\"'.]")

DATES = (
    "date",
    *("published", "publishedat", "publishdate", "pubdate", "datepublished"),
    *("created", "createdat", "datecreated", "creationdate"),
    *("updated", "updatedat", "lastupdated", "lastmod", "lastmodified", "modified", "datemodified"),
)
"""In the order in which they count, and without what joins their words: `date created`, `date_created`."""
READABLE_DATE = re.compile(r"\d{4}(?:[-/.]\d{1,2}){0,2}(?![\d/.-])")
"""A year comes first. Elsewhere in the world, 05.03.2024 is another day."""
LINK_TO_DAY = re.compile(r"\[\[([^\[\]|]*)(?:\|[^\[\]]*)?]]")
"""Obsidian links a day to its note."""

ADDRESSES = ("url", "canonical_url", "canonical", "source", "link")
TAGS = ("tags", "keywords", "categories", "category", "tag")
"""Keys in the order in which they count. Jekyll, Hugo, Docusaurus, MkDocs and Obsidian write these."""
_KNOWN = frozenset(("title", "date", "created", "published", "updated", "modified", *ADDRESSES, *TAGS))

_MOST_SEEN = 1_000
"""Values that are looked at for the keys that a filter can ask for. An alias of YAML can stand for millions."""


def has_front_matter(text: str) -> bool:
    return parsed_front_matter(text) is not None


def read_front_matter(text: str) -> tuple[int, DocumentMetadata]:
    """Where the front matter ends, and what it says. 0 if there is none: something else between two rules (a text, or
    YAML that cannot be read) is text."""
    found = parsed_front_matter(text)
    if found is None:
        return 0, NO_METADATA
    block, values = found
    return block.end(), metadata_of(values)


def parsed_front_matter(text: str) -> tuple[re.Match[str], Mapping[object, object]] | None:
    """The block of front matter with the group `yaml` or `toml`, and its values by their keys; None if there is none.
    Lone carriage returns are line feeds in it, so that it is as long as in the text."""
    return _parsed(text[:MAX_LENGTH]) if text.startswith(("---", "+++")) else None


@lru_cache(8)  # what a file is, and what it says, are asked one after the other
def _parsed(beginning: str) -> tuple[re.Match[str], Mapping[object, object]] | None:
    block = BLOCK.match(OLD_LINE_END.sub("\n", beginning) if "\r" in beginning else beginning)
    if block is None or _depth(block[0]) > _DEEPEST or DEEP.search(block[0]):
        return None
    values = read_yaml(block["yaml"]).values if block["toml"] is None else _toml(block["toml"])
    return (block, values) if isinstance(values, dict) and _are_keys(list(map(str, values))) else None


def _are_keys(keys: Sequence[str]) -> bool:
    """Whether these are keys of front matter. The beginning of a sentence with a colon, between two rules, is none: an
    author writes several keys, or one of a word, or one that is known."""
    if not keys or not all(_NAME.fullmatch(key) or _is_key(key) for key in keys):
        return False
    return len(keys) > 1 or len(keys[0].split()) == 1 or not _KNOWN.isdisjoint(_WORD.split(keys[0].lower()))


def _is_key(key: str) -> bool:
    if len(key) > _LONGEST_KEY or "\n" in key or _SENTENCE_BEGINS.match(key):
        return False
    return 0 < len(key.split()) <= _MOST_WORDS


def _depth(text: str) -> int:
    """How many brackets are within each other, if no text has any."""
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in BRACKET.findall(text)), default=0)


def _toml(text: str) -> object:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def metadata_of(said: Mapping[object, object]) -> DocumentMetadata:
    """What the values say of the document."""
    values = {str(key).lower(): value for key, value in said.items()}
    return DocumentMetadata.of(
        title=_first(values, ("title",)),
        tags=[tag for key in TAGS for tag in _texts(values.get(key))],
        date=_date(values),
        url=_first(values, ADDRESSES),
        front_matter=values_by_key(values),
    )


def _date(values: Mapping[str, object]) -> str | None:
    """The first date that begins with a year; else the first that is there."""
    names = ((_WORD.sub("", key), value) for key, value in values.items())
    found = sorted((DATES.index(name), day) for name, value in names if name in DATES and (day := _day(value)))
    return next((day for _, day in found if READABLE_DATE.match(day)), found[0][1] if found else None)


def _day(value: object) -> str | None:
    while isinstance(value, list) and len(value) == 1:  # [[2024-05-01]] without quotation marks
        value = value[0]
    text = _text(value)
    return LINK_TO_DAY.sub(r"\1", text).strip() if text else None


def values_by_key(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """All keys with their values; a key inside of another one after a dot, and an item of a list as its list's key."""
    within: list[Iterator[tuple[str, object]]] = [iter(values.items())]
    for _ in range(_MOST_SEEN):
        entry = next(within[-1], None)
        if entry is None:
            within.pop()
            if not within:
                return
            continue
        key, value = entry
        if isinstance(value, dict | list):
            within.append(_inside(key, value))
        elif isinstance(value, bool):
            yield key, str(value)
        elif text := _text(value):
            yield key, text


def _inside(key: str, value: Mapping[str, object] | Sequence[object]) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        return ((f"{key}.{name}", inner) for name, inner in value.items())
    return ((key, item) for item in value)


def _first(values: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if (text := _text(values.get(key)))), None)


def _texts(value: object) -> list[str]:
    """A list, or a text with commas."""
    if isinstance(value, str):
        return value.split(",")
    return [text for item in value if (text := _text(item))] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
