"""What front matter says to people: descriptions, summaries, the terms of a glossary. It is a part of a document's
text, and often all that a page has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ragbase.domain.left_out import LeftOut
from ragbase.domain.metadata import MAX_VALUE, MAX_VALUES, DocumentMetadata
from ragbase.formats.front_matter import ADDRESSES, DATES, TAGS, metadata_of, parsed_front_matter, values_by_key
from ragbase.formats.yaml_values import is_null, read_yaml

if TYPE_CHECKING:
    from yaml import Node, ScalarNode

    from ragbase.domain.extraction import Extraction

Span = tuple[int, int]

_NOT_LINE_END = re.compile(r"[^\r\n]")
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
_NO_BLANKS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"
)
"""Scripts without blanks between words. Two letters count as a word."""
_JOINED = re.compile(r"[\s_-]+")

_SENTENCE = 4
_DEFINITION = 3
_ALONE = 2
"""Words: of a value that is text, of one inside of another value, and of a page that has no text but its front matter.
Names, labels and titles for menus have fewer."""
_DESCRIBES = re.compile(r"(?:.*[:._ -])?(?:description|summary|abstract|excerpt|subtitle|tagline|definition)")
"""Keys whose values are text, however short."""
_PEOPLE = re.compile(r"(?:.*[:._ -])?(?:author|contributor|editor|maintainer|owner|reviewer)s?(?:[:._ -].*)?")
"""Keys whose values are names of people, and no text."""
_ITEM = 2
"""Words of one item, on average, of a list with commas that is no sentence."""

_MACHINE = re.compile(
    r"[/\\]|\w\.\w|\A(?:#[0-9a-f]{3,8}|[^\w\s]*+|true|false|yes|no|on|off)\Z",
    re.IGNORECASE,
)
"""In a value without blanks: a path, an address or the name of a file, a colour, signs, or a choice."""
_TEMPLATE = re.compile(r"\{[{%<].*[>%}]\}", re.DOTALL)
_CODE = re.compile(r"=>|\(\)|\);?\s*\Z|</|[{;]\s*\Z")
_METADATA = frozenset(("title", *DATES, *(_JOINED.sub("", key) for key in (*ADDRESSES, *TAGS))))
"""Keys that are read as metadata."""
_MOST_VALUES = 1_000
"""Values that are looked at: an alias of YAML can stand for millions."""


@dataclass(frozen=True, slots=True)
class Front:
    """What front matter says. `text` has blanks in place of all that is no text for people, and is as long as the front
    matter, so that offsets stay those of the file. `left_out` is what is neither in it nor in the metadata."""

    text: str
    metadata: DocumentMetadata
    left_out: tuple[LeftOut, ...]


def read_front(text: str) -> Front | None:
    """What the front matter of a text says; None if it has none."""
    found = parsed_front_matter(text)
    if found is None:
        return None
    block, values = found
    source = text[: block.end()]
    words = _SENTENCE if text[block.end() :].strip() else _ALONE
    title = next((str(value) for key, value in values.items() if str(key).lower() == "title"), "")
    if block["toml"] is None:
        spans = [*_YamlSpans(block["yaml"], title, words, block.start("yaml")).all()]
    else:
        spans = [*_toml_spans(values, block["toml"], block.start("toml"), title, words)]
    said, metadata = _only(source, spans), metadata_of(values)
    return Front(said, metadata, _left_out(values, said, metadata))


def _left_out(values: Mapping[object, object], said: str, metadata: DocumentMetadata) -> tuple[LeftOut, ...]:
    if len(metadata.front_matter) == len(values):
        return ()  # as most front matter: a value to each key, and all of them kept
    all_values = [value for _, value in values_by_key({str(key): value for key, value in values.items()})]
    if len(all_values) <= MAX_VALUES and max(map(len, all_values), default=0) <= MAX_VALUE:
        return ()
    text = " ".join(_WORD.findall(said))
    kept = {value for _, value in metadata.front_matter}
    left = [
        value
        for value in all_values
        if " ".join(value.split()) not in kept and " ".join(_WORD.findall(value)) not in text
    ]
    return (LeftOut("settings in the front matter", "\n".join(left)),) if left else ()


def _only(text: str, spans: list[Span]) -> str:
    """The text with blanks in place of everything else."""
    parts, end = list[str](), 0
    for start, until in sorted(spans):
        parts += [blanks(text[end:start]), text[max(start, end) : until]]
        end = max(end, until)
    return "".join((*parts, blanks(text[end:])))


def blanks(text: str) -> str:
    """As long as the text, with its line ends."""
    return _NOT_LINE_END.sub(" ", text)


def _is_text(value: str, words: int) -> bool:
    """Whether a value is one that people read: it has so many words."""
    if value.isascii() and len(value.split()) < words:  # most values
        return False
    return not _is_for_machines(value) and not _is_list(value) and _words(value) >= words


def _is_metadata(key: str) -> bool:
    return _JOINED.sub("", key) in _METADATA or _PEOPLE.fullmatch(key) is not None


def _is_for_machines(value: str) -> bool:
    value = value.strip()
    if len(value.split()) <= 1 and _NO_BLANKS.search(value) is None:
        return _MACHINE.search(value) is not None
    return _TEMPLATE.fullmatch(value) is not None or _CODE.search(value) is not None


def _is_list(value: str) -> bool:
    items = value.split(",")
    return len(items) > _DEFINITION and _words(value) <= _ITEM * len(items)


def _words(value: str) -> int:
    if "/" in value:
        value = " ".join([part for part in value.split() if "/" not in part or _NO_BLANKS.search(part)])
    words = [word for word in _WORD.findall(_NO_BLANKS.sub(" ", value)) if not word.isdigit()]
    return len(words) + len(_NO_BLANKS.findall(value)) // 2


def _repeats(value: str, title: str) -> bool:
    """Whether all words of a value are in the title, as those of a label for the menu are."""
    return set(_WORD.findall(value.lower())) <= set(_WORD.findall(title.lower()))


class _YamlSpans:
    """Finds the places of text in YAML."""

    def __init__(self, source: str, title: str, words: int, at: int) -> None:
        """`at` is where the source stands in the text."""
        self._source, self._found, self._at = source, read_yaml(source), at
        self._title, self._words = title, words
        self._left = _MOST_VALUES

    def all(self) -> Iterator[Span]:
        root = self._found.root
        for key, value in root.value if root is not None else ():
            name = str(key.value).strip().lower()
            if _is_metadata(name):
                continue
            if isinstance(value.value, str):
                if self._is_text(value, 1 if _DESCRIBES.fullmatch(name) else self._words):
                    if " " in name:  # people write such a key, and programs do not
                        yield self._key(key)
                    yield self._scalar(value)
            elif any(self._is_text(leaf, min(self._words, _DEFINITION)) for leaf in self._leaves(value)):
                yield self._key(key)
                yield from self._kept(value)

    def _is_text(self, node: ScalarNode, words: int) -> bool:
        return _is_text(node.value, words) and not is_null(node) and not _repeats(node.value, self._title)

    def _leaves(self, node: Node) -> Iterator[ScalarNode]:
        self._left -= 1
        if self._left < 0:
            return
        if isinstance(node.value, str):
            yield cast("ScalarNode", node)
            return
        for inner in node.value:
            yield from self._leaves(inner[1] if isinstance(inner, tuple) else inner)

    def _kept(self, node: Node) -> Iterator[Span]:
        """All of a value but what is for machines."""
        self._left -= 1
        if self._left < 0:
            return
        if isinstance(node.value, str):
            scalar = cast("ScalarNode", node)
            if not is_null(scalar) and not _is_for_machines(scalar.value):
                yield self._scalar(scalar)
            return
        for inner in node.value:
            key, value = inner if isinstance(inner, tuple) else (None, inner)
            spans = list(self._kept(value))
            if spans:
                yield self._key(key) if key is not None else self._dash(value)
                yield from spans

    def _scalar(self, node: ScalarNode) -> Span:
        """What stands between quotation marks, or below the sign of a block."""
        start, end = self._span(node)
        if node.style in ("'", '"') and self._source[start - self._at] == node.style:  # the author's own
            return start + 1, end - 1
        if node.style in ("|", ">"):
            line = self._source.find("\n", start - self._at, end - self._at)
            return (self._at + line + 1 if line >= 0 else end), end
        return start, end

    def _key(self, node: Node) -> Span:
        """The key, with its colon."""
        start, end = self._span(node)
        return start, end + (self._source[end - self._at : end - self._at + 1] == ":")

    def _dash(self, node: Node) -> Span:
        """The dash in front of an item of a list, if it has one on its line."""
        start, _ = self._span(node)
        before = self._source[: start - self._at].rstrip(" \t")
        dash = self._at + len(before)
        return (dash - 1, dash) if before.endswith("-") else (start, start)

    def _span(self, node: Node) -> Span:
        start, end = node.start_mark.index, node.end_mark.index
        return self._at + self._found.place(start), self._at + self._found.place(end)


_TOML_KEY = re.compile(r"[ \t]*([^\n=]*?)[ \t]*=[ \t]*[\"']+")


def _toml_spans(values: Mapping[object, object], source: str, at: int, title: str, words: int) -> Iterator[Span]:
    """Where the texts stand that TOML has as they are, without escapes; inside of a table, with their keys."""
    position = 0
    for key, value, depth in _leaves_of(values):
        name, is_inside = key.lower(), depth > 1
        if not is_inside and _is_metadata(name):
            continue
        least = 1 if _DESCRIBES.fullmatch(name) else min(words, _DEFINITION) if is_inside else words
        start = source.find(value, position)
        if start < 0 or not _is_text(value, least) or _repeats(value, title):
            continue
        line = _TOML_KEY.match(source, source.rfind("\n", 0, start) + 1, start) if is_inside else None
        if line is not None:
            yield at + line.start(1), at + line.end(1)
        position = start + len(value)
        yield at + start, at + position


def _leaves_of(value: object, depth: int = 0, key: str = "") -> Iterator[tuple[str, str, int]]:
    """The texts, in their order, each with its key and how many keys are above it."""
    if isinstance(value, str):
        yield key, value, depth
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves_of(inner, depth + 1, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves_of(inner, depth, key)


def with_front(front: Front, rest: Extraction) -> Extraction:
    """What was read below front matter, with what that says to people above it. What it says of the document counts
    more than what the rest does: the head of a page may name the site instead."""
    said = "\n".join(filter(str.strip, front.text.splitlines()))
    above = f"{said}\n\n" if said else ""
    own, found = front.metadata, rest.metadata
    metadata = replace(
        own,
        title=own.title or found.title,
        tags=own.tags or found.tags,
        date=own.date or found.date,
        url=own.url or found.url,
    )
    return replace(
        rest,
        markdown=f"{above}{rest.markdown}",
        metadata=metadata,
        left_out=(*front.left_out, *rest.left_out),
        plain_until=len(said),
    )
