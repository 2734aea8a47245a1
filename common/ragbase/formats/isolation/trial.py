"""Whether the protections hold here: not what the kernel says, but what a script in a reader's place can do."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from ragbase.formats.isolation import attempts
from ragbase.formats.isolation.protections import Protection
from ragbase.formats.sandbox import environment, run_sandboxed

_SCRIPT = Path(attempts.__file__)
_MEMORY, _OUTPUT, _SECONDS = 1 << 30, 1 << 16, 30.0


def broken_protections() -> tuple[Protection, ...]:
    """Those that do not hold. Raises as `run_sandboxed`."""
    with tempfile.NamedTemporaryFile() as file:
        said = json.loads(
            run_sandboxed(
                _SCRIPT, b"", memory_bytes=_MEMORY, output_bytes=_OUTPUT, seconds=_SECONDS, options=(file.name,)
            )
        )
    broken = {Protection(name) for name in said["possible"]}
    if set(said["variables"]) - set(environment(MALLOC_ARENA_MAX="", LC_CTYPE="")):  # Python sets LC_CTYPE itself
        broken.add(Protection.ENVIRONMENT)
    return tuple(one for one in Protection if one in broken)
