"""MDX: its components keep their words, and its modules are code."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.table import format_of

BODY = '# Pumps\n\n<Card title="Install it on Linux" icon="linux">\n  Open the valve.\n</Card>\n'


def extract(text: str) -> Extraction:
    return FormatExtractor().extract(text.encode(), "md", ProcessingConfig())


@pytest.mark.parametrize("name", ["a.mdx", "a.md", "a.markdown", "a.mdown", "a.mkd", "a.qmd", "a.Rmd"])
def test_markdown_has_many_names(name: str) -> None:
    format = format_of(name)
    assert format is not None
    assert format.name == "md"


def test_components_keep_their_words_and_their_attributes() -> None:
    (passage,) = MarkdownChunker().split(extract(BODY))
    assert passage.text == BODY.strip()


@pytest.mark.parametrize(
    "code",
    [
        "import Tabs from '@theme/Tabs';\nimport TabItem from \"@theme/TabItem\"",
        "import {\n  One,\n  Two,\n} from './parts.js';",
        "import './style.css'",
        "import * as parts from '../größe.js';",
        "export { meta } from './meta.js'",
        "export const meta = {\n  title: 'Pumps',\n\n  layout: 'wide',\n}",
        "export default function Layout({ children }) {\n  return <main>{children}</main>;\n}",
        "export default ({ children }) => <Wide>\n  {children}\n</Wide>",
    ],
)
@pytest.mark.parametrize("before", ["", "---\ntitle: Pumps\n---\n\n", "Text.\n\n", "<!-- parts -->\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_modules_are_left_out_with_a_note(code: str, before: str, newline: str) -> None:
    text = f"{before}{code}\n\n{BODY}".replace("\n", newline)
    extraction = extract(text)
    assert len(extraction.markdown) == len(text)
    assert extraction.markdown[text.index("# Pumps") :] == text[text.index("# Pumps") :]
    assert code.partition("\n")[0] not in extraction.markdown
    (left_out,) = extraction.left_out
    assert left_out.text.split() == code.split()


@pytest.mark.parametrize(
    "text",
    [
        f"{BODY}\n```js\nimport a from 'b'\n\nexport const c = 1\n```\n",
        "import taxes are due in May, from 'January' on\n",
        "import os\nimport sys\n",
        "A paragraph that says:\nimport a from 'b'\n",
        "    import a from 'b'\n",
        "export const a = 1\n\nThis is no MDX, but a program without fences.\n",
        "export default is a keyword\n",
        f"{BODY}\nexport goods are free of duty\n",
        f"{BODY}\nexport const never = {{ closed\n\n# Boats\n",
        "import",
    ],
)
def test_anything_else_stays(text: str) -> None:
    assert extract(text) == Extraction(text)


@pytest.mark.parametrize(
    "text",
    ["import a\n" * 20_000, "import {" * 20_000, "\nexport {" * 20_000, f"{BODY}\n" + "export const a = {\n\n" * 5_000],
    ids=range(4),
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    assert len(extract(text).markdown) == len(text)
