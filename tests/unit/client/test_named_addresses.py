"""The addresses that a server names for a file: never without encryption where there was some."""

from __future__ import annotations

from typing import Any

import pytest

from ragbase.client.errors import UnreadableAnswer
from ragbase.client.exchange import Exchange
from ragbase.client.typed_exchange import TypedExchange


def named(endpoint: str, url: str) -> dict[str, Any]:
    exchange = Exchange(endpoint, None, timeout=1, deadline=1)
    try:
        return TypedExchange(exchange, allow_plain_http=False).named(url)
    finally:
        exchange.close()


@pytest.mark.parametrize(
    ("endpoint", "url", "used"),
    [
        ("https://rag.example.com", "https://rag.example.com/api/uploads/x", "https://rag.example.com/api/uploads/x"),
        ("https://rag.example.com", "http://rag.example.com/api/uploads/x", "https://rag.example.com/api/uploads/x"),
        ("http://rag.example.com", "https://rag.example.com/api/uploads/x", "https://rag.example.com/api/uploads/x"),
        ("https://example.com/rag", "https://example.com/rag/api/uploads/x", "https://example.com/rag/api/uploads/x"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/api/uploads/x", "http://127.0.0.1:8080/api/uploads/x"),
    ],
)
def test_an_address_of_the_endpoint_s_host_is_used_with_the_better_scheme(endpoint: str, url: str, used: str) -> None:
    assert named(endpoint, url) == {"url": used, "is_own": True}


def test_an_address_of_another_host_is_used_as_it_is_and_only_with_encryption() -> None:
    assert named("http://127.0.0.1:8080", "https://rag.example.com/x") == {"url": "https://rag.example.com/x"}
    with pytest.raises(UnreadableAnswer):
        named("https://rag.example.com", "http://storage.example.com/x")
