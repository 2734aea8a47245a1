"""How Podman runs containers here."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Mapping
from pathlib import Path


def engine_environment(folder: Path) -> Mapping[str, str]:
    """The variables of this process, and one that names the settings of Podman, which are written into the folder.

    Podman raises limits of processes to fixed numbers, which a machine may refuse: this process's own are taken. runc
    also runs where both versions of control groups are mounted; crun does not.
    """
    limits = [f'"{name}={soft}:{hard}"' for name, (soft, hard) in _limits().items()]
    lines = ["[containers]", f"default_ulimits = [{', '.join(limits)}]"]
    if shutil.which("runc"):
        lines += ["[engine]", 'runtime = "runc"']
    file = folder / "containers.conf"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return os.environ | {"CONTAINERS_CONF": str(file)}


def _limits() -> Mapping[str, tuple[int, int]]:
    kinds = {"nofile": (resource.RLIMIT_NOFILE, 4096), "nproc": (resource.RLIMIT_NPROC, 4096)}
    found = {}
    for name, (kind, most) in kinds.items():
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(hard, most)
        found[name] = (limit, limit)
    return found
