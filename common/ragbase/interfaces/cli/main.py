"""The entry point of `ragbase`."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from ragbase.interfaces.cli.application import application
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit("Error: the command line is not installed. Install it with: pip install 'ragbase[cli]'")
    for stream in (sys.stdout, sys.stderr):
        # If a terminal cannot show a character, it gets an escape instead of a crash.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # both are TextIOWrappers here
    application(prog_name="ragbase")


if __name__ == "__main__":
    main()
