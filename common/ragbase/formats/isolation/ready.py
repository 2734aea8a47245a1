"""What a process that reads files says of their readers' isolation when it starts."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from ragbase import telemetry
from ragbase.domain.errors import ConfigurationError
from ragbase.formats.isolation.protections import MEANING, Protection, this_kernel

REMEDY = (
    "It takes Linux 5.13 or newer on x86_64 or aarch64, with Landlock among the security modules "
    "(/sys/kernel/security/lsm) and without a container's rule against it."
)


def check_isolation(*, required: bool) -> None:
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
