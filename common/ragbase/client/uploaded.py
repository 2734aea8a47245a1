"""What an upload has made."""

from __future__ import annotations

from ragbase.messages.api.documents import UploadResponse


class Uploaded(UploadResponse):
    """The document that an upload has made, or the one that exists with the same bytes: then it is not `is_new`."""

    is_new: bool = True
