"""`python -m scripts.prose [FILE…]`: check the English of these pages, or of all. .vale.ini has the styles.

Vale is a program in Go with parts in C. go.mod and go.sum lock it with all that it is built from, and Go checks their
hashes. It is built once, and the user's cache folder keeps it. Its module also has the public styles. Rules of ours are
in styles/ragbase.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.local_cloud.process import cache_folder, exclusive

ROOT = Path(__file__).resolve().parents[2]
LOCK = Path(__file__).with_name("go.sum")
MODULE = "github.com/errata-ai/vale/v3"
PUBLIC = ("write-good", "proselint")
OURS = Path(__file__).with_name("styles")
MISSING = "left out: the English of the docs. Vale is built with Go and a C compiler, and PATH lacks one of them"


def main(files: Sequence[str]) -> int:
    if not shutil.which("go") or not (shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")):
        print(MISSING)
        return 0
    folder = vale_folder()
    with tempfile.TemporaryDirectory() as styles:
        for source in (folder / "styles", OURS):
            shutil.copytree(source, styles, dirs_exist_ok=True)
        options = ["--config", str(ROOT / ".vale.ini"), "--output", "line", "--no-wrap"]
        environment = os.environ | {"VALE_STYLES_PATH": styles}
        command = [str(folder / "vale"), *options, *(files or pages())]
        checked = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    print(checked.stdout, end="")
    return 1 if checked.stdout else checked.returncode  # Vale itself lets warnings pass


def pages() -> Sequence[str]:
    """Every page of the repository for its readers, committed or not: no test data, and no documents of the demo."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    others = ("tests/", "common/")
    return [name for name in names.split("\0") if (ROOT / name).is_file() and not name.startswith(others)]


def vale_folder() -> Path:
    """The folder with the program and its styles. One to four minutes of work if they are not there yet."""
    folder = cache_folder(f"vale-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]}")
    with exclusive(folder):
        if not (folder / "vale").exists():
            print("Building Vale (once, one to four minutes)", file=sys.stderr, flush=True)
            # Built next to its final place, then moved: an interrupted build leaves nothing broken behind.
            with tempfile.TemporaryDirectory(dir=folder) as place:
                _go("build", "-mod=readonly", "-o", place, f"{MODULE}/cmd/vale")
                source = Path(_go("list", "-mod=readonly", "-m", "-f", "{{.Dir}}", MODULE)) / "testdata" / "styles"
                for file in (file for style in PUBLIC for file in (source / style).rglob("*.yml")):
                    copy = folder / "styles" / file.relative_to(source)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    copy.write_bytes(file.read_bytes())  # without its mode: nobody may write the files of Go's cache
                (Path(place) / "vale").replace(folder / "vale")
    return folder


def _go(*arguments: str) -> str:
    ran = subprocess.run(["go", *arguments], cwd=LOCK.parent, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        sys.exit("Vale cannot be built. The lines above say what went wrong.")
    return ran.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
