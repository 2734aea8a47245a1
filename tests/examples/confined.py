"""`python confined.py UNIT COMMAND…`: run a command with what a unit of systemd takes away, where systemd does not run.

A process cannot get that back, so this is a program. It takes from the unit, by calls that systemd makes, too:
NoNewPrivileges, an empty CapabilityBoundingSet, MemoryDenyWriteExecute (prctl(2), PR_SET_MDWE), UMask, and
SystemCallFilter, with its groups as `systemd-analyze syscall-filter` lists them (libseccomp). In place of the mounts of
ProtectSystem=strict, Landlock lets the command write only below the folders in the variable WRITABLE, and to /dev/null.
All other settings are left out.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_MDWE = 24, 38, 65
LAST_CAPABILITY = 40
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CHANGES_OF_A_FILE = 1 << 1 | 1 << 14
CHANGES = CHANGES_OF_A_FILE | sum(1 << right for right in range(4, 14))
"""Rights of linux/landlock.h, version 3: to write and truncate; and all that change a file or a folder."""
ALLOW, REFUSE_WITH_EPERM = 0x7FFF0000, 0x00050000 | 1
"""Actions of seccomp.h."""

libc = ctypes.CDLL(None, use_errno=True)


def main(unit: str, *command: str) -> None:
    settings = dict(read(Path(unit)))
    assert settings["ProtectSystem"] == ["strict"]
    write_only_below(os.environ["WRITABLE"].split(":"))
    if settings["CapabilityBoundingSet"] == [""]:
        for capability in range(LAST_CAPABILITY + 1):
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # who is not root has none, and may not drop it
    if settings["MemoryDenyWriteExecute"] == ["yes"]:
        libc.prctl(PR_SET_MDWE, ctypes.c_ulong(1), *map(ctypes.c_ulong, (0, 0, 0)))  # from Linux 6.3 on
    os.umask(int(settings["UMask"][0], 8))
    refuse_calls_but([call for line in settings["SystemCallFilter"] for call in line.split()])
    os.execvp(command[0], command)


def read(unit: Path) -> Iterator[tuple[str, list[str]]]:
    """Each setting, with all of its values."""
    lines = [line.partition("=") for line in unit.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    for name in {name for name, equals, _ in lines if equals}:
        yield name, [value for other, _, value in lines if other == name]


def write_only_below(folders: list[str]) -> None:
    """With no_new_privs, which Landlock and seccomp ask for."""
    done(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    ruleset = done(libc.syscall(CREATE_RULESET, struct.pack("=Q", CHANGES), ctypes.c_size_t(8), 0))
    for path, rights in (("/dev/null", CHANGES_OF_A_FILE), *((folder, CHANGES) for folder in folders)):
        place = os.open(path, os.O_PATH)
        done(libc.syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0))
    done(libc.syscall(RESTRICT_SELF, ruleset, 0))


def refuse_calls_but(allowed: list[str]) -> None:
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(seccomp.seccomp_init(REFUSE_WITH_EPERM))
    for name in calls(allowed):
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:  # else another kind of machine has it
            done(-(seccomp.seccomp_rule_add(context, ALLOW, number, 0) != 0))
    done(-(seccomp.seccomp_load(context) != 0))


def calls(names: list[str]) -> Iterator[str]:
    """The names of calls, with those of each group."""
    for name in names:
        if not name.startswith("@"):
            yield name
            continue
        listed = subprocess.run(
            ["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True
        ).stdout.splitlines()[1:]
        yield from calls([line.strip() for line in listed if line.strip() and not line.strip().startswith("#")])


def done(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    main(*sys.argv[1:])
