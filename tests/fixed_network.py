"""`python fixed_network.py COMMAND…`: run a program that does not learn when the machine's networks change.

Chromium breaks off all its requests when an address comes or goes, also those to 127.0.0.1 (ERR_NETWORK_CHANGED), and
Podman makes and removes addresses whenever a container starts or ends. Linux tells of them by a socket of the family
AF_NETLINK (rtnetlink(7)). Without one, Chromium takes the network to be there, and to stay as it is
(AddressTrackerLinux::Init in its source). So a filter for seccomp(2) refuses that family.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
import sys

_MACHINES = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}
"""The number of socket(2), and AUDIT_ARCH in linux/audit.h."""
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _MACHINE_OF_CALL, _FAMILY = 0, 4, 16
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
"""Instructions, places and answers of linux/filter.h and linux/seccomp.h."""
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _SECCOMP_MODE_FILTER = 22, 38, 2


def main(*command: str) -> None:
    """On another system or machine, the program runs as it is. Raises OSError."""
    if sys.platform == "linux" and os.uname().machine in _MACHINES:
        _refuse_news(*_MACHINES[os.uname().machine])
    os.execvp(command[0], command)


def _refuse_news(call: int, machine: int) -> None:
    steps = (
        (_LOAD, 0, 0, _MACHINE_OF_CALL),
        (_EQUAL, 0, 4, machine),
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 0, 2, call),
        (_LOAD, 0, 0, _FAMILY),
        (_EQUAL, 1, 0, socket.AF_NETLINK),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE | errno.EAFNOSUPPORT),
    )
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = struct.pack("@HP", len(steps), ctypes.cast(ctypes.c_char_p(code), ctypes.c_void_p).value or 0)
    _set(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1))  # seccomp(2) asks for it
    _set(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), program)


def _set(option: int, *values: object) -> None:
    """prctl(2) with these values, of which it has four."""
    rest = (ctypes.c_ulong(0) for _ in range(4 - len(values)))
    if ctypes.CDLL(None, use_errno=True).prctl(option, *values, *rest) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main(*sys.argv[1:])
