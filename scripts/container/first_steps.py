"""docs/container.md, as a newcomer follows it: its blocks in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.container.place import Place, place
from tests.page_blocks import blocks_of

NOTICE = "The harbour master closes the gate at eleven o'clock every evening."


def blocks() -> Sequence[str]:
    """What the page tells to paste, without the build."""
    return [block.text for block in blocks_of("docs/container.md", "To the first answer")]


def to_the_first_answer() -> str:
    """The blocks of the page, but for the last one, which stops the server."""
    return "".join(block for block in blocks() if not block.startswith("docker compose down"))


@contextmanager
def newcomer(folder: Path, image: str) -> Iterator[Place]:
    """A home folder with a handbook. In the end, nothing of what the page starts is left. Raises NotInstalled."""
    with place(folder, {"ragbase": image}) as there:
        handbook = folder / "home" / "handbook"
        handbook.mkdir()
        handbook.chmod(0o755)
        (handbook / "notice.md").write_text(f"# Notice\n\n{NOTICE}\n", encoding="utf-8")
        yield there
