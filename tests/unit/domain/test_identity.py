from __future__ import annotations

import unicodedata
import uuid

from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.identity import NAMESPACE, chunk_id, document_id, text_hash

names = st.text(st.characters(exclude_categories=["Cs"]))


@given(names, names)
def test_a_document_id_is_the_uuid5_of_its_place(bucket: str, name: str) -> None:
    plain = unicodedata.normalize("NFC", name)
    assert document_id(bucket, name) == document_id(bucket, plain) == str(uuid.uuid5(NAMESPACE, f"{bucket}\n{plain}"))


@given(names, st.integers(0), st.integers(0))
def test_a_chunk_id_is_the_uuid5_of_its_place_and_settings(document: str, generation: int, ordinal: int) -> None:
    expected = uuid.uuid5(NAMESPACE, f"{document}\n{generation}\n0\n{ordinal}\nmd|1|1000/200")
    assert chunk_id(document, generation, ordinal, "md|1|1000/200") == str(expected)


def test_ids_never_change_between_releases() -> None:
    """Every existing index depends on them."""
    assert document_id("ragbase", "docs/a.md") == str(uuid.uuid5(NAMESPACE, "ragbase\ndocs/a.md"))
    assert str(NAMESPACE) == "6f0b5b3e-5d0a-5b52-9d8f-1f6f0a3c7e11"
    assert text_hash("a") == "27c35e6e9373877f29e562464e46497e"
