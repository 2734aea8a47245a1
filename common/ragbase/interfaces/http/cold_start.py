"""Importing this module makes the start of a function quicker. A function's main.py imports it before anything else of
ragbase.

- It puts off Python's garbage collector until the function has loaded what it needs. What a function loads, up to its
  first answer, stays until the function ends. With Python's own setting, the collector looks through it again and
  again, and finds little: a tenth of the CPU time of a cold start.
- It turns off the plugins of pydantic (https://docs.pydantic.dev/latest/concepts/plugins/). The functions use none, and
  the search for them costs 1 to 2 % of the CPU time of a cold start: it reads the metadata of every installed package.
  To use a plugin, set PYDANTIC_DISABLE_PLUGINS yourself. A value that is set stays.
"""

from __future__ import annotations

import gc
import os

_LOADED = 300_000
"""New objects before the collector runs for the first time: more than any function makes up to its first answer."""
_COLLECT_AFTER = 10_000
"""New objects after which it looks at the youngest from then on. Python's 700 is for programs with little memory."""


def _collect_as_usual(phase: str, info: dict[str, int]) -> None:
    """What the collector calls when it runs for the first time."""
    gc.callbacks.remove(_collect_as_usual)
    gc.set_threshold(_COLLECT_AFTER, *gc.get_threshold()[1:])


gc.set_threshold(_LOADED, *gc.get_threshold()[1:])
gc.callbacks.append(_collect_as_usual)
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
