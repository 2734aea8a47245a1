"""Ids are derived, never random, so that a second delivery overwrites only what the first one wrote."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence

from ragbase.domain.name_forms import nfc, older_forms

NAMESPACE = uuid.UUID("6f0b5b3e-5d0a-5b52-9d8f-1f6f0a3c7e11")
"""The namespace of all ids of ragbase. With another one, the existing records and indexes would be useless."""

_NAMESPACE_BYTES = NAMESPACE.bytes
_VARIANTS = {f"{digit:x}": f"{digit & 0b0011 | 0b1000:x}" for digit in range(16)}
"""RFC 9562, section 4.1: the two highest bits of this digit are 10."""


def document_id(bucket: str, name: str) -> str:
    """The id of the document `name` in `bucket`: the same forever, for all its generations, and for all forms of the
    name."""
    return _uuid5(f"{bucket}\n{nfc(name)}")


def older_ids(bucket: str, name: str) -> Sequence[str]:
    """The ids that an older version may have given the document: it told the forms of a name apart."""
    return [_uuid5(f"{bucket}\n{form}") for form in older_forms(name)]


def chunk_id(document: str, generation: int, ordinal: int, fingerprint: str) -> str:
    """The id of one chunk: work that is done twice writes the same chunk twice.

    What was made with other settings, whose `fingerprint` differs, has other ids. So a write of an older attempt that
    takes effect late never replaces a chunk that search shows. The 0 has no meaning; the ids in every index have it.
    """
    return _uuid5(f"{document}\n{generation}\n0\n{ordinal}\n{fingerprint}")


def dead_letter_id(*facts: object) -> str:
    """The id of the dead letter of a message. No other message has all these facts."""
    return _uuid5("\n".join(("dead letter", *map(str, facts))))


def _uuid5(name: str) -> str:
    """`str(uuid.uuid5(NAMESPACE, name))` at a fraction of the cost: every chunk needs one."""
    digest = hashlib.sha1(_NAMESPACE_BYTES + name.encode(), usedforsecurity=False).hexdigest()
    variant = _VARIANTS[digest[16]]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def text_hash(text: str) -> str:
    """The key by which an embedding is found and reused: 128 bits of BLAKE2b over the UTF-8 text, in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
