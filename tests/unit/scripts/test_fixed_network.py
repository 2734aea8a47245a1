from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

from tests import fixed_network

ASKING = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
socket.create_connection(listener.getsockname()).close()
try:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
except OSError as error:
    print(error.errno)
"""


def test_a_program_and_what_it_starts_get_no_news_of_networks_and_reach_servers() -> None:
    inner = [sys.executable, "-c", f"import subprocess; subprocess.run({[sys.executable, '-c', ASKING]!r}, check=True)"]
    command = [sys.executable, str(Path(fixed_network.__file__)), *inner]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == f"{errno.EAFNOSUPPORT}\n"
