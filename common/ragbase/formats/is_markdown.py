"""Whether a plain text is plainly Markdown.

Most are not: `#` begins comments, four dashes enclose blocks of AsciiDoc, and brackets are brackets. So one construct
proves nothing, and a text counts as Markdown only for several that have little else in common.
"""

from __future__ import annotations

import re

from ragbase.formats.fences import fenced_spans

_ENOUGH = 3
_BEGINNING = 64 * 1024
"""Characters that are looked at."""

_LINK = re.compile(r"\[[^\[\]\n]{1,200}\]\((?=[^\s()./#]{0,200}[./#])[^\s()]{1,300}\)")
_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]\n^]+\]: <?(?:https?://|\.{0,2}/)\S+$", re.MULTILINE)
_TABLE = re.compile(r"^[^\n|]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*\|[ \t|:-]*$", re.MULTILINE)
_BOLD = re.compile(r"(?<![\w*])\*\*(?=[^\s*])[^*\n]+(?<=[^\s*])\*\*(?![\w*])")
_CODE = re.compile(r"(?<![`\w])`[^`\n]+`(?![`\w])")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
_TITLE = re.compile(r"(?P<hashes>#{1,6})[ \t]+\S[^\n]*")
_STATEMENT = re.compile(
    r"\s*+(?:[\w.$-]++\s*+[:+?]?=|\w++\(|(?:if|for|def|class|import|set|return|export)\b)|.*[;{}\\]$"
)
_LINE = 200
"""Characters of a line that are looked at."""
_MOST_PROGRAM = 0.2
"""Share of lines that look like those of a program."""
_SENTENCE = 4
"""Words of a line that is none of a program's."""


def is_markdown(text: str) -> bool:
    beginning = text[:_BEGINNING].replace("\r\n", "\n").replace("\r", "\n")
    prose = _without_code(beginning) if "```" in beginning or "~~~" in beginning else beginning
    strong = (
        len(prose) < len(beginning),
        "](" in prose and _LINK.search(prose),
        "]: " in prose and _DEFINITION.search(prose),
        "|" in prose and "---" in prose and _TABLE.search(prose),
    )
    points = 2 * sum(map(bool, strong)) + _points_of_hashes(prose)
    if points != _ENOUGH - 1:
        return points >= _ENOUGH
    return (
        ("**" in prose and _BOLD.search(prose) is not None)
        or ("`" in prose and len(_CODE.findall(prose)) > 1)
        or len(_ITEM.findall(prose)) > 1
    )


def _without_code(text: str) -> str:
    """The text without its fenced blocks of code."""
    kept, end = list[str](), 0
    for start, until in fenced_spans(text):
        kept.append(text[end:start])
        end = until
    return "".join((*kept, text[end:]))


def _points_of_hashes(text: str) -> int:
    """Titles stand apart, or above a sentence, and have several levels. Comments stand above what they are about."""
    lines = "\n" + text
    levels, start = list[int](), lines.find("\n#")
    begins = not lines[: max(start, 0)].strip()
    while start >= 0:
        levels.append(_level(lines, start))
        start = lines.find("\n#", start + 1)
    titles = list(filter(None, levels))
    if len(titles) < len(levels):
        return -_ENOUGH if 2 * len(titles) < len(levels) else 0
    if not titles or _is_program(text):
        return 0
    if len(set(titles)) == 1:
        return 1
    return _ENOUGH if begins and titles[0] == 1 else _ENOUGH - 1


def _level(lines: str, start: int) -> int:
    """The level of the title in the line after `start`; 0 if it is none. Below it, a title of a deeper level may stand
    at once."""
    title = _TITLE.match(lines, start + 1)
    if title is None:
        return 0
    level = len(title["hashes"])
    above = lines[lines.rfind("\n", 0, start) + 1 : start]
    below = lines[title.end() + 1 : title.end() + _LINE].partition("\n")[0]
    if above.strip() and not 0 < len(above) - len(above.lstrip("#")) < level:
        return 0
    if not below.strip() or below.startswith(title["hashes"] + "#"):
        return level
    is_text = _ITEM.match(below) or len(below.split()) >= _SENTENCE
    return level if is_text and not _is_statement(below) else 0


def _is_program(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return sum(map(_is_statement, lines)) > _MOST_PROGRAM * len(lines)


def _is_statement(line: str) -> bool:
    return _STATEMENT.match(line[:_LINE].rstrip()) is not None
