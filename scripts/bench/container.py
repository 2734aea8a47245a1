"""How large is the image, how long does its build take, and how long is it from nothing to the first answer?

Prints one line of JSON. The base is laid out from Debian's packages, and the Dockerfile built (`build_seconds`: less,
where layers of an earlier build are kept), and the commands of docs/container.md are run: a key, the server, a folder,
a question (`first_answer_seconds`). `size_megabytes` is the image as it lies on a disk, `packed_megabytes` what a
registry sends: all layers together, packed with gzip. It needs root, mmdebstrap, Podman, Buildah and runc.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path

from scripts.bench.harness import Bench
from scripts.container.base import lay_out_base
from scripts.container.build import TAG, build
from scripts.container.place import newcomer, to_the_first_answer


def main() -> None:
    bench = Bench("container", __doc__)
    bench.add_argument("--tag", default=TAG, help="the name of the image (%(default)s)")
    bench.add_argument("--quick", action="store_true", help="without the size that a registry sends")
    options = bench.parse_args()
    lay_out_base()
    image = build(options.tag, "buildah", pull=False)
    with (
        tempfile.TemporaryDirectory(prefix="ragbase-container-") as folder,
        newcomer(Path(folder), options.tag) as there,
    ):
        start = time.monotonic()
        answer = json.loads(there.shell(to_the_first_answer())[-1])
        seconds = time.monotonic() - start
    figures = {
        "answered": answer["answered"],
        "build_seconds": round(image.seconds, 1),
        "first_answer_seconds": round(seconds, 1),
        "size_megabytes": round(image.size / 1e6),
    }
    if not options.quick:
        pack = ["bash", "-o", "pipefail", "-c", f"podman save {options.tag} | gzip | wc -c"]
        packed = subprocess.run(pack, capture_output=True, text=True, check=True)
        figures["packed_megabytes"] = round(int(packed.stdout) / 1e6)
    bench.say(figures)


if __name__ == "__main__":
    main()
