"""The file of scheduled sources: what it says, and how its mistakes are told."""

from __future__ import annotations

import pytest

from ragbase.domain.errors import ConfigurationError
from ragbase.sources.described import DescribedSource, described_sources

FILE = """
[[source]]
name = "handbook"
address = "https://docs.example.com/"
delete = true
every = 6

[[source]]
name = "policies"
address = "s3://company-docs/policies"
prefix = "/legal/"
"""


def test_each_source_has_what_the_file_says() -> None:
    first, second = described_sources(FILE, "sources.toml")
    assert first == DescribedSource(name="handbook", address="https://docs.example.com/", delete=True, every=6)
    assert (second.root, second.delete, second.every) == ("legal/", False, 24)
    assert first.root is None


def test_a_file_without_sources_has_none() -> None:
    assert described_sources("# nothing yet\n", "sources.toml") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[source]", "sources.toml: "),
        ("[[sources]]\nname = 'a'", "Found: sources."),
        ("source = 'a'", "may hold only entries that begin with [[source]]"),
        ("[[source]]\nname = 'Big Name'\naddress = 'a'", "sources.toml: source 1: name"),
        ("[[source]]\nname = 'a'", "source 1: address: field required"),
        ("[[source]]\nname = 'a'\naddress = 'x'\nevery = 0", "every: input should be greater than 0"),
        ("[[source]]\nname = 'a'\naddress = 'x'\ndelete = 'yes'", "delete: "),
        ("[[source]]\nname = 'a'\naddress = 'x'\nevry = 3", "evry: extra inputs are not permitted"),
        ("[[source]]\nname='a'\naddress='x'\n[[source]]\nname='a'\naddress='y'", "two sources are called 'a'"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        described_sources(text, "sources.toml")
    assert said in str(caught.value)
