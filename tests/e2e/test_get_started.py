"""docs/get-started.md and the ten lines of README.md, as a newcomer follows them: one shell runs the blocks in their
order, from `pip install` on.

The handbook has office files and a scan. Only the port is another one, and packages come from those that the lock file
names. A stand-in for the command of Claude Code asks the address that it is given for its tools.
"""

from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from PIL import Image

from scripts.local_cloud.process import exclusive
from tests.e2e.test_installed import CACHE, OURS, locked_packages
from tests.models import model_folder
from tests.office_documents import docx, pptx, xlsx
from tests.page_blocks import block_of, blocks_of
from tests.unit.formats.pdf.scans import ocr_folder, picture

pytestmark = [pytest.mark.slow, pytest.mark.prove]

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = [block.text for block in blocks_of("docs/get-started.md")]
TEN_LINES = block_of("README.md", "For a team, in ten lines").text
GATE = "The harbour master closes the gate at eleven o'clock every evening."
TEN_MINUTES = 600
CLAUDE = """#!/bin/sh
[ "$1 $2 $3 $4 $5 $7" = "mcp add --transport http ragbase --header" ] || exit 2
curl -s "$6" -H "$8" -H 'Content-Type: application/json' -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """What each block printed."""
    home = tmp_path_factory.mktemp("newcomer")
    shown = home / "shown"
    shown.mkdir()
    blocks = [f"{{\n{block}}} > {shown}/{number}" for number, block in enumerate(BLOCKS)]
    # Away from the checkout: what follows has nothing but the wheel that pip has built of it.
    blocks.insert(block_with("pip install") + 1, "cd")
    follow("\n".join(blocks), home)
    return [(shown / str(number)).read_text(encoding="utf-8") for number in range(len(BLOCKS))]


def follow(blocks: str, home: Path) -> str:
    """What a shell in the checkout prints for a newcomer with a handbook, whose home folder this is."""
    make_handbook(home / "handbook")
    claude = home / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text(CLAUDE)
    claude.chmod(0o755)
    script = f"trap 'kill $(jobs -p)' EXIT\n{blocks}".replace("8080", str(free_port()))
    with exclusive(CACHE):
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=ROOT,
            env=variables(home),
            capture_output=True,
            text=True,
            timeout=TEN_MINUTES,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def make_handbook(folder: Path) -> None:
    folder.mkdir()
    (folder / "sailing.docx").write_bytes(docx())
    (folder / "fees.xlsx").write_bytes(xlsx())
    (folder / "safety.pptx").write_bytes(pptx())
    width, height, pixels = picture([(12, GATE)])
    scan = io.BytesIO()
    Image.frombytes("L", (width, height), pixels).save(scan, "PDF", resolution=150)
    (folder / "notice.pdf").write_bytes(scan.getvalue())


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def variables(home: Path) -> Mapping[str, str]:
    """An empty home folder. The models are those of this machine, and so are the packages that it has."""
    packages = locked_packages()
    versions = re.findall(r"^[\w.-]+(?:\[.*\])?==\S+", (ROOT / "requirements/local.txt").read_text(), re.MULTILINE)
    (home / "versions.txt").write_text("\n".join(versions))
    ocr_folder()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {
        **inherited,
        "HOME": str(home),
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "RAGBASE_MODEL_FOLDER": str(model_folder("minilm")),
        "PIP_CONSTRAINT": str(home / "versions.txt"),
        "PIP_FIND_LINKS": f"{packages} {os.environ.get('PIP_FIND_LINKS', '')}".strip(),
        "PIP_QUIET": "1",
        "PIP_NO_COMPILE": "no",  # pip wants "no" here; the commands compile what they import
    }


def block_with(part: str) -> int:
    """The number of the only block with this command."""
    (number,) = [number for number, block in enumerate(BLOCKS) if part in block]
    return number


def test_nothing_is_missing_after_the_installation(printed: Sequence[str]) -> None:
    assert "FAILED" not in printed[block_with("ragbase doctor")]


def test_office_files_and_the_scan_are_taken(printed: Sequence[str]) -> None:
    *_, last = printed[block_with("ragbase sync")].splitlines()
    assert last == "4 added, 0 changed, 0 deleted, 0 unchanged, 0 vanished, 0 left out, 0 failed"


def test_a_question_is_answered_from_the_scan(printed: Sequence[str]) -> None:
    assert printed[block_with("ragbase ask")].startswith(f"{GATE} [1]\n")


def test_the_team_asks_over_http_with_the_key(printed: Sequence[str]) -> None:
    answer = json.loads(printed[block_with("/api/answer")])
    assert answer["text"] == "A rope is tied to the pier when the boat comes in."


def test_an_assistant_searches_with_the_key(printed: Sequence[str]) -> None:
    (found,) = json.loads(printed[block_with("tools/call")])["result"]["content"]
    assert "fees.xlsx" in found["text"] and "Night: 12" in found["text"]


def test_claude_code_reaches_the_server(printed: Sequence[str]) -> None:
    tools = json.loads(printed[block_with("claude mcp add")])["result"]["tools"]
    assert "searchKnowledge" in {tool["name"] for tool in tools}


def test_the_ten_lines_of_the_readme_lead_to_an_answer_and_an_assistant(tmp_path: Path) -> None:
    """The handbook has a page on leave, too."""
    leave = "Request leave two weeks before you go, with the form of your office."
    page = f"printf '# Leave\\n\\n{leave}\\n' > ~/handbook/leave.md\n"
    printed = follow(page + TEN_LINES, tmp_path)
    assert f'"text":"{leave}"' in printed.replace('": "', '":"')
    assert "searchKnowledge" in printed
