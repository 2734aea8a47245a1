"""How large is the image, how long does its build take, and how long is it from nothing to the first answer?

Prints one line of JSON. The base is laid out from Debian's packages, and the Dockerfile built (`build_seconds`: less,
where layers of an earlier build are kept), and the commands of docs/container.md are run: a key, the server, a folder,
a question (`first_answer_seconds`). `size_megabytes` is the image as it lies on a disk, `packed_megabytes` what a
registry sends: all layers together, packed with gzip. It needs root, mmdebstrap, Podman, Buildah and runc.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

from scripts.bench.machine import machine
from scripts.container.base import lay_out_base
from scripts.container.build import TAG, build
from scripts.container.place import newcomer, to_the_first_answer


def main() -> None:
    argparse.ArgumentParser(prog="scripts/bench/container", description=__doc__.splitlines()[0]).parse_args()
    lay_out_base()
    image = build(TAG, "buildah", pull=False)
    with tempfile.TemporaryDirectory(prefix="ragbase-container-") as folder, newcomer(Path(folder), TAG) as there:
        start = time.monotonic()
        answer = json.loads(there.shell(to_the_first_answer())[-1])
        seconds = time.monotonic() - start
    packed = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"podman save {TAG} | gzip | wc -c"],
        capture_output=True,
        text=True,
        check=True,
    )
    figures = {
        "answered": answer["answered"],
        "build_seconds": round(image.seconds, 1),
        "first_answer_seconds": round(seconds, 1),
        "size_megabytes": round(image.size / 1e6),
        "packed_megabytes": round(int(packed.stdout) / 1e6),
    }
    print(json.dumps({"bench": "container", **figures, "machine": machine()}))


if __name__ == "__main__":
    main()
