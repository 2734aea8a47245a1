"""Damaged files of every text format: crashes, slow files and lost characters.

With `--data`, parts of the Markdown files in that folder are damaged, too, and pages that are made of them: a case then
depends on the folder.
"""

from __future__ import annotations

import html
import random
import re
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.chunking.no_text import says_nothing
from ragbase.domain.chunk import Passage
from ragbase.domain.errors import PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.decode import decode
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.quality import noise_ratio
from tests.fuzz.budget import Budget, Finding, Report, kept

Result = TypeVar("Result")

MAX_SECONDS = 6.0
"""Of a processor, for one call. The slowest that we know takes one or two, on a machine with much other work."""
SAMPLES = {
    "md": "---\ntitle: Segel\ntags: [a, b]\n---\n# Segel\n\nDer *Wind* füllt [Segel](x.html).\n\n```\nx = 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n- eins\n- zwei\n",
    "txt": "Gió thổi căng buồm. Ветер наполняет парус. 風が帆を満たす。 ريح الشراع\r\nEnde\x0c\n",
    "html": "<!DOCTYPE html><html><head><meta charset=utf-8><title>T &amp; U</title></head><body><nav>n</nav><main>"
    "<h1>Segel</h1><p>Ein <b>Wort</b> &lt; <a href='x'>zwei</a><table><tr><th>a<td>b</table><pre><code>x\n y</code>"
    "</pre><ul><li>1<li>2</ul><!-- c --><script>s</script></main></body></html>",
    "json": '{"a": [{"name": "x", "n": 1.5, "t": "\\u00e9\\n\\"q"}, {"b": [1, [2, null]], "c": {"d": true}}], "a": -1}',
    "jsonl": '{"a": 1, "b": "zwei"}\n\n{"a": [1, {"c": 2}]}\n"drei"\n',
    "csv": 'name,wert,"lange, Spalte"\nMüller,1,"a ""b""\nc"\nKöln,2,\n\n3\n4,5,6,7\n',
    "tsv": "name\twert\nMüller\t1\nKöln\t2\n",
}
ENCODINGS = (
    "utf-8",
    "utf-8",
    "utf-8",
    "utf-16",
    "latin-1",
    "cp1258",
    "shift_jis",
    "gb18030",
    "mac_roman",
    "iso2022_jp",
)
PIECES = (
    *(sample[start : start + 20] for sample in SAMPLES.values() for start in range(0, len(sample), 20)),
    *("\0", "\r", "\n", "\ufeff", "\x1b$B", '"', "'", ",", ";", "\t", "|", "{", "}", "[", "]", "<", "</", "&#0;"),
    *("<div>", "<b>", "<p>", "<table>", "<li>", "<!--", "<script>", "---", "+++", "```", "# ", "==\n", "\\u", "\ud800"),
)  # fmt: skip
LETTER = re.compile(r"[^\W_]")


class Fault(Exception):
    """What is wrong with the reading of a file."""


def fuzz(budget: Budget, texts: Sequence[str] = ()) -> Report:
    """Read a damaged file for each number. With texts, parts of those are damaged, too."""
    report, slowest = Report(), (0.0, budget.seed)
    for case in budget.cases(report):
        promised, data = make(random.Random(case), texts)
        try:
            slowest = max(slowest, (check(promised, data), case))
        except Exception as error:  # noqa: BLE001 - it is what we look for
            traceback.print_exc()
            report.add(Finding(case, f"{promised}: {type(error).__name__}: {error}", file=kept(case, promised, data)))
    report.figures["slowest"] = slowest
    return report


def texts_in(folder: Path) -> list[str]:
    """The Markdown files of a folder."""
    return [file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.md"))]


def make(chance: random.Random, texts: Sequence[str] = ()) -> tuple[str, bytes]:
    """A format that the name promises, and a file: often a damaged sample or part of a text, sometimes large."""
    promised = chance.choice(list(SAMPLES))
    text = SAMPLES[promised if chance.random() < 0.7 else chance.choice(list(SAMPLES))]
    if texts and chance.random() < 0.8:
        promised = chance.choice(("md", "html"))
        text = chance.choice(texts)
        start = chance.choice((0, chance.randrange(len(text))))
        text = text[start : start + chance.choice((2_000, 20_000))]
        text = page(text) if promised == "html" else text
    for _ in range(chance.choice((0, 1, 3, 10))):
        place = chance.randrange(len(text) + 1)
        match chance.randrange(5):
            case 0:
                text = text[:place] + chance.choice(PIECES) * chance.choice((1, 1, 2, 50)) + text[place:]
            case 1:
                text = text[:place] + text[place + chance.randrange(30) :]
            case 2:
                text = (
                    text[:place]
                    + chr(chance.choice((chance.randrange(0x250), chance.randrange(0x110000))))
                    + text[place:]
                )
            case 3:
                text = text[:place] + text[: chance.randrange(200)] + text[place:]
            case _:
                text = text[:place] + chance.choice(PIECES) + text[place:] + chance.choice(PIECES)
        text = text[:200_000]
    if chance.random() < 0.05:
        text = chance.choice(PIECES) * chance.choice((1_000, 20_000)) + text
    data = text.encode(chance.choice(ENCODINGS), chance.choice(("replace", "ignore")))
    if chance.random() < 0.3:
        flipped = bytearray(data)
        for _ in range(chance.choice((1, 5, 50))):
            if flipped:
                flipped[chance.randrange(len(flipped))] = chance.randrange(256)
        data = bytes(flipped)
    return promised, data


def page(text: str) -> str:
    """A page with the words of a Markdown text in elements that fit them more or less."""
    blocks = []
    for block in html.escape(text).split("\n\n"):
        level = len(block) - len(block.lstrip("#"))
        if level:
            blocks.append(f"<h{level}>{block.strip('# ')}<a class=headerlink href='#x'>¶</a></h{level}>")
        elif block.startswith(("- ", "* ")):
            blocks.append("<ul>" + "".join(f"<li>{item[2:]}</li>" for item in block.split("\n")) + "</ul>")
        elif "|" in block:
            rows = (row.strip("|").split("|") for row in block.split("\n"))
            blocks.append(
                "<table>" + "".join("<tr><td>" + "</td><td>".join(row) + "</td></tr>" for row in rows) + "</table>"
            )
        elif block.startswith("```"):
            blocks.append(f"<pre><code class='language-x'>{block.strip('`')}</code></pre>")
        else:
            blocks.append(f"<p>{block}</p>")
    return f"<!doctype html><html><body><nav>n</nav><main>{''.join(blocks)}</main></body></html>"


def check(promised: str, data: bytes) -> float:
    """How many seconds the slowest call took. Raises Fault, or whatever a reader should not raise."""
    extractor = FormatExtractor()
    took: list[float] = []
    try:
        format = timed(took, lambda: extractor.detect(data, promised))
        extraction = timed(took, lambda: extractor.extract(data, format, ProcessingConfig()))
    except PermanentError:
        return max(took)
    passages = timed(took, lambda: MarkdownChunker().split(extraction))
    if extractor.detect(data, format) != format:
        raise Fault(f"read as {format}, it is something else again")
    text = extraction.markdown
    text.encode()
    if "\0" in text:
        raise Fault("a NUL is left")
    if not 0 <= timed(took, lambda: noise_ratio(text)) <= 1:
        raise Fault("the noise ratio is out of bounds")
    check_passages(text, passages)
    if format in ("txt", "csv", "tsv") or (format == "md" and text[:1] != " "):
        lost = set(LETTER.findall(decode(data).text)) - set(LETTER.findall(text))
        if lost:
            raise Fault(f"{format} lost {sorted(lost)}")
    return max(took)


def timed(took: list[float], call: Callable[[], Result]) -> Result:
    """Raises Fault if it takes too long by the processor's clock: the machine may have other work, too."""
    start = time.process_time()
    try:
        return call()
    finally:
        took.append(time.process_time() - start)
        if took[-1] > MAX_SECONDS:
            raise Fault(f"a call took {took[-1]:.1f} s")


def check_passages(text: str, passages: Sequence[Passage]) -> None:
    """Each is a part of the text. What is in none of them is white space, or lines that are no text (no_text.py)."""
    end = 0
    for passage in passages:
        if text[passage.char_start : passage.char_end] != passage.text:
            raise Fault(f"the passage at {passage.char_start} is not the text there")
        if _says_something(text, end, passage.char_start):
            raise Fault(f"no passage has the text from {end} to {passage.char_start}")
        end = max(end, passage.char_end)
    if _says_something(text, end, len(text)):
        raise Fault(f"no passage has the text from {end} on")


def _says_something(text: str, start: int, end: int) -> bool:
    part = text[start:end].strip()
    return bool(part) and not says_nothing(part, 0, len(part))
