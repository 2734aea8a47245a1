"""A filter, its labels and its judgement agree."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.comparable_values import day_of
from ragbase.domain.condition import Condition
from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.labels import labels_of
from ragbase.domain.metadata import DocumentMetadata
from ragbase.domain.search_filter import SearchFilter
from ragbase.domain.tenant import first_folder
from tests.plain_document import plain_document


def document(name: str, format: str = "md", metadata: DocumentMetadata | None = None) -> Document:
    active = IndexedGeneration(
        generation=1,
        chunk_count=1,
        md5="",
        fingerprint=f"{format}|settings",
        text_length=1,
        metadata=metadata or DocumentMetadata(),
    )
    return plain_document(name, status=Status.COMPLETED, format=format, active=active)


def may_match(within: SearchFilter, of: Document) -> bool:
    assert of.active is not None
    return within.may_match(of.id, labels_of(of.name, of.active.format, of.metadata))


@pytest.mark.parametrize(
    ("name", "prefix", "matches"),
    [
        ("guides/a.md", "guides", True),
        ("guides/a.md", "guides/", True),
        ("guides/a.md", "guides/a.md", True),
        ("guides/deep/a.md", "guides", True),
        ("guides/a.md", "guides/a", False),
        ("guides-2/a.md", "guides", False),
        ("Guides/a.md", "guides", False),
        ("a.md", "guides", False),
        ("/".join("d" * 40) + "/a.md", "/".join("d" * 39), True),
        ("/".join("d" * 40) + "/a.md", "/".join("d" * 39) + "/e", False),
    ],
)
def test_a_prefix_is_a_folder_or_a_whole_name(name: str, prefix: str, matches: bool) -> None:
    within = SearchFilter(path_prefixes=frozenset({prefix}))
    assert within.matches(document(name)) is matches
    assert may_match(within, document(name)) or not matches


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024", 20240101),
        ("2024-03", 20240301),
        ("2024-03-05", 20240305),
        ("20240305", 20240305),
        ("2024-03-05T23:30:00-05:00", 20240305),
        ("2024-02-31", None),
        ("2024-13", None),
        ("20240", None),
        ("last spring", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_is_the_day_on_which_it_begins(text: str | None, day: int | None) -> None:
    assert day_of(text) == day


def test_capitals_and_the_encoding_of_accents_make_no_difference_to_tags_and_titles() -> None:
    written = document("a.md", metadata=DocumentMetadata(title="U\u0308bersicht", tags=("OPS", "Ti\u1ebfng Vi\u1ec7t")))
    within = SearchFilter(title="\u00fcbersicht", tags=frozenset({"ops", "ti\u1ebfng vi\u1ec7t"}))
    assert within.matches(written)
    assert may_match(within, written)


def test_a_document_without_an_active_generation_does_not_match() -> None:
    assert not SearchFilter().matches(replace(document("a.md"), active=None))


names = st.lists(st.sampled_from(["a", "b", "a-b", "ü"]), min_size=1, max_size=5).map("/".join)
formats = st.sampled_from(["md", "pdf"])
tags = st.lists(st.sampled_from(["x", "X", "y", "straße", "STRASSE"]), max_size=3)
days = st.sampled_from([None, date(2024, 1, 1), date(2024, 6, 30)])

documents = st.builds(
    document,
    names,
    formats,
    st.builds(
        DocumentMetadata,
        title=st.sampled_from([None, "Title", "tITLE"]),
        tags=tags.map(tuple),
        date=st.sampled_from([None, "2024", "2024-06", "2024-06-30T10:00", "soon"]),
        url=st.sampled_from([None, "https://a.org", "https://a.org/", "https://a.org/b/c?d=/e", "http://a.org/b"]),
        front_matter=st.lists(
            st.tuples(st.sampled_from(["k", "l"]), st.sampled_from(["3", "x", "2024-06-30T10:00", "X Y"])), max_size=3
        ).map(tuple),
    ),
)
filters = st.builds(
    SearchFilter,
    path_prefixes=st.frozensets(names, max_size=2),
    formats=st.frozensets(formats, max_size=2),
    tags=tags.map(frozenset),
    title=st.sampled_from(["", "title"]),
    url_prefix=st.sampled_from(["", "https://a.org", "https://a.org/b/", "https://a.org/b/c?d="]),
    date_from=days,
    date_to=days,
    where=st.lists(
        st.sampled_from(
            [
                Condition(key="k", equals="x"),
                Condition(key="K", at_least=2, at_most=3),
                Condition(key="k", at_most=date(2024, 6, 30)),
                Condition(key="l", equals=3),
            ]
        ),
        max_size=2,
    ).map(tuple),
)


@given(documents, filters)
def test_the_labels_of_a_document_are_no_other_judgement_than_its_record(of: Document, within: SearchFilter) -> None:
    assert may_match(within, of) == within.matches(of)


@given(documents, filters)
def test_a_document_that_matches_is_of_a_tenant_that_may_match(of: Document, within: SearchFilter) -> None:
    assert within.may_be_of(first_folder(of.name)) or not within.matches(of)


@pytest.mark.parametrize(
    ("prefix", "tenants"),
    [("a", {"a", ""}), ("a/", {"a", ""}), ("a/b", {"a"}), ("a-b/c.md", {"a-b"}), ("c", {""}), ("c/d", set())],
)
def test_a_folder_leaves_out_tenants(prefix: str, tenants: set[str]) -> None:
    within = SearchFilter(path_prefixes=frozenset({prefix}))
    assert {tenant for tenant in ("", "a", "a-b", "b") if within.may_be_of(tenant)} == tenants


@pytest.mark.parametrize(
    ("prefix", "name"),
    [("b", "a/b"), ("b/", "a/b"), ("a", "a"), ("a/", "a"), ("a/b.md", "a/b.md"), ("a-b", "a/a-b"), ("c/a", "a/c/a")],
)
def test_somebody_of_a_tenant_may_leave_its_folder_out(prefix: str, name: str) -> None:
    within = SearchFilter(path_prefixes=frozenset({prefix})).asked_by("a")
    assert within.folders == [name]
