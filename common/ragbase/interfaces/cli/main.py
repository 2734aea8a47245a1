"""The entry point of `ragbase`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    _open_closed_streams()
    try:
        from ragbase.interfaces.cli.application import application
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        from ragbase.extras import install_command

        sys.exit(f"Error: the command line is not installed. Install it with: {install_command('local')}")
    for stream in (sys.stdout, sys.stderr):
        # If a terminal cannot show a character, it gets an escape instead of a crash.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # both are TextIOWrappers here
    application(prog_name="ragbase")


def _open_closed_streams() -> None:
    """Standard streams that are closed lead to the null device. Otherwise the next file that is opened, such as the
    database, would take the number of the stream, and everything that is written to it."""
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is that of the stream
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


if __name__ == "__main__":
    main()
