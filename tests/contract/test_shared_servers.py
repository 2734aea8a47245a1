"""The servers that all tests of a run share: each is started once, and none outlives the run."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.together import PROCESSES, processes
from tests.shared_servers import ROOT, VARIABLE, keeper_file, shared_pubsub

pytestmark = pytest.mark.prove

RUN = f"""
import os
from tests.shared_servers import begin_run, shared_pubsub
end = begin_run()
print(os.environ["{VARIABLE}"], shared_pubsub(), flush=True)
input()
end()
"""


def test_processes_that_ask_together_get_the_same_server() -> None:
    with processes() as started:
        found = [started.submit(shared_pubsub) for _ in range(PROCESSES)]

        assert {one.result() for one in found} == {shared_pubsub()}


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_server_ends_with_its_run(*, is_killed: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "common")])
    command = [sys.executable, "-P", "-c", RUN]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        folder, place = run.stdout.readline().split()
        host, port = place.split(":")
        socket.create_connection((host, int(port))).close()
        with keeper_file(Path(folder) / "pubsub").open("rb") as keeper:
            if is_killed:
                run.kill()
                fcntl.flock(keeper, fcntl.LOCK_SH)  # waits for the keeper
            else:
                run.communicate("\n")
                fcntl.flock(keeper, fcntl.LOCK_SH | fcntl.LOCK_NB)

    assert not Path(folder).exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))
