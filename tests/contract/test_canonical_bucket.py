"""The bucket of the documents has one object for each name, over every bucket (ports/canonical_bucket.py)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import GenerationChanged, GenerationGone
from ragbase.domain.name_forms import nfc, nfd, precedence
from ragbase.domain.object_event import EventKind
from ragbase.ports import Bucket
from ragbase.ports.canonical_bucket import CanonicalBucket
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock
from ragbase.testing.examples import share
from tests.contract.adapters import BUCKETS, BucketUnderTest
from tests.contract.real_servers import in_prove

NAME = "Vertr\u00e4ge/\u00dcbersicht 1\u00aa.md"
DECOMPOSED = nfd(NAME)
MIXED = "Vertra\u0308ge/\u00dcbersicht 1\u00aa.md"
KELVIN, ANGSTROM = "273\u212a.md", "\u212bngstr\u00f6m.md"


@pytest.fixture(params=in_prove(BUCKETS))
def tested(request: pytest.FixtureRequest) -> Iterator[BucketUnderTest]:
    with BUCKETS[request.param](VirtualClock()) as tested:
        yield tested


@pytest.fixture
def theirs(tested: BucketUnderTest) -> Bucket:
    """The bucket as other programs use it."""
    return tested.bucket


@pytest.fixture
def bucket(theirs: Bucket) -> Bucket:
    return CanonicalBucket(theirs)


@pytest.mark.parametrize("form", [NAME, DECOMPOSED, MIXED, KELVIN, ANGSTROM, nfd("\ud55c\uad6d.md"), "\ufa19.md"])
def test_an_object_is_found_by_every_form_of_its_name(theirs: Bucket, bucket: Bucket, form: str) -> None:
    theirs.put(f"a{form}", b"another")
    put = theirs.put(form, b"text")
    for name in {nfc(form), nfd(form), form, MIXED if nfc(form) == NAME else form}:
        found = bucket.stat(name)
        assert found is not None
        assert (found.name, found.place, found.generation) == (nfc(form), form, put.generation)
        assert bucket.stat_many([name, "absent.md"]) == {name: found}
        assert bucket.read(name, put.generation) == b"text"
        assert [one for one in bucket.list(name[:3]) if one.name == nfc(form)] == [found]
        assert {one.name for one in bucket.list(name)} == {nfc(form)}
        with pytest.raises(GenerationGone):
            bucket.read(name, put.generation + 1)
    assert bucket.delete(nfd(form), generation=put.generation + 1) is None
    assert bucket.delete(nfd(form)) == found
    assert [one.name for one in theirs.list()] == [f"a{form}"]


def test_of_several_forms_the_one_in_nfc_counts_then_the_one_in_nfd_then_the_first(
    theirs: Bucket, bucket: Bucket
) -> None:
    expected: list[str] = []
    for form in (MIXED, DECOMPOSED, NAME):
        generation = theirs.put(form, form.encode()).generation
        expected.append(form)
        found = bucket.stat(MIXED)
        assert found is not None
        assert found.place == min(expected, key=precedence) == form
        assert bucket.read(NAME, generation) == form.encode()
        assert [one.place for one in bucket.list()] == [form]
        assert sorted((one.place, one.is_shadowed) for one in bucket.list_all()) == sorted(
            (one, one != form) for one in expected
        )


def test_a_deletion_leaves_no_form(theirs: Bucket, bucket: Bucket) -> None:
    for form in (NAME, DECOMPOSED, MIXED, "other.md", KELVIN):
        theirs.put(form, b"text")
    removed = bucket.delete_many({DECOMPOSED: None, "other.md": None, nfc(KELVIN): None, "absent.md": None})
    assert {name: one.name for name, one in removed.items()} == {
        DECOMPOSED: NAME,
        "other.md": "other.md",
        nfc(KELVIN): nfc(KELVIN),
    }
    assert list(theirs.list()) == []


def test_a_deletion_of_another_generation_removes_nothing(theirs: Bucket, bucket: Bucket) -> None:
    hidden, live = theirs.put(DECOMPOSED, b"hidden"), theirs.put(NAME, b"live")
    assert bucket.delete(NAME, generation=hidden.generation) is None
    assert len(list(theirs.list())) == 2
    deleted = bucket.delete(MIXED, generation=live.generation)
    assert deleted is not None
    assert (deleted.name, deleted.generation) == (NAME, live.generation)
    assert list(theirs.list()) == []


def test_what_does_not_count_is_deleted_first(tested: BucketUnderTest, bucket: Bucket) -> None:
    """If it were last, it would count in between, and a crash would bring it back."""
    for form in (DECOMPOSED, MIXED, NAME):
        tested.bucket.put(form, b"text")
    tested.events()
    bucket.delete(NAME)
    gone = [event.name for event in tested.events() if event.kind is EventKind.DELETED]
    assert sorted(gone) == sorted((DECOMPOSED, MIXED, NAME))
    assert gone[-1] == NAME


def test_a_new_generation_has_the_name_in_nfc_and_replaces_every_form(theirs: Bucket, bucket: Bucket) -> None:
    first = theirs.put(DECOMPOSED, b"first")
    with pytest.raises(GenerationChanged):
        bucket.put(NAME, b"second", replaces=0)
    with pytest.raises(GenerationChanged):
        bucket.put(NAME, b"second", replaces=first.generation + 1)
    second = bucket.put(MIXED, b"second", replaces=first.generation)
    assert [one.name for one in theirs.list()] == [NAME] == [second.name]
    theirs.put(MIXED, b"beside")
    third = bucket.put(DECOMPOSED, b"third")
    assert [(one.name, one.generation) for one in theirs.list()] == [(NAME, third.generation)]


def test_a_listing_goes_on_after_the_place_of_an_object(theirs: Bucket, bucket: Bucket) -> None:
    names = ["a.md", DECOMPOSED, "z.md", NAME, f"{NAME}.txt", nfd("\u00e9.md"), KELVIN, "273.md"]
    for name in names:
        theirs.put(name, b"text")
    listed = list(bucket.list())
    assert {one.name for one in listed} == {nfc(name) for name in names}
    assert len(listed) == len(names) - 1
    for number, one in enumerate(listed):
        assert list(bucket.list(after=one.place)) == listed[number + 1 :]
    for prefix in ("Vertra\u0308ge/", "Vertr\u00e4ge/"):
        assert {one.name for one in bucket.list(prefix)} == {NAME, f"{NAME}.txt"}


_NAMES = ["a", "\u00e9", "e\u0301", "e\u0323\u0301", "\u1eb9\u0301", "e\u0301\u0323", "\u212a", "K"]
_NAMES += ["\ud55c", nfd("\ud55c")]
_STEPS = st.lists(st.tuples(st.sampled_from(_NAMES), st.sampled_from(["put", "delete", "theirs"])), max_size=12)


@share(0.6)
@given(steps=_STEPS)
def test_after_any_steps_there_is_one_object_for_each_name(steps: list[tuple[str, str]]) -> None:
    theirs = MemoryBucket("b", lambda _: None, VirtualClock())
    bucket = CanonicalBucket(theirs)
    for name, step in steps:
        if step == "delete":
            bucket.delete(name)
            assert bucket.stat(name) is None
        elif step == "put":
            assert bucket.put(name, b"text") == bucket.stat(name)
        else:
            theirs.put(name, b"theirs")
    forms = [one.name for one in theirs.list()]
    counted = {nfc(form): min((one for one in forms if nfc(one) == nfc(form)), key=precedence) for form in forms}
    assert {one.name: one.place for one in bucket.list()} == counted
    assert {name: one.place for name, one in bucket.stat_many(_NAMES).items()} == {
        name: counted[nfc(name)] for name in _NAMES if nfc(name) in counted
    }
    assert {one.place for one in bucket.list_all() if one.is_shadowed} == {*forms} - {*counted.values()}
