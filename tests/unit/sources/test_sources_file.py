"""What sources.toml may say, and how a mistake in it is reported."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ragbase.domain.errors import ConfigurationError
from ragbase.sources.sources_file import ScheduledSource, read_sources_file
from tests.page_blocks import block_of


def read(text: str, *, folders: bool = False) -> list[ScheduledSource]:
    return list(read_sources_file(text, "sources.toml", schemes=["s3", "gs", "https"], folders=folders))


def test_a_source_needs_an_address_and_may_have_more() -> None:
    text = """
        [handbook]
        address = "s3://company-docs/handbook"
        prefix = "/people/handbook/"
        delete = true
        force = true
        every_minutes = 30

        [site-2]
        address = "HTTPS://docs.example.com/"
    """
    assert read(text) == [
        ScheduledSource(
            "handbook",
            "s3://company-docs/handbook",
            root="people/handbook/",
            delete=True,
            force=True,
            every=timedelta(minutes=30),
        ),
        ScheduledSource("site-2", "HTTPS://docs.example.com/"),
    ]
    assert read("") == []


def test_an_empty_prefix_is_the_top_of_the_bucket() -> None:
    (source,) = read('[a]\naddress = "gs://b"\nprefix = ""')
    assert source.root == ""


def test_a_folder_is_an_address_only_where_it_can_be_read() -> None:
    text = '[notes]\naddress = "/home/me/notes"'
    (source,) = read(text, folders=True)
    assert source.address == "/home/me/notes"
    with pytest.raises(ConfigurationError, match=r"\[notes\].*folder.*profile embedded.*s3://"):
        read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a", r"sources\.toml: this is no TOML.*Correct the file"),
        ('address = "s3://a"', r"address is outside of a table.*\[name\]"),
        ('[A]\naddress = "s3://a"', r"\[A\].*lower-case.*Rename"),
        ('["a/b"]\naddress = "s3://a"', r"\[a/b\].*lower-case.*Rename"),
        ("[a]", r"\[a\]: address is missing.*Correct"),
        ('[a]\naddress = ""', r"\[a\]: address = ''.*Correct"),
        ('[a]\naddress = "s3://a"\ndeletes = true', r"\[a\]: there is no key deletes; the keys are address, prefix"),
        ('[a]\naddress = "s3://a"\ndelete = "yes"', r"\[a\]: delete = 'yes'.*bool"),
        ('[a]\naddress = "s3://a"\nevery_minutes = 0', r"\[a\]: every_minutes = 0.*greater than or equal to 1"),
        ('[a]\naddress = "ftp://a"', r"\[a\]: address = 'ftp://a' is no address.*s3://, gs://, https://"),
        ('[a]\naddress = "s3://a/b"\n[b]\naddress = "s3://a/b/"', r"\[b\].*of \[a\].*Remove"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_its_remedy(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read(text)


def test_the_file_of_the_page_describes_two_sources() -> None:
    assert read(block_of("docs/sources.md", "By schedule").text) == [
        ScheduledSource(
            "handbook", "s3://company-docs/handbook", root="handbook/", delete=True, every=timedelta(minutes=60)
        ),
        ScheduledSource("site", "https://docs.example.com/"),
    ]
