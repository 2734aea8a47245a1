"""Identifiers are derived, never drawn, so that a redelivery overwrites its own traces and nothing else."""

from __future__ import annotations

import hashlib
import uuid

NAMESPACE = uuid.UUID("6f0b5b3e-5d0a-5b52-9d8f-1f6f0a3c7e11")
"""The namespace of every ragbase identifier. Changing it would orphan every existing index."""


def document_id(bucket: str, name: str) -> str:
    """The id of the document that lives at `name` in `bucket`, for ever and over all its generations."""
    return str(uuid.uuid5(NAMESPACE, f"{bucket}\n{name}"))


def chunk_id(document: str, generation: int, part: int, ordinal: int) -> str:
    """The id of one chunk: the same work done twice writes the same chunk twice."""
    return str(uuid.uuid5(NAMESPACE, f"{document}\n{generation}\n{part}\n{ordinal}"))


def text_hash(text: str) -> str:
    """The key under which an embedding is reused: 128 bits of BLAKE2b over the UTF-8 text, in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
