"""The files that a process needs to read documents: Python, the libraries, and what these look up on the machine."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from functools import lru_cache
from importlib.machinery import all_suffixes
from pathlib import Path

_OF_THE_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/fonts",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/X11",
    "/usr/share/locale",
    "/usr/share/mime",
    "/usr/share/zoneinfo",
    "/dev/null",
    "/dev/urandom",
    "/dev/zero",
    "/sys/devices/system/cpu",
)
"""Libraries, and what these read: fonts for the pages of a PDF that has none of its own, names, times, processors."""

_OF_PACKAGES = (".dist-info", ".egg-info", ".libs")
"""Folders beside packages: what they add, and the libraries that came with them."""
_FOR_PACKAGES = ("site-packages", "dist-packages")
"""Folders that have nothing else."""


def library_files() -> tuple[str, ...]:
    """Files and folders, of which those that do not exist count for nothing.

    Where packages are installed, all of it. Any other folder of the search path may be somebody's home or hold the
    data folder: of that, only the packages and modules.
    """
    return _library_files(tuple(sys.path))


@lru_cache(maxsize=1)
def _library_files(search_path: tuple[str, ...]) -> tuple[str, ...]:
    installed = _installed()
    others = (folder for folder in search_path if folder and not _is_below(folder, installed))
    return (*_OF_THE_SYSTEM, *installed, *(file for folder in others for file in _packages(folder)))


def _installed() -> tuple[str, ...]:
    of_python = sysconfig.get_paths()
    folders = [of_python[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [*os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep), sys.pycache_prefix or ""]
    folders += [*site.getsitepackages(), site.getusersitepackages(), str(Path(sys.base_prefix, "lib"))]
    return tuple(dict.fromkeys(filter(None, folders)))


def _is_below(folder: str, others: tuple[str, ...]) -> bool:
    return any(Path(folder).absolute().is_relative_to(other) for other in others)


def _packages(folder: str) -> list[str]:
    place = Path(folder)
    if place.name in _FOR_PACKAGES:
        return [folder]
    try:
        return [str(path) for path in place.iterdir() if _is_importable(path)]
    except NotADirectoryError:  # a ZIP file
        return [folder]
    except OSError:
        return []


def _is_importable(path: Path) -> bool:
    if path.suffix in _OF_PACKAGES or path.name.endswith(tuple(all_suffixes())):
        return True
    return os.access(path / "__init__.py", os.F_OK)
