"""The extras of the distribution, the modules that they install, and the command that installs an extra here.

An environment of a checkout may bring an extra when it is first needed. Its wrapper of the command (./scripts/ragbase)
then says by what, in the environment variable RAGBASE_ADD_EXTRA: the path of a program that takes the name of an extra,
says on standard error what it does, and exits with 0 when the extra is installed. Where a distribution of ragbase is
installed, the packages are its user's concern: the variable counts for nothing, and errors name the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from ragbase.domain.errors import Busy, MissingExtra

EXTRAS = {
    "process": ("chardet", "html_to_markdown", "numpy", "py3langid", "selectolax", "Stemmer", "yaml"),
    "answers": ("quicktok",),
    "embedded": ("watchdog",),
    "minilm": ("onnxruntime", "tokenizers"),
    "minilm-export": ("onnx", "safetensors", "tqdm"),
    "pdf": ("pypdfium2",),
    "office": ("xberg",),
    "ocr": ("PIL", "tesserocr"),
    "pictures": ("PIL",),
    "serve": ("flask", "waitress"),
    "cli": ("click", "rich"),
    "client": ("httpx2",),
    "eval": ("ir_measures",),
    "mcp": ("mcp",),
    "s3": ("boto3", "botocore"),
    "sources": ("protego",),
}
NEEDED = frozenset({"process", "embedded", "minilm", "cli"})
"""Without these extras nothing can be ingested. Without answers, `ragbase ask` fails; without pdf,
office or ocr, PDFs, some office documents, or pictures and scanned pages fail; without serve, `ragbase serve` fails;
without mcp, `ragbase mcp` fails; without s3 or sources, `ragbase sync` fails for s3:// or https://; without
minilm-export, the embedding model cannot be prepared here."""

CLOUD_EXTRAS = {
    "storage": ("google.cloud.storage",),
    "pubsub": ("google.pubsub_v1",),
    "firestore": ("google.cloud.firestore",),
    "weaviate": ("weaviate",),
    "qdrant": ("qdrant_client",),
    "cohere": ("cohere",),
    "openai": ("httpx2",),
    "vertex": ("google.auth", "httpx2"),
    "anthropic": ("httpx2",),
    "website": ("bs4", "dotenv", "requests", "tenacity"),
}
"""The clients for the services of the profile gcp. The functions do the rest of the work."""

_OF_OTHERS = {
    "langchain": ("langchain_core",),
    "llama-index": ("llama_index",),
    "testing": ("hypothesis", "pytest"),
}
"""What programs of others need to use ragbase, or to test what they add to it."""
_ALL = EXTRAS | CLOUD_EXTRAS | _OF_OTHERS
NOT_LOCAL = frozenset({"eval", "s3", *_OF_OTHERS, *CLOUD_EXTRAS})
"""What the extra local, which installs everything for one machine, leaves out."""

ADD_EXTRA = "RAGBASE_ADD_EXTRA"
_BRINGING = threading.Lock()
_NOT_BROUGHT: set[str] = set()
"""Extras that could not be brought. To try for every file would take long."""
_STDERR = 2
_INTERRUPTED = 130
_NOT_KNOWN = 3
"""The program's exit code for an extra that it does not know: then the error that names the command says all."""


def cloud_extras(vector_store: str, embedder: str, generator: str) -> list[str]:
    """The extras that the profile gcp needs with these settings."""
    chosen = dict.fromkeys((vector_store, embedder, generator))
    return ["storage", "pubsub", "firestore", *(one for one in chosen if one in CLOUD_EXTRAS)]


def extra_of(module: str) -> str:
    """The extra that installs a module; if none is known, the extra that installs everything."""
    for extra, packages in _ALL.items():
        if any(_within(module, package) or _within(package, module) for package in packages):
            return extra
    return "local"


def _within(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


@contextmanager
def naming_extras() -> Iterator[None]:
    """Raises MissingExtra in place of ModuleNotFoundError for a module that an extra installs."""
    try:
        yield
    except MissingExtra:
        raise
    except ModuleNotFoundError as error:
        module = error.name or ""
        if not any(_within(module, package) for packages in _ALL.values() for package in packages):
            raise
        raise MissingExtra(missing_module(module), name=module) from error


def check_installed(module: str) -> None:
    """Raises MissingExtra if the module is not installed. It is not imported: that may take long."""
    from importlib.util import find_spec

    try:
        found = find_spec(module) is not None
    except ValueError:  # it is imported, and says nothing of where it is from
        found = True
    if not found:
        raise MissingExtra(missing_module(module), name=module)


def brings_extras() -> bool:
    """Whether this environment brings extras that are not here."""
    return _adder() is not None


def is_on_demand(extra: str) -> bool:
    """Whether the extra is here, or comes when it is needed, unless that fails."""
    return _is_here(extra) or brings_extras()


def bring(extra: str) -> bool:
    """Whether the extra is here. If it is not, and this environment brings extras, it is installed first; other threads
    and processes wait meanwhile. Call it in the process that starts the one with limits, before it starts.

    Raises Busy if the installation was interrupted.
    """
    if _is_here(extra):
        return True
    adder = _adder()
    if adder is None:
        return False
    with _BRINGING:
        if not _is_here(extra) and extra not in _NOT_BROUGHT:
            _add(extra, adder)
    return _is_here(extra)


def _is_here(extra: str) -> bool:
    from importlib.util import find_spec

    return all(find_spec(module) is not None for module in _ALL[extra])


def _adder() -> str | None:
    """The program that brings extras; None without one, and where a distribution is installed."""
    adder = os.environ.get(ADD_EXTRA)
    return adder if adder and not _is_distribution() else None


@cache
def _is_distribution() -> bool:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution("ragbase")
    except PackageNotFoundError:
        return False
    return True


def _add(extra: str, adder: str) -> None:
    from importlib import invalidate_caches

    try:
        ended = subprocess.run([adder, extra], stdin=subprocess.DEVNULL, stdout=_STDERR, check=False)  # noqa: S603 - the wrapper's
    except OSError as error:
        sys.stderr.write(f"ragbase: {adder} cannot be run: {error.strerror}.\n")
        _NOT_BROUGHT.add(extra)
        return
    if ended.returncode < 0 or ended.returncode == _INTERRUPTED:
        raise Busy(f"The installation of the extra {extra} was interrupted. Run the command again.")
    invalidate_caches()
    if ended.returncode == _NOT_KNOWN:
        _NOT_BROUGHT.add(extra)
    elif not _is_here(extra):
        _NOT_BROUGHT.add(extra)
        sys.stderr.write(
            f"ragbase: The extra {extra} could not be installed. What needs it fails, all else works. Connect to the "
            "internet, start the command again, and retry what has failed.\n"
        )


def missing_module(module: str) -> str:
    """What to do about a module that cannot be imported."""
    extra = extra_of(module)
    homes = "" if extra == "local" else f" The extra {extra} has it"
    if homes:
        homes += "." if extra in NOT_LOCAL else ", and the extra local all that one machine needs."
    installed = (package for packages in _ALL.values() for package in packages if _within(module, package))
    return f"{next(installed, module)} is not installed.{homes} Install it with: {install_command(extra)}"


def install_command(*extras: str) -> str:
    """The command that installs extras of the package that is running, into its environment: from the folder, the file
    or the address that it came from, or else by its name, which pip finds among what is installed."""
    return f"{_pip()} install {_requirement(','.join(extras))}"


def _pip() -> str:
    """The pip of this environment. Its name is enough if a shell finds no other one by it."""
    import shlex
    import shutil

    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    return f"{shlex.quote(sys.executable)} -m pip"


def _requirement(extras: str) -> str:
    from importlib.metadata import PackageNotFoundError, distribution  # nothing else needs it

    named = f"'ragbase[{extras}]'"
    try:
        origin = distribution("ragbase").read_text("direct_url.json")
    except PackageNotFoundError:
        checkout = Path(__file__).resolve().parents[2]
        return f"-e '{checkout}[{extras}]'" if (checkout / "pyproject.toml").is_file() else named
    return (_requirement_of(json.loads(origin), extras) if origin else None) or named


def _requirement_of(origin: dict[str, Any], extras: str) -> str | None:
    """None if the file or the folder is no longer there. By the record of the installation (https://packaging.python.org/en/latest/specifications/direct-url/)."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    url = str(origin["url"])
    if url.startswith("file:"):
        editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
        place = url2pathname(urlsplit(url).path)
        return f"{editable}'{place}[{extras}]'" if Path(place).exists() else None
    vcs = origin.get("vcs_info")
    address = f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else url
    return f"'ragbase[{extras}] @ {address}'"
