"""docs/get-started.md, as a newcomer follows it: one shell runs its blocks in their order, from `pip install` on.

The handbook has office files and a scan. Only the port is another one, and packages come from those that the lock file
names.
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

from ragbase.config import load_config
from scripts.local_cloud.process import exclusive
from scripts.office_documents import docx, pptx, xlsx
from tests.e2e.test_installed import CACHE, OURS, locked_packages
from tests.unit.formats.pdf.scans import ocr_folder, picture

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "get-started.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
GATE = "The harbour master closes the gate at eleven o'clock every evening."
TEN_MINUTES = 600


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """What each block printed."""
    home = tmp_path_factory.mktemp("newcomer")
    make_handbook(home / "handbook")
    shown = home / "shown"
    shown.mkdir()
    port = free_port()
    blocks = [f"{{\n{block}}} > {shown}/{number}" for number, block in enumerate(BLOCKS)]
    # Away from the checkout: what follows has nothing but the wheel that pip has built of it.
    blocks.insert(block_with("pip install") + 1, "cd")
    script = "\n".join(["trap 'kill $(jobs -p)' EXIT", *blocks]).replace("8080", str(port))
    with exclusive(CACHE):
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=ROOT,
            env=variables(home),
            stderr=subprocess.PIPE,
            text=True,
            timeout=TEN_MINUTES,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    return [(shown / str(number)).read_text(encoding="utf-8") for number in range(len(BLOCKS))]


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
        "RAGBASE_MODEL_FOLDER": str(load_config().model_folder),
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
    (found,) = json.loads(printed[block_with("/mcp")])["result"]["content"]
    assert "fees.xlsx" in found["text"] and "Night: 12" in found["text"]
