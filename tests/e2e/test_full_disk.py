"""The disk is full for a while: the work waits, says so once, and goes on when there is room.

The limit of a file's size stands in for the disk. The system refuses every write to a file, and the limit of a running
process can be lifted.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from ragbase.domain.document import Status
from scripts.local_cloud.user import eventually
from tests.e2e.command_line import CommandLine

if sys.platform == "linux":
    from resource import prlimit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Only Linux can change the limits of another process."),
]

FILES = 20
PATIENCE = 60.0


def test_serve_waits_while_the_disk_is_full_and_then_goes_on(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home", is_fresh=True)
    process = ragbase.start("serve", "--port", "0", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    logged: list[str] = []
    reader = threading.Thread(target=lambda stream: logged.extend(map(bytes.decode, stream)), args=(process.stderr,))
    reader.start()

    def reports(action: str) -> list[dict[str, str]]:
        entries = [json.loads(line) for line in list(logged) if line.startswith("{")]
        return [entry for entry in entries if entry.get("action") == action]

    def limit(size: int) -> None:
        prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def completed() -> int:
        with RAGEngine(load_config(environment={}, home=ragbase.home, embedder="hashing")) as engine:
            return engine.profile.documents.count(status=Status.COMPLETED)

    try:
        bucket = Path(json.loads(process.stdout.readline())["bucket"])
        with RAGEngine(load_config(environment={}, home=ragbase.home, embedder="hashing")) as engine:
            limit(0)
            for number in range(FILES):
                text = f"# Note {number}\n\nThis is note {number} about the harbour and its ferries.\n".encode()
                engine.profile.bucket.put(f"note-{number}.md", text)  # this process still can write
        eventually(lambda: reports("queue.unavailable"), PATIENCE)
        (bucket / "later.md").write_text("# Later\n\nA note that comes while the disk is full, about the lighthouse.\n")
        assert process.poll() is None
        assert completed() == 0
        limit(resource.RLIM_INFINITY)
        eventually(lambda: completed() == FILES + 1, PATIENCE)
        assert "remedy" in reports("queue.unavailable")[0]
        assert len(reports("queue.unavailable")) == 1
    finally:
        process.terminate()
        process.wait(30)
        reader.join()
        process.stdout.close()
        process.stderr.close()
