"""An error names no place on the disk of the server."""

from __future__ import annotations

import pytest

from ragbase.domain.server_paths import told, without_server_paths


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/srv/rag/ragbase.db: database is locked", "ragbase.db: database is locked"),
        ("[Errno 2] No such file or directory: '/var/tmp/x y/a.bin'", "[Errno 2] No such file or directory: 'a.bin'"),
        ("(/etc/ssl/x.pem), /a/b; /c/d/", "(x.pem), b; "),
        ("/data/my rag/ragbase.db cannot be written", "ragbase.db cannot be written"),
        ("the folder /data/a b/my rag.d is gone. Use GET /api/x", "the folder my rag.d is gone. Use GET /api/x"),
    ],
)
def test_of_a_path_the_last_name_is_left(text: str, told: str) -> None:
    assert without_server_paths(text) == told


@pytest.mark.parametrize(
    ("said", "told_as"),
    [
        ("/srv/rag/ragbase.db: database is locked", "ragbase.db: database is locked."),
        ("It does not answer.", "It does not answer."),
        ("Why?", "Why?"),
    ],
)
def test_what_a_caller_is_told_ends_as_a_sentence(said: str, told_as: str) -> None:
    assert told(RuntimeError(said)) == told_as


@pytest.mark.parametrize(
    "text",
    [
        "red/rules.md: a folder has this name",
        "See https://example.com/a/b?c=/d or gs://bucket/a/b.",
        "POST /api/uploads gives one. GET /internal/extractions lists them: /api/documents/5f/retry.",
        "Send it as text/html and/or PDF/A, 3/4 of 1,000.",
    ],
)
def test_names_of_documents_and_addresses_stay(text: str) -> None:
    assert without_server_paths(text) == text
