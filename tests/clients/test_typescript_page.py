"""The examples of docs/typescript.md and of the package's README have the right types and run as they stand there."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from scripts.local_cloud.pdf import pdf
from scripts.typescript_package import ROOT
from tests.clients.asked_server import AskedServer
from tests.page_blocks import blocks_of

pytestmark = pytest.mark.slow

PAGES = (blocks_of("docs/typescript.md"), blocks_of("clients/typescript/README.md"))
BLOCKS = [block.text for blocks in PAGES for block in blocks]
EXAMPLES = [block for block in BLOCKS if "import" in block]
LEAVE = "Request leave two weeks before you go, with the form of your office."
SAID = ((1, "hr/handbook.pdf"), (1, "hr/handbook.pdf"), (1, LEAVE), (2, "404 NOT_FOUND"), (1, "hr/handbook.pdf"))
"""In which stream each example says what: in their order, because the first one uploads."""


@pytest.mark.prove
def test_the_examples_say_what_they_should(own_server: AskedServer, built: Path, tmp_path: Path) -> None:
    programs = built / "examples"
    programs.mkdir()
    (tmp_path / "handbook.pdf").write_bytes(pdf(LEAVE))
    for number, example in enumerate(EXAMPLES):
        program = example.replace("https://rag.example.com", own_server.endpoint).replace(
            'key: "…"', f'key: "{own_server.key}"'
        )
        assert program.count(own_server.endpoint) == program.count(own_server.key) == 1
        (programs / f"{number}.ts").write_text(program, encoding="utf-8")
    options = {"types": ["node"], "rootDir": ".", "outDir": "out"}
    settings = {"extends": "../tsconfig.json", "compilerOptions": options, "include": ["."]}
    (programs / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    checked = subprocess.run(
        [built / "node_modules/.bin/tsc", "--project", programs], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
    for number, (stream, expected) in enumerate(SAID):
        done = subprocess.run(
            ["node", programs / "out" / f"{number}.js"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert expected in (done.stdout, done.stderr)[stream - 1]
    assert len(EXAMPLES) == len(SAID)


def test_the_other_block_makes_and_installs_the_package() -> None:
    (others,) = [block for block in BLOCKS if block not in EXAMPLES]
    assert re.findall(r"^(\S+) (?:install )?(\S+)", others, re.MULTILINE) == [
        ("./scripts/pack-typescript", "."),
        ("npm", "./ragbase-*.tgz"),
    ]
    assert (ROOT / "scripts/pack-typescript").exists()
