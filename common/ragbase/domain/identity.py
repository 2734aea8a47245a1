"""Identifiers are derived, never drawn, so that a redelivery overwrites its own traces and nothing else."""

from __future__ import annotations

import hashlib
import uuid

NAMESPACE = uuid.UUID("6f0b5b3e-5d0a-5b52-9d8f-1f6f0a3c7e11")
"""The namespace of every ragbase identifier. Changing it would orphan every existing index."""


def document_id(bucket: str, name: str) -> str:
    """The id of the document that lives at `name` in `bucket`, for ever and over all its generations."""
    return _uuid5(f"{bucket}\n{name}")


def chunk_id(document: str, generation: int, part: int, ordinal: int) -> str:
    """The id of one chunk: the same work done twice writes the same chunk twice."""
    return _uuid5(f"{document}\n{generation}\n{part}\n{ordinal}")


def dead_letter_id(*facts: object) -> str:
    """The id of the dead letter about a message that these facts tell from every other."""
    return _uuid5("\n".join(("dead letter", *map(str, facts))))


def _uuid5(name: str) -> str:
    """`str(uuid.uuid5(NAMESPACE, name))`, at a quarter of its cost: one is made for every chunk."""
    digest = bytearray(hashlib.sha1(NAMESPACE.bytes + name.encode(), usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def text_hash(text: str) -> str:
    """The key under which an embedding is reused: 128 bits of BLAKE2b over the UTF-8 text, in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
