"""A sync takes all forms of a name for one, wherever the source and the bucket list them (domain/name_forms.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragbase.domain.left_out import OTHER_FORM
from ragbase.domain.name_forms import nfc, nfd, precedence
from ragbase.ports import Bucket
from ragbase.ports.canonical_bucket import CanonicalBucket
from ragbase.sources.expand import expand
from ragbase.sources.folder import object_name
from ragbase.sources.pairs import pairs
from ragbase.sources.sync import sync
from ragbase.sources.sync_step import SourceChange
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock
from ragbase.testing.source import MemorySource

ROOT = "Vertr\u00e4ge/"
NAMES = [
    "a.md",
    "e\u0301.md",
    "\u00e9.md",
    "f.md",
    "z.md",
    "273\u212a.md",
    "273K.md",
    "\u212bx.md",
    "\u795e/e\u0301.md",
]
NAMES += ["\ufa19/\u00e9.md", nfd("\ud55c.md"), "\ud55c.md"]


def theirs() -> MemoryBucket:
    return MemoryBucket("documents", lambda _: None, VirtualClock())


def source_of(*names: str, in_order: bool = True) -> MemorySource:
    source = MemorySource("memory://docs/", root=nfd(ROOT), in_order=in_order)
    source.files = {name: f"text of {name!a}".encode() for name in names}
    return source


def changes(source: MemorySource, bucket: Bucket, delete: bool = False) -> dict[str, SourceChange]:
    return {step.source.removeprefix("memory://docs/"): step.change for step in sync(source, bucket, delete=delete)}


@pytest.mark.parametrize("in_order", [True, False])
def test_a_file_is_not_brought_again_under_another_form(in_order: bool) -> None:
    held, source = theirs(), source_of("a.md", nfd("\u00e9.md"), "f.md", "\u212b.md", "z.md", in_order=in_order)
    bucket = CanonicalBucket(held)
    assert set(changes(source, bucket, delete=True).values()) == {SourceChange.ADDED}
    assert {one.name for one in held.list()} == {f"{ROOT}{nfc(name)}" for name in source.files}
    before = list(held.list())

    assert set(changes(source, bucket, delete=True).values()) == {SourceChange.UNCHANGED}
    source.files = {nfc(name): data for name, data in source.files.items()}
    assert set(changes(source, bucket, delete=True).values()) == {SourceChange.UNCHANGED}
    assert list(held.list()) == before


def test_what_an_older_sync_has_brought_stays_and_goes_with_its_file() -> None:
    held, source = theirs(), source_of(*(f"{number}.md" for number in range(9)), nfd("\u00e9.md"))
    for step in sync(source, held, root=nfd(ROOT)):
        assert step.stored is not None
    for stored in list(held.list()):  # as an older version has named them
        data = held.read(stored.name, stored.generation)
        metadata = dict(stored.metadata) | {"ragbase-sync-root": nfd(ROOT)}
        held.delete(stored.name)
        held.put(nfd(stored.name), data, metadata=metadata)
    bucket = CanonicalBucket(held)
    assert set(changes(source, bucket, delete=True).values()) == {SourceChange.UNCHANGED}

    del source.files[nfd("\u00e9.md")]
    assert SourceChange.DELETED in changes(source, bucket, delete=True).values()
    assert len(list(held.list())) == 9


@pytest.mark.parametrize("in_order", [True, False])
def test_of_two_files_with_forms_of_one_name_one_is_left_out_and_named(in_order: bool) -> None:
    source, held = source_of("a.md", "e\u0301.md", "\u00e9.md", in_order=in_order), theirs()
    steps = list(sync(source, CanonicalBucket(held)))
    (left_out,) = [step for step in steps if step.change is SourceChange.LEFT_OUT]
    assert (left_out.left_out, left_out.source) == (OTHER_FORM, "memory://docs/e\u0301.md")
    (stored,) = held.list(f"{ROOT}\u00e9")
    assert held.read(stored.name, stored.generation) == source.files["\u00e9.md"]


_ROOTS = st.sampled_from([ROOT, nfd(ROOT)])
"""How the bucket has the folder."""
_FEW = st.lists(st.sampled_from(NAMES), unique=True, max_size=8)


@given(entries=_FEW, objects=_FEW, in_order=st.booleans(), stop=st.integers(0, 8), root=_ROOTS)
@example(entries=["a.md", "\u00e9.md", "\u212bx.md"], objects=["\u00c5x.md"], in_order=True, stop=0, root=ROOT)
@example(entries=["a.md", "\u00e9.md", "\u212bx.md"], objects=[], in_order=True, stop=1, root=ROOT)
@example(entries=["a.md"], objects=["\u00e9.md"], in_order=True, stop=1, root=ROOT)
def test_every_name_comes_once_in_whatever_form_and_order(
    entries: list[str], objects: list[str], in_order: bool, stop: int, root: str
) -> None:
    held, source = theirs(), source_of(*entries, in_order=in_order)
    bucket = CanonicalBucket(held)
    for name in objects:
        held.put(root + name, b"text")
    expected = {ROOT + nfc(name) for name in (*entries, *objects)}

    found = list(pairs(source, bucket, nfd(ROOT)))
    counted = [pair for pair in found if pair.entry is None or pair.entry.left_out is not OTHER_FORM]
    assert sorted(pair.name for pair in counted) == sorted(expected)
    left_out = [pair.entry.name for pair in found if pair.entry is not None and pair.entry.left_out is OTHER_FORM]
    assert len(left_out) == len(set(left_out)) == len(entries) - len({nfc(name) for name in entries})

    after = found[min(stop, len(found)) - 1].place if found and stop else ""
    later = list(pairs(source, bucket, nfd(ROOT), after=after))  # as after an interruption
    assert {pair.name for pair in (*found[:stop], *later)} == expected
    for pair in (*counted, *(pair for pair in later if pair.entry is None or pair.entry.left_out is not OTHER_FORM)):
        forms = [name for name in entries if ROOT + nfc(name) == pair.name]
        assert (pair.entry.name if pair.entry is not None else None) == min(forms, key=precedence, default=None)
        stored = bucket.stat(pair.name)
        assert pair.stored == stored


def test_of_two_local_files_with_forms_of_one_name_one_is_left_out_and_named(tmp_path: Path) -> None:
    for name in ("a.md", "e\u0301.md", "\u00e9.md"):
        (tmp_path / name).write_text("text", encoding="utf-8")
    if len(list(tmp_path.iterdir())) == 3:  # a disk of a Mac has room for one of them
        expanded = expand([tmp_path])
        assert [file.path.name for file in expanded.files] == ["a.md", "\u00e9.md"]
        assert [(Path(path).name, why) for path, why in expanded.left_out] == [("e\u0301.md", OTHER_FORM)]
    assert object_name(tmp_path / "e\u0301.md") == object_name(tmp_path / "\u00e9.md")
