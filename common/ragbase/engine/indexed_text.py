"""The extracted text of a document, in which the offsets of its citations count."""

from __future__ import annotations

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document
from ragbase.domain.errors import GenerationGone, TextGone


def indexed_text(record: Document, profile: Profile) -> str:
    """The text of the generation that search shows: a chunk is what stands in it from `char_start` to `char_end`.

    It is extracted again from the bytes in the bucket. Raises TextGone if search shows nothing of the document, if the
    bucket holds other bytes by now, or if this version of ragbase would read another text in them.
    """
    active = record.active
    if active is None:
        raise TextGone(f"{record.source}: search shows nothing of it. `ragbase status` says why.")
    format, version, *_ = active.fingerprint.split("|")
    try:
        data = profile.bucket.read(record.name, active.generation)
    except GenerationGone:
        raise TextGone(f"{record.source}: it was just replaced or deleted. Try again in a moment.") from None
    if version == profile.extractor.version(format):
        text = profile.extractor.extract(data, format).markdown
        if len(text) == active.text_length:
            return text
    raise TextGone(
        f"{record.source}: another version of ragbase, or of a library, has read the text that search shows. Let this "
        "one read it: run `ragbase reindex`, or ingest the file again."
    )
