"""`scripts/docs build [--out FOLDER]` and `scripts/docs serve`. A broken link or anchor is an error."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from mkdocs.commands import build, serve
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, ConfigurationError

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = str(ROOT / "mkdocs.yml")


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/docs", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="write the site, and stop at the first page that is wrong")
    building.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="the folder (build/site)")
    commands.add_parser("serve", help="show the site at http://127.0.0.1:8000, and build it again at every change")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        if options.command == "serve":
            serve.serve(SETTINGS, dev_addr="127.0.0.1:8000")
        else:
            build.build(load_config(SETTINGS, site_dir=str(options.out.resolve())))
            print(f"The site is in {options.out}")
    except (Abort, ConfigurationError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
