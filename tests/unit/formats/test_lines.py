"""Code, configuration and logs: the text of the file, cut at its sections."""

from __future__ import annotations

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.limits import LARGE_TEXT
from tests.unit.formats.reading import passages, read


def titles(extraction: Extraction) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in extraction.sections or ()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os\n\n\n# Above.\n@cached\ndef hoist(sail):\n    pass\n\n\nclass Boat(Base):\n"
         "    async def go(self):\n        pass\n\n\nx = 1\n",
         [(1, "def hoist"), (1, "class Boat"), (2, "async def go"), (1, "")]),
        ("export const go = async (a) => {\n};\n\nclass Boat {\n  hoist(up = true) {\n    if (up) {\n    }\n"
         "  }\n}\n",
         [(1, "go"), (1, "class Boat"), (2, "hoist")]),
        ("package boats;\n\npublic class Boat {\n    @Override\n    public List<Sail> sails(int n) throws E {\n"
         "    }\n}\n",
         [(1, "public class Boat"), (2, "sails")]),
        ("namespace Boats\n{\n    public class Boat\n    {\n        public void Go(int n)\n        {\n"
         "        }\n    }\n}\n",
         [(1, "namespace Boats"), (2, "public class Boat"), (3, "Go")]),
        ("type Boat struct {\n\tN int\n}\n\nfunc (b *Boat) Go() error {\n\treturn nil\n}\n",
         [(1, "type Boat"), (1, "func (b *Boat) Go")]),
        ("pub struct Boat {\n}\n\nimpl From<Sail> for Boat {\n    fn from(&mut self) {\n        match go() {\n"
         "            Ok(x) => {\n            }\n        }\n    }\n}\n",
         [(1, "pub struct Boat"), (1, "impl From<Sail> for Boat"), (2, "fn from")]),
        ("static int hoist(struct sail *s,\n\t\t int n)\n{\n\tgo(s);\n}\n\nvoid go(void)\n{\n}\n",
         [(1, "hoist"), (1, "go")]),
        ("module Boats\n  class Sloop < Boat\n    def go!\n    end\n  end\nend\n",
         [(1, "module Boats"), (2, "class Sloop"), (3, "def go!")]),
        ("hoist() {\n  ls\n}\n\nfunction reef {\n  ls\n}\n", [(1, "hoist"), (1, "function reef")]),
        ("CREATE TABLE IF NOT EXISTS boats (\n  id int\n);\n\ncreate or replace view sails as select 1;\n",
         [(1, "CREATE TABLE IF NOT EXISTS boats"), (1, "create or replace view sails")]),
        ('resource "a_bucket" "files" {\n}\n\nvariable "region" {\n}\n',
         [(1, 'resource "a_bucket" "files"'), (1, 'variable "region"')]),
        ('message Boat {\n  string name = 1;\n}\n\nservice Boats {\n  rpc Go(Boat) returns (Boat);\n}\n',
         [(1, "message Boat"), (1, "service Boats"), (2, "rpc Go")]),
        ('"""\nclass of text:\n"""\nx = 1\n', []),
    ],
)  # fmt: skip
def test_code_is_cut_at_what_it_defines(text: str, expected: list[tuple[int, str]]) -> None:
    extraction = read(text, "code")
    assert extraction.markdown == text
    assert titles(extraction) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\nservices:\n  # The site.\n  web:\n    image: y\n  db: {a: 1}\nother: z\n",
         [(1, "services"), (2, "web"), (2, ""), (1, "")]),
        ("run: |\n  if: then\n  more:\n    text\nnext:\n- one\n- two\n", [(1, "run"), (1, "next")]),
        ("---\na: 1\n---\nb: 2\n", []),
    ],
)  # fmt: skip
def test_yaml_has_its_keys_as_sections(text: str, expected: list[tuple[int, str]]) -> None:
    extraction = read(text, "yaml")
    assert extraction.markdown == text
    assert titles(extraction) == expected


def test_configuration_has_its_heads_as_sections() -> None:
    text = '# [no] head\nx = [\n  "a",\n[1],\n]\n[server]\nport = 1\n[[bin]]\n[remote "origin"]\n'
    extraction = read(text, "config")
    assert extraction.markdown == text
    assert titles(extraction) == [(1, "server"), (1, "bin"), (1, 'remote "origin"')]


def test_no_line_of_a_log_is_a_heading() -> None:
    text = "# started\n===\n2024-05-01 up\n- down\n" * 100
    found = passages(text, "log", 300)
    assert {passage.header_path for passage in found} == {()}
    assert all(passage.text.split("\n")[-1] in ("# started", "===", "2024-05-01 up", "- down") for passage in found)


def test_a_passage_of_code_has_the_definitions_above_it() -> None:
    body = "".join(f"        self.step_{number}()\n" for number in range(30))
    text = f"class Boat:\n    def hoist(self):\n{body}\n    def reef(self):\n        # a comment\n        pass\n"
    found = passages(text, "code", 400)
    assert [passage.header_path for passage in found] == [
        ("class Boat", "def hoist"), ("class Boat", "def hoist"), ("class Boat", "def reef"),
    ]  # fmt: skip
    assert all(text[passage.char_start : passage.char_end] == passage.text for passage in found)


def test_code_is_cut_at_blank_lines() -> None:
    paragraph = "".join(f"    step_{number}()\n" for number in range(12))
    text = f"def hoist():\n{paragraph}\n{paragraph}\n{paragraph}"
    assert [passage.text.count("step_11") for passage in passages(text, "code", 250)] == [1, 1, 1]


@pytest.mark.slow
def test_a_large_text_of_lines_keeps_its_sections() -> None:
    text = ("def hoist():\n" + "    step()\n" * 40 + "\n\n") * (LARGE_TEXT // 400)
    assert len(text) > LARGE_TEXT
    assert len(read(text, "code").sections or ()) == LARGE_TEXT // 400
