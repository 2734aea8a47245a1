"""The content type of a file that came without one."""

from __future__ import annotations

import pytest

from ragbase.formats.content_type import UNKNOWN, content_type_of


@pytest.mark.parametrize(
    ("name", "head", "content_type"),
    [
        ("a.md", b"", "text/markdown"),
        ("a.pdf", b"text", "application/pdf"),
        ("README", b"Start the pump.", "text/plain"),
        ("guide.xyz", b"Pumps\n=====\n", "text/plain"),
        ("guide.xyz", "Prüfung der Pumpe".encode("latin-1"), "text/plain"),
        ("cut", ("ä" * 4096).encode()[:4095], "text/plain"),
        ("report.v2", b"%PDF-1.7\n", "application/pdf"),
        ("x.dat", b"\0\1\2", UNKNOWN),
        ("x.dat", b"PK\x03\x04", UNKNOWN),
        ("x.dat", bytes(range(1, 32)), UNKNOWN),
        ("x", b"", UNKNOWN),
    ],
)
def test_the_name_says_it_or_else_the_content(name: str, head: bytes, content_type: str) -> None:
    assert content_type_of(name, head) == content_type
