"""What every source promises (ports/source.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from ragbase.domain.errors import EntryChanged, UnreadableSource
from ragbase.ports import DocumentSource, SourceEntry

NAMES = ["Z.md", "a b+%20.md", "a!/x.md", "a-b.md", "a.md", "a/b.md", "a/b/c.md", "a0.md", "ä.md", "日本.md"]
"""In the order of code points, which is neither that of folders nor that of a locale."""


@dataclass(frozen=True)
class SourceUnderTest:
    """`put` and `remove` take the names of entries. `outside` puts a file near the source, and not into it."""

    source: DocumentSource
    address: str
    root: str
    put: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    outside: Callable[[], object]
    missing: Callable[[], DocumentSource] | None = None
    """Another source of this kind, which is not there: its errors say "missing". None if none can be missing."""
    ending: str = ""
    """What the source adds to the name of a file."""
    keeps: bool = False
    """Whether it keeps what it has listed until it is read. Then it knows no sizes before, either."""


def given(tested: SourceUnderTest) -> list[SourceEntry]:
    """The entries that are not left out."""
    return [entry for entry in tested.source.entries() if entry.left_out is None]


def listed(tested: SourceUnderTest) -> dict[str, SourceEntry]:
    return {entry.name: entry for entry in given(tested)}


def text(tested: SourceUnderTest, entry: SourceEntry) -> bytes:
    return b"".join(tested.source.read(entry))


class SourceContract:
    """Inherit from it, and give it a fixture `tested`: a source without a file."""

    def test_it_has_an_address_and_a_root(self, tested: SourceUnderTest) -> None:
        assert (tested.source.address, tested.source.root) == (tested.address, tested.root)

    def test_it_lists_its_files_by_name_and_nothing_else(self, tested: SourceUnderTest) -> None:
        assert given(tested) == []
        for name in reversed(NAMES):
            tested.put(name, name.encode())
        tested.outside()
        entries = given(tested)
        if not tested.source.in_order:
            entries.sort(key=lambda entry: entry.name)
        assert [entry.name for entry in entries] == [name + tested.ending for name in NAMES]
        assert [entry.size for entry in entries] == [None if tested.keeps else len(name.encode()) for name in NAMES]
        assert [text(tested, entry) for entry in entries] == [name.encode() for name in NAMES]

    def test_it_lists_what_comes_after_a_name_or_all_without_order(self, tested: SourceUnderTest) -> None:
        for name in NAMES:
            tested.put(name, b"text")
        names = [name + tested.ending for name in NAMES]
        after = {name: names[place + 1 :] for place, name in enumerate(names)} | {
            "a-z.md, which is not there": names[4:]
        }
        for name, rest in after.items():
            found = [entry.name for entry in tested.source.entries(after=name) if entry.left_out is None]
            assert (found == rest) if tested.source.in_order else (sorted(found) == names)

    def test_a_mark_changes_with_the_bytes_only(self, tested: SourceUnderTest) -> None:
        tested.put("a.md", b"text 1")
        tested.put("b.md", b"text 1")
        before = listed(tested)
        assert listed(tested) == before

        tested.put("a.md", b"text 2")
        after = listed(tested)
        a, b = (name + tested.ending for name in ("a.md", "b.md"))
        assert after[a].mark != before[a].mark
        assert after[b] == before[b]

    def test_what_is_read_is_what_was_listed(self, tested: SourceUnderTest) -> None:
        tested.put("a.md", b"text 1")
        tested.put("b.md", b"text 1")
        before = listed(tested)
        tested.put("a.md", b"text 2")
        tested.remove("b.md")
        for entry in before.values():
            if tested.keeps:
                assert text(tested, entry) == b"text 1"
            with pytest.raises(EntryChanged, match=f"{entry.name.removesuffix(tested.ending)}.*again"):
                text(tested, entry)

    def test_a_large_file_is_read_as_it_is(self, tested: SourceUnderTest) -> None:
        data = bytes(range(256)) * 10_000
        tested.put("large.txt", data)
        tested.put("empty.txt", b"")
        entries = listed(tested)
        assert text(tested, entries["large.txt" + tested.ending]) == data
        assert text(tested, entries["empty.txt" + tested.ending]) == b""

    def test_a_source_that_is_not_there_is_refused(self, tested: SourceUnderTest) -> None:
        if tested.missing is not None:
            with pytest.raises(UnreadableSource, match="missing"):
                list(tested.missing().entries())
