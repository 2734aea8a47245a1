"""Weaviate's server from its source code, without what this project never uses: the modules that call the services of
other companies, and the dictionary for Korean. Compiling those takes more than half of the time of the whole.

Nothing else is changed. Without a setting that enables a module, the server of the release does not run them either.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from scripts.local_cloud.missing_server import Missing

MODULE = "github.com/weaviate/weaviate"
PROGRAM = "weaviate-server"

_KOREAN = "github.com/ikawaha/kagome-dict-ko"
_NO_KOREAN = """package ko

import "github.com/ikawaha/kagome-dict/dict"

func Dict() *dict.Dict { panic("this Weaviate was built without its dictionary for Korean") }
"""
_IMPORT = re.compile(rf'^\t(mod\w+) "{MODULE}/modules/[^"]+"\n', re.MULTILINE)
_REGISTERS = re.compile(r"^\t+appState\.Modules\.Register\(mod\w+\.New\w*\(.*\)\)\n", re.MULTILINE)
_CHANGED = ("adapters/handlers/rest/configure_api.go", "usecases/schema/tenant.go")
"""The files that name all modules, or one that names a company's storage."""


def build_weaviate(version: str, folder: Path) -> Path:
    """Build the server in `folder`, which is new, and return its path. Raises Missing without Go."""
    go = shutil.which("go")
    if go is None:
        raise Missing(f"Weaviate {version} is missing, and building it needs Go. Install Go.")
    downloaded = json.loads(_run([go, "mod", "download", "-json", f"{MODULE}@v{version}"], folder))
    source = folder / "source"
    _copy(Path(downloaded["Dir"]), source)
    for file in _CHANGED:
        leave_out_modules(source / file)
    korean = source / "without_korean"
    korean.mkdir()
    (korean / "dict.go").write_text(_NO_KOREAN, encoding="utf-8")
    (korean / "go.mod").write_text(f"module {_KOREAN}\n", encoding="utf-8")
    _run([go, "mod", "edit", f"-replace={_KOREAN}=./{korean.name}"], source)
    # Neither symbols nor what a debugger needs: the compiler writes that for each package, and the linker joins it.
    flags = ["-mod=mod", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags=-s -w"]
    _run([go, "build", *flags, "-o", str(folder / PROGRAM), f"./cmd/{PROGRAM}"], source)
    return folder / PROGRAM


def leave_out_modules(file: Path) -> None:
    """Take the imports of modules out of a file, the calls that register them, and their names."""
    text = file.read_text(encoding="utf-8")
    modules = "|".join(_IMPORT.findall(text))
    if not modules:
        raise ValueError(f"{file} imports no modules: this Weaviate is another than the one that is known here.")
    text = _REGISTERS.sub("", _IMPORT.sub("", text))
    file.write_text(re.sub(rf"\b(?:{modules})\.(?:Legacy)?Name\b", '""', text), encoding="utf-8")


def _copy(module: Path, source: Path) -> None:
    """Go keeps its downloads read-only."""
    shutil.copytree(
        module, source, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("*_test.go", "test", "docs")
    )
    for folder in (source, *(path for path in source.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def _run(command: list[str], folder: Path) -> str:
    ended = subprocess.run(command, env=_environment(), cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise Missing(f"`{' '.join(command)}` failed: {(ended.stderr or ended.stdout).strip()[-500:]}")
    return ended.stdout


def _environment() -> Mapping[str, str]:
    return os.environ | {"CGO_ENABLED": "0", "GOWORK": "off"}
