"""`image [--tag NAME] [--lay-out-base]`: build the image from the Dockerfile, and print its size as JSON.

With --lay-out-base, the image that the Dockerfile begins with is not pulled, but laid out from Debian's packages (this
needs root, mmdebstrap, Podman and Buildah). The configuration of pip and npm on this machine, and the certificates that
it trusts, are given to the build as secrets."""

from __future__ import annotations

import argparse
import json
import sys

from scripts.container.base import lay_out_base
from scripts.container.build import TAG, build, builder
from scripts.local_cloud.missing_server import Missing


def main() -> int:
    parser = argparse.ArgumentParser(prog="image", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tag", default=TAG, help=f"the name of the image ({TAG})")
    parser.add_argument("--lay-out-base", action="store_true", help="make the base from Debian's packages")
    given = parser.parse_args()
    try:
        if given.lay_out_base:
            lay_out_base()
        built = build(given.tag, "buildah" if given.lay_out_base else builder(), pull=not given.lay_out_base)
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 1
    print(json.dumps({"image": built.tag, "megabytes": round(built.size / 1e6), "seconds": round(built.seconds, 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
