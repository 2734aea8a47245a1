"""A form with a file, as bytes: Flask's test client leaves the temporary files of large forms open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from urllib3.filepost import encode_multipart_formdata

File = tuple[str, bytes] | tuple[str, bytes, str]
"""Name and content, and the content type if it is not to be guessed."""


def form(*files: File, **fields: str) -> dict[str, Any]:
    """The arguments for a POST of the test client."""
    parts: Iterable[tuple[str, Any]] = [*(("file", file) for file in files), *fields.items()]
    body, content_type = encode_multipart_formdata(list(parts))
    return {"data": body, "content_type": content_type}
