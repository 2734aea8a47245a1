"""A plain text is read as Markdown only if it plainly is."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor

SENTENCE = "Open the intake valve first, then prime the housing and wait."

ASCIIDOC = f"""== Pump guide

{SENTENCE}

[source,console]
----
# prime it
$ pumpctl prime --housing main
----

[NOTE]
====
{SENTENCE} See https://pumps.example/[the site] and `pumpctl` or `pumpd`.
====

* one
* two
"""
SCRIPT = """# Backup of the station
# by Ann

set -e
# Where it goes

target=/var/backup

# Copy all of it

cp -r /data "$target"

## Clean up

rm -rf "$target/old" || { echo failed; exit 1; }
"""
SETTINGS = """# The host

host = pump.example

# Which port it takes

port = 80

## Colours

- red
- green
"""
LICENCE = f"""                    LICENCE

1. {SENTENCE}
   {SENTENCE}

2. {SENTENCE}

   * {SENTENCE}
   - [see the annex](1)
"""
REQUIREMENTS = "# for the tests\npytest==8.0\n# for the docs\nsphinx\n\n## more\n\nrequests[socks]\n"
LETTER = f"Dear Ann,\n\n> {SENTENCE}\n\n* yes\n* no, #1 is better\n\n-- \nBob"
RST = f"""Pump guide
==========

{SENTENCE} Use ``pumpctl`` and **never** `the tank`_ of the `valve`.

- one
- two

.. code:: sh

   # a comment
"""


def paths(text: str) -> set[tuple[str, ...]]:
    extraction = FormatExtractor().extract(text.encode(), "txt", ProcessingConfig())
    assert extraction.markdown == text
    return {passage.header_path for passage in MarkdownChunker(80, 0).split(extraction)} - {()}


@pytest.mark.parametrize(
    "text", [ASCIIDOC, SCRIPT, SETTINGS, LICENCE, REQUIREMENTS, LETTER, f"# only one\n\n{SENTENCE}", "", "#", "```"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_plain_text_has_no_headings(text: str, newline: str) -> None:
    assert paths(text.replace("\n", newline)) == set()


def test_underlined_titles_are_headings_of_plain_text() -> None:
    assert paths(RST) == {("Pump guide",)}


@pytest.mark.parametrize(
    "text",
    [
        f"# Pumps\n\n{SENTENCE}\n\n## Valves\n\n{SENTENCE}\n",
        f"# Pumps\n## Valves\n{SENTENCE}\n",
        f"## Pumps\n\n{SENTENCE}\n\n- [a](b.md)\n- c\n",
        f"## Pumps\n\n{SENTENCE}\n\n```sh\n# no heading\n```\n",
        f"# Pumps\n\n| a | b |\n|---|---|\n| c | d |\n\n{SENTENCE}\n",
        f"## Pumps\n\n{SENTENCE} See [the site][1] for more.\n\n[1]: https://pumps.example\n",
        f"## 1.2\n### Added\n- {SENTENCE}\n\n## 1.1\n### Fixed\n- {SENTENCE}\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_what_is_plainly_markdown_has_headings(text: str, newline: str) -> None:
    found = paths(text.replace("\n", newline))
    assert found
    assert all("no heading" not in title for path in found for title in path)


@pytest.mark.parametrize(
    "text",
    [
        "```\n" * 15_000,
        "~~~a\n\n" * 10_000,
        "[a](" * 16_000,
        "[a](" + "./#" * 20_000,
        "**a" * 20_000,
        "`" * 60_000,
        "# a\n\n" * 12_000,
        "|---" * 16_000,
        "a = " * 16_000,
        "x" * 60_000 + "\n# a\n",
        "- " * 30_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    assert paths(text) is not None
