"""What a document's hostile code tries, once it has taken over the process that reads it. Not a test: a script for it.

Its options are a folder with secrets, the port of a server on this machine, and the id of a process that it may harm.
It answers with what came of each attempt: "refused", or what it got.
"""

# Each attempt is one system call:
# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH123, PTH208, PTH211

import ctypes
import fcntl
import json
import os
import resource
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

folder, port, victim = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
REFUSALS = (PermissionError, ValueError, sqlite3.OperationalError)
found: dict[str, str] = {}
Attempts = dict[str, Callable[[], object]]


def attempt(name: str, do: Callable[[], object]) -> None:
    try:
        found[name] = repr(do())
    except REFUSALS:
        found[name] = "refused"
    except OSError as error:
        denied = "denied" in str(error) or "not permitted" in str(error) or "not implemented" in str(error)
        found[name] = "refused" if denied else repr(error)


def call(number: int, *arguments: int) -> int:
    """A system call, past all libraries."""
    result: int = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(one) for one in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def by_function(function: Callable[..., int], *arguments: object) -> str:
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "done"


def sent_from_a_pair() -> int:
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"x", str(folder / "socket"))


def child() -> str:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    return "forked"


def cloned() -> int:
    made = call(220 if os.uname().machine == "aarch64" else 56, signal.SIGCHLD, 0, 0, 0, 0)
    if made == 0:
        os._exit(0)
    return made


def signal_owner() -> int:
    reading, _ = os.pipe()
    return fcntl.fcntl(reading, fcntl.F_SETOWN, victim)


def taken_behind_the_end() -> int:
    """Room for the file of the errors, which does not get longer by it."""
    return call(47 if os.uname().machine == "aarch64" else 285, 2, 1, 0, 1 << 28)


def taken_by_command() -> bytes:
    """As above: FS_IOC_RESVSP, with a `struct space_resv`."""
    return fcntl.ioctl(2, 0x40305828, struct.pack("=hh4xqqiI4i", 0, 0, 0, 1 << 28, 0, 0, 0, 0, 0, 0))


def lease_of_a_library() -> int:
    """A program that opens the file then waits for up to 45 seconds."""
    return fcntl.fcntl(os.open(os.__file__, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)


def raised(limit: int) -> str:
    resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return "raised"


def opened(*path: object) -> bytes:
    with open(Path(*map(str, path)), "rb") as file:
        return file.read(10)


def changed(*path: object, flags: int) -> int:
    return os.write(os.open(Path(*map(str, path)), flags), b"x")


def query() -> list[object]:
    with sqlite3.connect(folder / "ragbase.db") as database:
        return database.execute("SELECT * FROM secrets").fetchall()


ENVIRONMENT: Attempts = {
    "read the parent's variables": lambda: opened("/proc", os.getppid(), "environ"),
    "read the parent's memory": lambda: opened("/proc", os.getppid(), "mem"),
}
READING: Attempts = {
    "open the database": query,
    "read a file": lambda: opened(folder, "secret.txt"),
    "list a folder": lambda: os.listdir(folder),
    "list the home": lambda: os.listdir(Path.home()),
    "list the root": lambda: os.listdir("/"),
    "read the users": lambda: opened("/etc/passwd"),
    "read the first process": lambda: opened("/proc/1/environ"),
    "read a neighbour's variables": lambda: opened("/proc", victim, "environ"),
    "read a neighbour's memory": lambda: opened("/proc", victim, "mem"),
    "list a neighbour's files": lambda: os.listdir(f"/proc/{victim}/fd"),
    "list all processes": lambda: os.listdir("/proc"),
    "load a library of its own": lambda: ctypes.CDLL(str(folder / "library.so")),
    "read attributes": lambda: os.listxattr(folder / "secret.txt"),
    "leave the folders by a link": lambda: opened("/usr/lib/../../etc/passwd"),
}
WRITING: Attempts = {
    "write into the data folder": lambda: changed(folder, "new", flags=os.O_WRONLY | os.O_CREAT),
    "change a file": lambda: changed(folder, "secret.txt", flags=os.O_RDWR),
    "append to a file": lambda: changed(folder, "secret.txt", flags=os.O_WRONLY | os.O_APPEND),
    "empty a file": lambda: os.truncate(folder / "secret.txt", 0),
    "empty a file by opening it": lambda: os.open(folder / "secret.txt", os.O_RDONLY | os.O_TRUNC),
    "write a temporary file": lambda: changed("/tmp", f"new-{os.getpid()}", flags=os.O_WRONLY | os.O_CREAT),
    "write a file without a name": lambda: os.open("/tmp", os.O_TMPFILE | os.O_RDWR),
    "write into shared memory": lambda: changed("/dev/shm", f"new-{os.getpid()}", flags=os.O_WRONLY | os.O_CREAT),
    "write beside the libraries": lambda: changed(os.__file__ + ".new", flags=os.O_WRONLY | os.O_CREAT),
    "take the disk behind the end of a file": taken_behind_the_end,
    "take the disk by a command": taken_by_command,
    "make a file in memory": lambda: os.memfd_create("x"),
    "delete a file": lambda: os.unlink(folder / "secret.txt"),
    "rename a file": lambda: os.rename(folder / "secret.txt", folder / "other"),
    "link a file": lambda: os.link(folder / "secret.txt", folder / "other"),
    "make a symbolic link": lambda: os.symlink("/etc/passwd", folder / "other"),
    "make a folder": lambda: os.mkdir(folder / "new"),
    "make a pipe": lambda: os.mkfifo(folder / "new"),
    "change rights": lambda: os.chmod(folder / "secret.txt", 0o777),
    "change the owner": lambda: os.chown(folder / "secret.txt", os.getuid(), os.getgid()),
    "change times": lambda: os.utime(folder / "secret.txt"),
    "change attributes": lambda: os.setxattr(folder / "secret.txt", "user.x", b"x"),
}
NETWORK: Attempts = {
    "open TCP": lambda: socket.create_connection(("127.0.0.1", port)),
    "open UDP": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)),
    "open TCP 6": lambda: socket.socket(socket.AF_INET6),
    "open a Unix socket": lambda: socket.socket(socket.AF_UNIX).connect(str(folder / "socket")),
    "open netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    "open a raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "listen": lambda: socket.create_server(("127.0.0.1", 0)),
    "send from a pair": sent_from_a_pair,
    "connect a pair elsewhere": lambda: socket.socketpair()[0].connect(str(folder / "socket")),
    "set up a ring of calls": lambda: call(425, 8, 0),
}
PROGRAMS: Attempts = {
    "start a program": lambda: subprocess.run(["/bin/true"], check=True),
    "become a program": lambda: os.execv("/bin/true", ["true"]),
    "start a program with more rights": lambda: subprocess.run([shutil.which("su") or "/bin/su", "--help"], check=True),
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "fork and leave the session": child,
    "clone": cloned,
    "clone 3": lambda: call(435, 0, 0),
    "leave the session": os.setsid,
    "leave the group": lambda: os.setpgid(0, 0),
}
SIGNALS: Attempts = {
    "ask for the parent": lambda: os.kill(os.getppid(), 0),
    "ask for a neighbour": lambda: os.kill(victim, 0),
    "stop a neighbour": lambda: os.kill(victim, signal.SIGTERM),
    "stop its group": lambda: os.killpg(victim, signal.SIGTERM),
    "ask for everybody": lambda: os.kill(-1, 0),
    "hold a neighbour": lambda: os.pidfd_open(victim),
    "trace a neighbour": lambda: by_function(libc.ptrace, 16, victim, 0, 0),
    "read a neighbour by a call": lambda: by_function(libc.process_vm_readv, victim, None, 0, None, 0, 0),
    "limit a neighbour": lambda: resource.prlimit(victim, resource.RLIMIT_NOFILE, (16, 16)),
    "slow a neighbour down": lambda: os.setpriority(os.PRIO_PROCESS, victim, 19),
    "bind a neighbour": lambda: os.sched_setaffinity(victim, {0}),
    "let the kernel signal": signal_owner,
    "let others wait for a library": lease_of_a_library,
    "outlive the parent": lambda: by_function(libc.prctl, 1, 0, 0, 0, 0),
    "share memory": lambda: by_function(libc.shmget, 7, 4096, 0o1666),
}
PRIVILEGES: Attempts = {
    "become root": lambda: os.setresuid(0, 0, 0),
    "become somebody": lambda: os.setuid(65533),
    "change the root": lambda: os.chroot("/usr"),
    "leave the namespaces": lambda: by_function(libc.unshare, 0x10000000),
    "mount": lambda: by_function(libc.mount, b"none", b"/no/such/folder", b"tmpfs", 0, None),
    "raise the limit of memory": lambda: raised(resource.RLIMIT_AS),
    "raise the limit of files": lambda: raised(resource.RLIMIT_FSIZE),
    "start programs with more rights": lambda: refuse() if no_new_privileges() else "it may",
    "keep rights of root": lambda: refuse() if capabilities() & ~(1 << 2) == 0 else hex(capabilities()),
    "make a call of the future": lambda: call(1000),
    "program the kernel": lambda: call(280 if os.uname().machine == "aarch64" else 321, 0, 0, 0),
    "have a file that was left open": lambda: LEFT_OPEN or refuse(),
}


def refuse() -> NoReturn:
    raise PermissionError


def no_new_privileges() -> bool:
    return bool(libc.prctl(39, 0, 0, 0, 0))


def capabilities() -> int:
    header, answer = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, answer)
    return answer[0] | answer[1] | answer[3] << 32 | answer[4] << 32


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


LEFT_OPEN: list[int] = [one for one in range(3, 64) if is_open(one)]
KINDS: dict[str, Attempts] = {
    "environment": ENVIRONMENT,
    "reading": READING,
    "writing": WRITING,
    "network": NETWORK,
    "programs": PROGRAMS,
    "signals": SIGNALS,
    "privileges": PRIVILEGES,
}
for name, attempts in KINDS.items():
    for what, do in attempts.items():
        attempt(f"{name}: {what}", do)
print(json.dumps({"found": found, "variables": dict(os.environ)}))
