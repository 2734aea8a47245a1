"""A child of the server (server.py) is the command: this process stands for it.

It passes on its arguments, folder, environment, streams, umask, limits, capabilities and signals. It ends as the
command ends. If it is killed, so is the command. It imports little, because tests start it often. A command that needs
an interpreter with other settings gets a new one.
"""

from __future__ import annotations

import array
import json
import os
import resource
import signal
import socket
import sys

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def capabilities() -> int:
    with open("/proc/self/status", encoding="utf-8", errors="replace") as status:  # noqa: PTH123 - pathlib takes long
        return next(int(line.split()[1], 16) for line in status if line.startswith("CapEff:"))


def main(address: str, arguments: list[str]) -> None:
    streams = [number for number in range(3) if is_open(number)]
    for _ in range(3 - len(streams)):
        os.open(os.devnull, os.O_RDWR)  # so that nothing else takes the number of a stream
    ignored = [number for number in FORWARDED if signal.getsignal(number) == signal.SIG_IGN]
    limits = {number for name, number in vars(resource).items() if name.startswith("RLIMIT_")}
    umask = os.umask(0o077)
    os.umask(umask)
    asked = {
        "arguments": arguments,
        "environment": dict(os.environ),
        "streams": streams,
        "umask": umask,
        "capabilities": capabilities(),
        "limits": [(number, *resource.getrlimit(number)) for number in limits],
        "ignored": [int(number) for number in ignored],
        "session": os.getsid(0) == os.getpid(),
    }
    text = json.dumps(asked).encode()
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    for number in FORWARDED:
        if number not in ignored:
            signal.signal(number, lambda received, _: connection.send(bytes([received])))
    sent = array.array("i", [os.open(".", os.O_RDONLY | os.O_DIRECTORY), *streams])
    connection.sendmsg([len(text).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
    connection.sendall(text)
    if connection.recv(1) != b"+":
        os.execv(sys.executable, [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", *arguments])
    for stream in streams:
        os.close(stream)  # so that the other end of a pipe sees when the command closes it
    answer = b""
    while piece := connection.recv(100):
        answer += piece
    status = int(answer)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
