"""Calls to Linux that Python has no function for: what this process gives up, for good, with all that it starts.

Sources: prctl(2), capabilities(7), seccomp(2), landlock(7), and linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import stat
import struct
from collections.abc import Sequence

from ragbase.formats.sandbox.system_calls import call_filter

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""The same numbers on all machines."""
_CAPABILITIES = {"x86_64": 126, "aarch64": 91}
"""The number of capset(2)."""
_CAPABILITY_VERSION = 0x20080522
_READ_EVERYTHING = 1 << 2
"""CAP_DAC_READ_SEARCH: root keeps it, as the libraries may be in another user's folder."""

_WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 1, 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights to files each version of Landlock knows. From 5 on: 16."""
_WITH_TRUNCATE = 3
"""The first version that keeps a file opened to read from being emptied by that."""
_NOWHERE = "/dev/null"
"""What a library writes there is gone."""
_TCP, _WITH_TCP = 0b11, 4
"""To bind and to connect, and the first version that knows them."""
_SCOPES, _WITH_SCOPES = 0b11, 6
"""Abstract Unix sockets and signals of processes outside, and the first version that knows them."""
_VERSION = 1
_PATH_BENEATH = 1

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def landlock_version() -> int:
    """0 without Landlock."""
    found: int = _libc.syscall(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION))
    return max(found, 0)


def has_call_filters() -> bool:
    """Whether the kernel takes filters of system calls. Asked with none, it then says that there is no memory at
    the address 0; seccomp(2) recommends to ask so."""
    _libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), None)
    return ctypes.get_errno() == errno.EFAULT


def hide_from_user() -> None:
    """From now on, no other process of this user reads this one's variables and memory, nor does a debugger."""
    _libc.prctl(_PR_SET_DUMPABLE, ctypes.c_ulong(0), *_zeros(3))


def die_with_parent(parent: int) -> None:
    """The kernel kills this process when the thread that started it ends. Raises ProcessLookupError if it has ended."""
    _done(_libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), *_zeros(3)), "PR_SET_PDEATHSIG")
    if os.getppid() != parent:
        raise ProcessLookupError


def give_up_privileges() -> None:
    """No program that this process starts has more rights than it has. Root keeps only the right to read."""
    _done(_libc.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), *_zeros(3)), "PR_SET_NO_NEW_PRIVS")
    machine = os.uname().machine
    if machine in _CAPABILITIES and not _keep_capabilities(machine, _READ_EVERYTHING):  # it did not have this one
        _done(_keep_capabilities(machine, 0) - 1, "capset")


def _keep_capabilities(machine: str, kept: int) -> bool:
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    rights = struct.pack("=6I", kept, kept, 0, 0, 0, 0)  # effective, permitted, inheritable; of 0 to 31, of 32 to 63
    return bool(_libc.syscall(ctypes.c_long(_CAPABILITIES[machine]), header, rights) == 0)


def read_only(paths: Sequence[str], version: int) -> None:
    """This process opens only these files and what is below these folders, and only to read, and /dev/null; it has no
    TCP, and signals no process outside. What does not exist is left out."""
    handled = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    rules = struct.pack("=Q", handled)
    if version >= _WITH_TCP:
        rules += struct.pack("=Q", _TCP)
    if version >= _WITH_SCOPES:
        rules += struct.pack("=Q", _SCOPES)
    ruleset = _done(
        _libc.syscall(ctypes.c_long(_CREATE_RULESET), rules, ctypes.c_size_t(len(rules)), ctypes.c_uint(0)), "Landlock"
    )
    for path in (_NOWHERE, *paths):
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
        rights = _READ_FILE | (_READ_FOLDER if is_folder else _WRITE_FILE if path == _NOWHERE else 0)
        rule = struct.pack("=Qi", rights, place)
        _done(
            _libc.syscall(ctypes.c_long(_ADD_RULE), ctypes.c_int(ruleset), _PATH_BENEATH, rule, ctypes.c_uint(0)), path
        )
        os.close(place)
    _done(_libc.syscall(ctypes.c_long(_RESTRICT_SELF), ctypes.c_int(ruleset), ctypes.c_uint(0)), "Landlock")
    os.close(ruleset)


def refuse_calls(landlock: int) -> None:
    """From now on, the kernel refuses this process and its threads the calls of sandbox/system_calls.py. A filter
    sees no path: it refuses to open any file to write, /dev/null too, where Landlock does not do that better."""
    code = call_filter(opens_to_write=landlock >= _WITH_TRUNCATE)
    program = struct.pack("@HP", len(code) // 8, ctypes.cast(ctypes.c_char_p(code), ctypes.c_void_p).value or 0)
    _done(_libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), program, *_zeros(2)), "PR_SET_SECCOMP")


def _zeros(count: int) -> tuple[ctypes.c_ulong, ...]:
    return tuple(ctypes.c_ulong(0) for _ in range(count))


def _done(result: int, what: str) -> int:
    """The result of a call. Raises OSError if it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result
