"""The libraries that run the models tell nobody what they do. onnxruntime would from version 1.29 on: it keeps an
identifier of the machine, and sends events to its maker (https://github.com/microsoft/onnxruntime/pull/27379)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models import model_folder

pytestmark = pytest.mark.slow

QUIET = frozenset({"CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_DISABLE_TELEMETRY"})
"""Where one of these is set, onnxruntime sends nothing anyway."""
TESTS = ("PYTEST_", "RAGBASE_")


@pytest.mark.parametrize(
    ("embedder", "wish"),
    [
        ("minilm", None),
        *(pytest.param(*case, marks=pytest.mark.prove) for case in (("minilm", "0"), ("e5", None), ("e5", "0"))),
    ],
)
def test_an_ingest_and_a_query_leave_no_identifier_and_ask_no_host(
    embedder: str, wish: str | None, tmp_path: Path
) -> None:
    (tmp_path / "guide.md").write_text("The nightly backup starts at half past two.", encoding="utf-8")
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in QUIET and not name.startswith(TESTS) and not name.lower().endswith("_proxy")
        }
        environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(cache), "https_proxy": address, "http_proxy": address}
        environment |= {"RAGBASE_MODEL_FOLDER": str(model_folder(embedder)), "RAGBASE_HOME": str(tmp_path / "data")}
        environment |= {"ORT_DISABLE_TELEMETRY": wish} if wish is not None else {}
        for command in (["ingest", "guide.md"], ["query", "When does the backup start?"]):
            done = subprocess.run(
                [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", *command],
                env={**environment, "RAGBASE_EMBEDDER": embedder},
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):
            proxy.accept()
    assert [path for folder in (home, cache) for path in folder.rglob("*") if path.is_file()] == []
