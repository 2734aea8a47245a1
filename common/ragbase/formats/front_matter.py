"""What stands before the text of a Markdown file: `---` and YAML, or `+++` and TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import accumulate

from ragbase.domain.metadata import NO_METADATA, DocumentMetadata

MAX_LENGTH = 16 * 1024
"""Characters. Longer front matter is text: a YAML parser takes long for it, and no author writes so much."""

_DEEPEST = 100
"""Brackets within each other. In deeper ones, a YAML parser takes seconds, or comes to an end of Python's stack that is
elsewhere in each process."""

BLOCK = re.compile(
    r"(?:---[ \t]*\r?\n(?=[^\r\n]*\S)(?P<yaml>.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n(?P<toml>.*?)^\+\+\+)[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
BRACKET = re.compile(r"[\[\]{}]")
KEY = re.compile(r"[A-Za-z_][\w.:-]*")
"""A sentence with a colon between two rules is no front matter."""

UNQUOTED = re.compile(
    r"^(?P<key>[A-Za-z_][\w.-]*):[ \t]+(?P<value>(?!\{[^{])[^\s'\"\[|>&*!][^\r\n]*?)[ \t]*$", re.MULTILINE
)
"""A value that people write without quotation marks although it has a colon or begins with `@`, `%` or `{{`."""

NOT_LINE_END = re.compile(r"[^\r\n]")
DATES = ("date", "published", "published_at", "created", "updated", "lastmod")
ADDRESSES = ("url", "canonical_url", "canonical", "source", "link")
TAGS = ("tags", "keywords", "categories", "category", "tag")
"""Keys in the order in which they count. Jekyll, Hugo, Docusaurus, MkDocs and Obsidian write these."""

_MOST_SEEN = 1_000
"""Values that are looked at for the keys that a filter can ask for. An alias of YAML can stand for millions."""


def has_front_matter(text: str) -> bool:
    return _parsed(text) is not None


def read_front_matter(text: str) -> tuple[int, DocumentMetadata]:
    """Where the front matter ends, and what it says. 0 if there is none: something else between two rules (a text, or
    YAML that cannot be read) is text."""
    found = _parsed(text)
    if found is None:
        return 0, NO_METADATA
    end, values = found
    return end, _metadata(values)


def blank_front_matter(text: str, end: int) -> bytearray:
    """The text, in UTF-8, with spaces in place of its front matter, so that all offsets stay those of the file."""
    utf8 = bytearray(text, "utf-8")
    utf8[: len(text[:end].encode())] = NOT_LINE_END.sub(" ", text[:end]).encode()
    return utf8


def _parsed(text: str) -> tuple[int, Mapping[str, object]] | None:
    """Where it ends, and its values by their keys in lower case; None if there is none."""
    if not text.startswith(("---", "+++")):
        return None
    block = BLOCK.match(text[:MAX_LENGTH])
    if block is None or _depth(block[0]) > _DEEPEST:
        return None
    values = _yaml(block["yaml"]) if block["toml"] is None else _toml(block["toml"])
    if not isinstance(values, dict) or not values or not all(KEY.fullmatch(str(key)) for key in values):
        return None
    return block.end(), {str(key).lower(): value for key, value in values.items()}


def _depth(text: str) -> int:
    """How many brackets are within each other, if no text has any."""
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in BRACKET.findall(text)), default=0)


@lru_cache(8)  # what a file is and what it says are asked one after the other
def _yaml(text: str) -> object:
    import yaml

    for attempt in (text, UNQUOTED.sub(_quoted, text)):
        try:
            # The C parser has no limit of depth, and breaks the process. Dates come out as they stand in the file.
            return yaml.load(attempt, Loader=yaml.BaseLoader)  # noqa: S506 - BaseLoader makes nothing but texts
        except (yaml.YAMLError, RecursionError, ValueError):
            continue
    return None


def _quoted(line: re.Match[str]) -> str:
    return f"{line['key']}: '{line['value'].replace(chr(39), chr(39) * 2)}'"


def _toml(text: str) -> object:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _metadata(values: Mapping[str, object]) -> DocumentMetadata:
    return DocumentMetadata.of(
        title=_first(values, ("title",)),
        tags=[tag for key in TAGS for tag in _texts(values.get(key))],
        date=_first(values, DATES),
        url=_first(values, ADDRESSES),
        front_matter=_by_key(values),
    )


def _by_key(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
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
