"""What differs between two fingerprints."""

from __future__ import annotations

import pytest

from ragbase.domain.cause import Cause, causes, causes_text

NOW = "md|md-v5|markdown-v3-1000/200|hashing-384|terms-v3-english|names-v1"


@pytest.mark.parametrize(
    ("before", "differs"),
    [
        (NOW, ()),
        ("txt|txt-v2|markdown-v3-1000/200|hashing-384|terms-v3-english|names-v1", (Cause.READER,)),
        ("md|md-v5|markdown-v3-300/0|hashing-384|terms-v3-english|names-v1", (Cause.CHUNKING,)),
        ("md|md-v5|markdown-v3-1000/200|other-384|terms-v3-english|names-v1", (Cause.MODEL,)),
        ("md|md-v5|markdown-v3-1000/200|hashing-384|terms-v3-german|names-v1", (Cause.TERMS,)),
        # as the first version has named it
        ("md|extraction-v1|markdown-v1-1000/200|hashing-384|terms-v1-english", tuple({*Cause} - {Cause.MODEL})),
    ],
)
def test_each_part_is_a_cause(before: str, differs: tuple[Cause, ...]) -> None:
    assert set(causes(before, NOW)) == set(differs)


def test_several_causes_are_all_named() -> None:
    found = causes("txt|txt-v2|markdown-v3-300/0|hashing-384|terms-v3-english|names-v1", NOW)
    assert causes_text(found) == "another reader and other chunks"
