"""What can stand in front of the paths of the API."""

from __future__ import annotations

import pytest

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.public_url import checked_public_url


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", ""),
        ("https://rag.example.com", "https://rag.example.com"),
        ("https://rag.example.com/", "https://rag.example.com"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://[2001:db8::1]:8443/rag/", "https://[2001:db8::1]:8443/rag"),
        ("https://example.com/teams/rag_base-2.0~x", "https://example.com/teams/rag_base-2.0~x"),
        ("https://xn--bcher-kva.example:65535", "https://xn--bcher-kva.example:65535"),
        ("http://rag_base", "http://rag_base"),
    ],
)
def test_an_address_is_taken_without_its_last_slash(given: str, url: str) -> None:
    assert checked_public_url(given) == url


@pytest.mark.parametrize(
    "given",
    [
        "rag.example.com",
        "//rag.example.com",
        "ftp://rag.example.com",
        "https://",
        "https:///rag",
        "https://user:secret@rag.example.com",
        "https://rag.example.com?key=secret",
        "https://rag.example.com/#top",
        "https://rag.example.com:0",
        "https://rag.example.com:65536",
        "https://rag.example.com:port",
        "https://rag..example.com",
        "https://rag.example.com.",
        "https://b\u00fccher.example",
        "https://rag.example.com/a//b",
        "https://rag.example.com//",
        "https://rag.example.com/../a",
        "https://rag.example.com/.hidden",
        "https://rag.example.com/%2e%2e",
        "https://rag.example.com/a b",
        " https://rag.example.com",
        "https://rag.example.com\n",
        "https://rag.example.com\r\nX: y",
        "https://[::1",
    ],
)
def test_what_is_no_such_address_is_refused_with_an_example(given: str) -> None:
    with pytest.raises(ConfigurationError, match="no address at which others can reach") as refused:
        checked_public_url(given)
    assert "such as https://rag.example.com" in str(refused.value) and "secret" not in str(refused.value)
