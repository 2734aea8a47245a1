"""What keeps a reader from the rest of the machine here, what this machine lacks for it, and what a process that reads
files says of that when it starts."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from ragbase import telemetry
from ragbase.domain.errors import ConfigurationError

LANDLOCK_WITH_SCOPES = 6
"""The version that keeps signals in."""


class Protection(StrEnum):
    """What code in a reader cannot do, even if a document has taken it over."""

    ENVIRONMENT = "environment"
    PRIVILEGES = "privileges"
    READING = "reading"
    WRITING = "writing"
    NETWORK = "network"
    PROGRAMS = "programs"
    SIGNALS = "signals"


MEANING = {
    Protection.ENVIRONMENT: "sees no variable of this process, such as a key",
    Protection.PRIVILEGES: "gets no more rights, and gives up those of root",
    Protection.READING: "opens no file but its libraries",
    Protection.WRITING: "changes no file",
    Protection.NETWORK: "opens no socket",
    Protection.PROGRAMS: "starts no process",
    Protection.SIGNALS: "reaches no other process",
}

REMEDY = (
    "It takes Linux 5.13 or newer on x86_64 or aarch64, with Landlock among the security modules "
    "(/sys/kernel/security/lsm) and without a container's rule against it."
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """What this one has: the version of Landlock (0: none), and filters of system calls for this kind of machine."""

    landlock: int
    has_filters: bool

    @property
    def lacks(self) -> tuple[Protection, ...]:
        missing: list[Protection] = []
        if sys.platform != "linux":
            missing.append(Protection.PRIVILEGES)
        if not self.landlock:
            missing.append(Protection.READING)
        if not self.has_filters:
            missing += (Protection.NETWORK, Protection.PROGRAMS)
            if not self.landlock:
                missing.append(Protection.WRITING)
            if self.landlock < LANDLOCK_WITH_SCOPES:
                missing.append(Protection.SIGNALS)
        return tuple(missing)


def hide_variables(kernel: Kernel) -> None:
    """Where a reader can read /proc, and is of the same user, keep this process's variables out of it."""
    if sys.platform == "linux" and not kernel.landlock:
        from ragbase.formats.sandbox.kernel import hide_from_user

        hide_from_user()


@cache
def this_kernel() -> Kernel:
    """Asked once: what a process has does not change."""
    if sys.platform != "linux":
        return Kernel(0, has_filters=False)
    from ragbase.formats.sandbox.kernel import has_call_filters, landlock_version
    from ragbase.formats.sandbox.system_calls import MACHINES

    return Kernel(landlock_version(), has_filters=os.uname().machine in MACHINES and has_call_filters())


def check_sandbox(*, required: bool) -> None:
    """Log what this system has. Raises ConfigurationError if all of it is required, and something is lacking."""
    kernel = this_kernel()
    telemetry.log(
        "sandbox.ready",
        level=logging.WARNING if kernel.lacks else logging.INFO,
        landlock=kernel.landlock,
        call_filter=kernel.has_filters,
        lacks=", ".join(kernel.lacks),
    )
    if required and kernel.lacks:
        raise ConfigurationError(
            f'The setting sandbox is "required". {not_held(kernel.lacks)} {REMEDY} Use such a system, or set sandbox '
            'to "available".'
        )


def not_held(protections: Iterable[Protection]) -> str:
    return f"This system does not ensure that a reader {', '.join(MEANING[one] for one in protections)}."
