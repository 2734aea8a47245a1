"""What every bucket promises (ragbase.ports.Bucket)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import GenerationChanged, GenerationGone, InvalidObject
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.ports import StoredObject
from ragbase.testing.clock import VirtualClock
from ragbase.testing.examples import share
from tests.contract.adapters import BUCKET, BUCKETS, BucketUnderTest
from tests.contract.real_servers import in_prove, in_test

every_bucket = pytest.mark.parametrize("adapter", in_prove(BUCKETS))


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture(params=in_test(BUCKETS))
def tested(request: pytest.FixtureRequest, clock: VirtualClock) -> Iterator[BucketUnderTest]:
    with BUCKETS[request.param](clock) as tested:
        yield tested


def test_put_stores_a_live_generation_that_can_be_read_and_looked_up(tested: BucketUnderTest) -> None:
    metadata = {"ragbase-source": "notes/übersicht.md", "empty": ""}
    stored = tested.bucket.put("notes/a.md", b"# Title", metadata=metadata)

    assert (stored.bucket, stored.name, stored.size) == (BUCKET, "notes/a.md", 7)
    assert stored.md5 == hashlib.md5(b"# Title").hexdigest()
    assert (stored.content_type, stored.metadata) == ("text/markdown", metadata)
    assert tested.bucket.name == BUCKET
    assert tested.bucket.stat("notes/a.md") == stored
    assert tested.bucket.stat_many(["notes/a.md", "absent"]) == {"notes/a.md": stored}
    assert list(tested.bucket.list()) == [stored]
    assert tested.bucket.read("notes/a.md", stored.generation) == b"# Title"


def test_many_are_deleted_as_each_would_be(tested: BucketUnderTest) -> None:
    names = [f"{number:02}.md" for number in range(70)]
    stored = {name: tested.bucket.put(name, name.encode()) for name in names}
    kept = tested.bucket.put("kept.md", b"written since")
    tested.events()
    wanted = {**dict.fromkeys(names), names[0]: stored[names[0]].generation, "absent.md": None}

    removed = tested.bucket.delete_many({**wanted, kept.name: kept.generation - 1})

    assert removed == stored
    assert list(tested.bucket.list()) == [kept]
    assert tested.bucket.delete_many(wanted) == {}
    assert tested.bucket.delete_many({}) == {}
    announced = sorted(tested.events(), key=lambda event: event.name)
    assert announced == [one.event(EventKind.DELETED) for one in stored.values()]


def test_put_and_delete_announce_what_they_did(tested: BucketUnderTest) -> None:
    stored = tested.bucket.put("a.txt", b"text", metadata={"key": "value"})
    finalised = ObjectEvent(
        kind=EventKind.FINALISED,
        bucket=BUCKET,
        name="a.txt",
        generation=stored.generation,
        size=4,
        md5=stored.md5,
        content_type="text/plain",
        metadata={"key": "value"},
    )
    assert tested.events() == [finalised]

    assert tested.bucket.delete("a.txt") == stored
    assert tested.events() == [replace(finalised, kind=EventKind.DELETED)]


def test_a_deletion_can_ask_for_one_generation(tested: BucketUnderTest) -> None:
    old = tested.bucket.put("a.md", b"old")
    new = tested.bucket.put("a.md", b"new")
    assert tested.bucket.delete("a.md", generation=old.generation) is None
    assert tested.bucket.stat("a.md") == new
    assert tested.bucket.delete("a.md", generation=new.generation) == new
    assert tested.bucket.delete("a.md", generation=new.generation) is None
    assert tested.bucket.stat("a.md") is None


def test_what_is_not_there_has_no_facts_and_no_events(tested: BucketUnderTest) -> None:
    assert tested.bucket.stat("absent.md") is None
    assert tested.bucket.stat_many([]) == {}
    assert tested.bucket.delete("absent.md") is None
    assert list(tested.bucket.list()) == []
    with pytest.raises(GenerationGone, match=r"absent\.md"):
        tested.bucket.read("absent.md", 1)
    assert tested.events() == []


def test_no_number_comes_twice_not_even_for_equal_bytes_or_after_a_deletion(
    tested: BucketUnderTest, clock: VirtualClock
) -> None:
    """Nothing follows from the order of the numbers: Cloud Storage promises none, and the memory bucket has none."""
    generations = []
    for _ in range(3):
        generations.append(tested.bucket.put("a.md", b"same").generation)
        generations.append(tested.bucket.put("a.md", b"same").generation)
        tested.bucket.delete("a.md")
        clock.advance(timedelta(milliseconds=1))
    assert len(set(generations)) == len(generations)


def test_each_generation_has_the_time_at_which_it_was_written(tested: BucketUnderTest, clock: VirtualClock) -> None:
    first = tested.bucket.put("a.md", b"text")
    assert first.written_at.tzinfo is not None
    clock.advance(timedelta(hours=1))
    assert tested.bucket.stat("a.md") == first
    second = tested.bucket.put("a.md", b"text")
    assert second.written_at > first.written_at
    assert [stored.written_at for stored in tested.bucket.list()] == [second.written_at]


def test_only_the_live_generation_can_be_read(tested: BucketUnderTest) -> None:
    old = tested.bucket.put("a.md", b"old")
    new = tested.bucket.put("a.md", b"new")
    with pytest.raises(GenerationGone, match=str(old.generation)):
        tested.bucket.read("a.md", old.generation)
    assert tested.bucket.read("a.md", new.generation) == b"new"

    tested.bucket.delete("a.md")
    with pytest.raises(GenerationGone, match=str(new.generation)):
        tested.bucket.read("a.md", new.generation)
    assert tested.bucket.delete("a.md") is None


def test_a_put_that_replaces_a_generation_replaces_no_other(tested: BucketUnderTest) -> None:
    first = tested.bucket.put("a.md", b"first", replaces=0)
    for other in (0, first.generation + 1):
        with pytest.raises(GenerationChanged, match=r"a\.md"):
            tested.bucket.put("a.md", b"lost", replaces=other)
    second = tested.bucket.put("a.md", b"second", replaces=first.generation)
    assert tested.bucket.stat("a.md") == second
    with pytest.raises(GenerationChanged):
        tested.bucket.put("a.md", b"lost", replaces=first.generation)
    tested.bucket.delete("a.md")
    with pytest.raises(GenerationChanged):
        tested.bucket.put("a.md", b"lost", replaces=second.generation)
    third = tested.bucket.put("a.md", b"third", replaces=0)
    assert tested.bucket.read("a.md", third.generation) == b"third"
    announced = [event.generation for event in tested.events() if event.kind is EventKind.FINALISED]
    assert announced == [first.generation, second.generation, third.generation]


def test_of_threads_that_want_to_be_the_first_one_is(tested: BucketUnderTest) -> None:
    def put(number: int) -> StoredObject | None:
        try:
            return tested.bucket.put("a.md", b"%d" % number, replaces=0)
        except GenerationChanged:
            return None

    with ThreadPoolExecutor(8) as pool:
        (first,) = filter(None, pool.map(put, range(24)))
    assert tested.bucket.stat("a.md") == first


def test_put_replaces_content_type_and_metadata(tested: BucketUnderTest) -> None:
    tested.bucket.put("a", b"text", content_type="text/markdown", metadata={"old": "1"})
    replaced = tested.bucket.put("a", b"text", content_type="application/json", metadata={"new": "2"})
    assert (replaced.content_type, replaced.metadata) == ("application/json", {"new": "2"})
    assert tested.bucket.stat("a") == replaced


@pytest.mark.parametrize(
    ("name", "data", "content_type"),
    [
        ("a.MD", b"%PDF-1.7", "text/markdown"),
        ("a.json", b"", "application/json"),
        ("scan", b"%PDF-1.7\n\0\1", "application/pdf"),
        ("README", "naïve".encode(), "text/plain"),
        ("README", ("x" * 4095 + "ï").encode(), "text/plain"),
        ("README", "text".encode("utf-16"), "text/plain"),
        ("core", b"\x7fELF\0\0", "application/octet-stream"),
        ("latin", "naïve".encode("latin-1") + b"!", "text/plain"),
        ("empty", b"", "application/octet-stream"),
        ("page.html", b"text", "text/html"),
        ("notes.xyz", b"text", "text/plain"),
        ("data.xyz", b"\0\1", "application/octet-stream"),
    ],
)
def test_the_name_or_else_the_content_decides_the_content_type(
    tested: BucketUnderTest, name: str, data: bytes, content_type: str
) -> None:
    assert tested.bucket.put(name, data).content_type == content_type


@pytest.mark.parametrize(
    "name",
    ["", "/a.md", "a/", "a//b", ".", "..", "a/../b", "./a", "a\0b", "x" * 256, "ü" * 128, "\udcff.md"],
)
def test_a_name_that_is_no_relative_path_is_refused(tested: BucketUnderTest, name: str) -> None:
    with pytest.raises(InvalidObject) as refusal:
        tested.bucket.put(name, b"text")
    assert repr(name) in str(refusal.value)
    assert tested.bucket.stat(name) is None
    assert list(tested.bucket.list()) == []
    assert tested.events() == []


def test_metadata_that_is_no_unicode_is_refused(tested: BucketUnderTest) -> None:
    with pytest.raises(InvalidObject, match="UTF-8"):
        tested.bucket.put("a.md", b"text", metadata={"source": "\udcff"})
    assert tested.events() == []


@pytest.mark.parametrize(
    "name",
    [
        "two words.md",
        "🦊/日本.md",
        "line\nbreak.md",
        "50%_[a-z]*?.md",
        ".hidden/.file.md",
        "...",
        "x" * 255,
        "a\\b",
    ],
)
def test_any_other_name_works(tested: BucketUnderTest, name: str) -> None:
    stored = tested.bucket.put(name, b"text")
    assert tested.bucket.read(name, stored.generation) == b"text"
    assert [event.name for event in tested.events()] == [name]
    assert list(tested.bucket.list(name)) == [stored]


def _fits(name: str) -> bool:
    return name not in {".", ".."} and len(name.encode()) <= 255


# Mostly characters that sort, match or encode in a special way, so that prefixes are often shared.
_LETTERS = st.sampled_from("aA%_*[ é\U0010ffff\ue000\U0001f98a") | st.characters(codec="utf-8")
_WORDS = st.text(_LETTERS, max_size=6)
_PART = _WORDS.map(lambda word: word.replace("/", "").replace("\0", "")).filter(bool).filter(_fits)
_NAMES = st.one_of(_PART.map("f".__add__), st.tuples(_PART, _PART).map(lambda parts: f"d{parts[0]}/{parts[1]}"))


@pytest.mark.slow
@every_bucket
@share(0.25)
@given(names=st.lists(_NAMES, max_size=8, unique=True), prefix=st.one_of(_WORDS, _NAMES), cut=st.integers(0, 4))
def test_list_gives_the_live_objects_with_a_prefix_by_name(
    adapter: str, names: list[str], prefix: str, cut: int
) -> None:
    prefix = prefix[:cut]
    with BUCKETS[adapter](VirtualClock()) as tested:
        for name in names:
            tested.bucket.put(name, b"text")
        for name in names[::3]:
            tested.bucket.delete(name)
        live = set(names) - set(names[::3])
        expected = sorted(name for name in live if name.startswith(prefix))
        assert [stored.name for stored in tested.bucket.list(prefix)] == expected
        for after in (*names[:3], prefix):
            later = [name for name in expected if name > after]
            assert [stored.name for stored in tested.bucket.list(prefix, after=after)] == later


def test_a_long_list_is_complete_and_may_be_changed_meanwhile(tested: BucketUnderTest) -> None:
    # A page of the folder's listing has 500 names. The name after the first page begins with the last name on it.
    names = [*(f"{number:04}.md" for number in range(499)), "n", "n!", "n!!", "o"]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: tested.bucket.put(name, b"text"), names))
    listed = []
    for stored in tested.bucket.list():
        listed.append(stored.name)
        if stored.name.endswith("00.md"):
            tested.bucket.delete(stored.name)
    assert listed == names
    assert len(list(tested.bucket.list())) == 498


_CONTENT = st.none() | st.binary(max_size=3)
_STEPS = st.lists(st.tuples(st.sampled_from(["a.md", "b.md", "f/c.md"]), _CONTENT), max_size=12)


@pytest.mark.slow
@every_bucket
@share(0.2)
@given(steps=_STEPS)
def test_after_any_puts_and_deletes_the_bucket_holds_what_was_put_last(
    adapter: str, steps: Sequence[tuple[str, bytes | None]]
) -> None:
    expected: dict[str, bytes] = {}
    announced = []
    with BUCKETS[adapter](VirtualClock()) as tested:
        for name, data in steps:
            if data is not None:
                expected[name] = data
                announced.append((EventKind.FINALISED, tested.bucket.put(name, data)))
            else:
                gone = tested.bucket.delete(name)
                assert (gone is not None) == (expected.pop(name, None) is not None)
                announced += [(EventKind.DELETED, gone)] if gone else []
        held = {stored.name: tested.bucket.read(stored.name, stored.generation) for stored in tested.bucket.list()}
        assert held == expected
        assert tested.events() == [stored.event(kind) for kind, stored in announced]


def test_threads_that_write_the_same_names_leave_one_whole_object_each(tested: BucketUnderTest) -> None:
    work = [(f"folder/{number % 3}.md", b"%d" % number * 2000) for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        puts = list(pool.map(lambda item: tested.bucket.put(*item), work))

    assert len({(stored.name, stored.generation) for stored in puts}) == len(work)
    assert Counter(event.generation for event in tested.events()) == Counter(stored.generation for stored in puts)
    for stored in tested.bucket.list():
        assert stored in puts
        data = tested.bucket.read(stored.name, stored.generation)
        assert (stored.name, data) in work
        assert hashlib.md5(data).hexdigest() == stored.md5


def test_threads_that_write_read_and_delete_see_whole_generations_only(tested: BucketUnderTest) -> None:
    contents = {b"%d" % number * 5000 for number in range(20)}
    seen = []

    def write(data: bytes) -> None:
        tested.bucket.put("a.md", data)
        tested.bucket.delete("a.md")
        tested.bucket.put("a.md", data)

    def look(_: int) -> None:
        live = tested.bucket.stat("a.md")
        if live is not None:
            try:
                seen.append(tested.bucket.read("a.md", live.generation))
            except GenerationGone:
                return

    with ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(write, data) for data in contents]
        list(pool.map(look, range(100)))
        for done in writes:
            done.result()
    look(0)
    assert seen
    assert set(seen) <= contents
    finalised = [event for event in tested.events() if event.kind is EventKind.FINALISED]
    assert len(finalised) == 2 * len(contents)
