"""The system calls that a process which reads untrusted bytes may not make, as a filter for seccomp(2).

The filter refuses what it names, and every call that came to Linux with or after number 424 unless it is known to be
harmless: what this version does not know is refused. A refused call fails with EPERM, or with ENOSYS if the C library
then takes an older call. The numbers are those of asm/unistd_64.h and asm-generic/unistd.h of Linux 6.1; from 424 on,
all machines have the same ones.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator

_NETWORK = """
socket 41 198, connect 42 203, accept 43 202, accept4 288 242, bind 49 200, listen 50 201, sendmsg 46 211,
recvmsg 47 212, sendmmsg 307 269, recvmmsg 299 243
"""
"""Sockets of every family. `socketpair` is asked for its arguments: an event loop wakes itself with a pair."""

_PROGRAMS = """
fork 57 -, vfork 58 -, execve 59 221, execveat 322 281
"""
"""New processes and programs. `clone` is asked for its flags: it also makes threads."""

_FILES = """
creat 85 -, truncate 76 45, rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -,
link 86 -, linkat 265 37, unlink 87 -, unlinkat 263 35, symlink 88 -, symlinkat 266 36, mknod 133 -, mknodat 259 33,
chmod 90 -, fchmod 91 52, fchmodat 268 53, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54, utime 132 -,
utimes 235 -, futimesat 261 -, utimensat 280 88, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7,
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10,
listxattr 194 11, llistxattr 195 12, flistxattr 196 13, sync 162 81, syncfs 306 267, memfd_create 319 279,
fallocate 285 47
"""
"""Changes of files, folders and their rights; attributes, which Landlock lets everybody read; files in memory, which no
limit counts; room on the disk behind the end of a file, where RLIMIT_FSIZE does not hold (FALLOC_FL_KEEP_SIZE)."""

_OTHERS = """
ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, kcmp 312 272, get_robust_list 274 100,
tkill 200 130, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, setpriority 141 140, sched_setparam 142 118,
sched_setscheduler 144 119, sched_setattr 314 274, sched_setaffinity 203 122, ioprio_set 251 30,
migrate_pages 256 238, move_pages 279 239, shmget 29 194, shmat 30 196, shmctl 31 195, semget 64 190, semop 65 193,
semctl 66 191, semtimedop 220 192, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180,
mq_unlink 241 181, mq_timedsend 242 182, mq_timedreceive 243 183, mq_notify 244 184, mq_getsetattr 245 185,
add_key 248 217, request_key 249 218, keyctl 250 219, inotify_init 253 -, inotify_init1 294 26,
inotify_add_watch 254 27, fanotify_init 300 262, fanotify_mark 301 263, setsid 112 157, setpgid 109 154
"""
"""Other processes of the same user, and what is shared with them."""

_RIGHTS = """
setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149,
setfsuid 122 151, setfsgid 123 152, setgroups 116 159, capset 126 91, personality 135 92, unshare 272 97,
setns 308 268, mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51
"""
"""Rights and views of this process."""

_MACHINE = """
acct 163 89, adjtimex 159 171, clock_adjtime 305 266, clock_settime 227 112, settimeofday 164 170,
sethostname 170 161, setdomainname 171 162, swapon 167 224, swapoff 168 225, reboot 169 142, kexec_load 246 104,
kexec_file_load 320 294, init_module 175 105, finit_module 313 273, delete_module 176 106, quotactl 179 60,
nfsservctl 180 42, syslog 103 116, vhangup 153 58, iopl 172 -, ioperm 173 -, modify_ldt 154 -, uselib 134 -,
_sysctl 156 -, lookup_dcookie 212 18, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, seccomp 317 277,
io_setup 206 0, io_destroy 207 1, io_submit 209 2, io_cancel 210 3, io_getevents 208 4, io_pgetevents 333 292,
name_to_handle_at 303 264, open_by_handle_at 304 265, remap_file_pages 216 234
"""
"""The machine, and what a reader never needs of the kernel."""

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of its numbers, and its AUDIT_ARCH in linux/audit.h. Other machines have no filter."""

FIRST_COMMON = 424
HARMLESS = {436, 439, 441, 449, 453, 454, 455, 456, 462}
"""close_range, faccessat2, epoll_pwait2, futex_waitv, map_shadow_stack, futex_wake, futex_wait, futex_requeue and
mseal."""

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
THREAD = 0x10000
"""CLONE_THREAD: what is made is a thread of this process."""
NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
OUTWARD_COMMANDS = (8, 10, 15, 1024, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX: with them, the kernel sends a signal of one's choice to another process. F_SETLEASE
lets others who open a library wait, and F_NOTIFY tells what they do in a folder."""
DEVICE_COMMANDS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS and TIOCGWINSZ, which ask what is no terminal; FIONREAD, FIONBIO, FIONCLEX and FIOCLEX. All other commands of
ioctl(2) are refused: file systems have some that take room on the disk without a limit (FS_IOC_RESVSP), and terminals
some that type into them."""
UNIX, STREAM, KIND_OF_SOCKET = 1, 1, 0xF
"""AF_UNIX, SOCK_STREAM. A pair of these reaches nothing but itself, whatever address is given; one of SOCK_DGRAM
does."""
PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG, which ends this process with its parent."""

_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE_OF_CALL, _FIRST_ARGUMENT = 0, 4, 16
"""Instructions, answers and places of linux/filter.h and linux/seccomp.h."""
_NO = _REFUSE | errno.EPERM
_UNKNOWN = _REFUSE | errno.ENOSYS


Rule = tuple[tuple[int | None, int | None], tuple[bytes, ...]]
"""The numbers of a call, and what decides on it."""


def call_filter(*, opens_to_write: bool) -> bytes:
    """The filter for this process: instructions of eight bytes. It knows the id of the process, so it is for no other
    one. Without `opens_to_write`, files are opened only to read. Raises KeyError for a machine that has no filter."""
    column, its_id = MACHINES[os.uname().machine]
    code = [
        _do(_LOAD, _MACHINE_OF_CALL),
        _do(_EQUAL, its_id, then=1),
        _do(_RETURN, _KILL),
        _do(_LOAD, _NUMBER),
        _do(_AT_LEAST, FIRST_COMMON, otherwise=len(HARMLESS) * 2 + 1),
        *(step for number in sorted(HARMLESS) for step in (_do(_EQUAL, number, otherwise=1), _do(_RETURN, _ALLOW))),
        _do(_RETURN, _UNKNOWN),
    ]
    for number in _numbers(column):
        code += (_do(_EQUAL, number, otherwise=1), _do(_RETURN, _NO))
    for numbers, steps in (*_by_argument(os.getpid()), *(() if opens_to_write else _OPEN_TO_READ)):
        if numbers[column] is not None:
            code += (_do(_EQUAL, numbers[column] or 0, otherwise=len(steps)), *steps)
    return b"".join((*code, _do(_RETURN, _ALLOW)))


def _numbers(column: int) -> Iterator[int]:
    for table in (_PROGRAMS, _NETWORK, _FILES, _OTHERS, _RIGHTS, _MACHINE):
        for call in table.split(","):
            number = call.split()[1 + column]
            if number != "-":
                yield int(number)


def _by_argument(pid: int) -> Iterator[Rule]:
    """Calls whose arguments decide. Of an argument, the lower half is asked: these have 32 bits."""
    refuse, allow = _do(_RETURN, _NO), _do(_RETURN, _ALLOW)
    clone = (
        _argument(0),
        _do(_ANY_BIT, NAMESPACES, then=1),
        _do(_ANY_BIT, THREAD, then=1),
        refuse,
        allow,
    )
    yield (56, 220), clone
    pair = (
        *(_argument(0), _do(_EQUAL, UNIX, otherwise=4)),
        *(_argument(1), _do(_AND, KIND_OF_SOCKET), _do(_EQUAL, STREAM, otherwise=1)),
        *(allow, refuse),
    )
    yield (53, 199), pair  # socketpair
    for kill in ((62, 129), (234, 131)):  # kill, tgkill
        yield kill, (_argument(0), _do(_EQUAL, pid, then=1), refuse, allow)
    yield (302, 261), (_argument(0), _do(_EQUAL, 0, then=2), _do(_EQUAL, pid, then=1), refuse, allow)  # prlimit64
    yield (157, 167), (_argument(0), _do(_EQUAL, PARENT_DEATH_SIGNAL, otherwise=1), refuse, allow)  # prctl
    for numbers, commands, then, otherwise in (
        ((72, 25), OUTWARD_COMMANDS, refuse, allow),  # fcntl
        ((16, 29), DEVICE_COMMANDS, allow, refuse),  # ioctl
    ):
        named = (step for one in commands for step in (_do(_EQUAL, one, otherwise=1), then))
        yield numbers, (_argument(1), *named, otherwise)


def _argument(index: int) -> bytes:
    return _do(_LOAD, _FIRST_ARGUMENT + 8 * index)


def _do(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction, and how many to skip after it."""
    return struct.pack("=HBBI", code, then, otherwise, value)


_OPEN_TO_READ: tuple[Rule, ...] = tuple(
    (numbers, (_argument(flags), _do(_ANY_BIT, WRITES, otherwise=1), _do(_RETURN, _NO), _do(_RETURN, _ALLOW)))
    for numbers, flags in (((2, None), 1), ((257, 56), 2))  # open, openat
)
