"""What embedders behind HTTP have in common: what may be sent, what an answer must be, and what a refusal means."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from ragbase.adapters.backoff import RateLimited
from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError, RagbaseError, TransientError
from ragbase.ports import Embeddings

MODEL_SETTING = "RAGBASE_EMBEDDING_MODEL"
DIMENSION_SETTING = "RAGBASE_EMBEDDING_DIMENSION"

MAX_BATCH = 96
"""Texts a call: Cohere's limit, and that of the website pipeline's contract for every service."""

_BLANK = "."
"""Stands for a text without a character to see, which services refuse."""

_LONGEST_REASON = 300
_BAD_REQUESTS = frozenset({400, 413, 422, 498})
"""The request itself is at fault. 498 is Cohere's, for a text that it blocks."""


def sendable(texts: Sequence[str]) -> list[str]:
    """The texts as a service takes them. Raises ValueError for more than MAX_BATCH."""
    if len(texts) > MAX_BATCH:
        raise ValueError(f"One call takes at most {MAX_BATCH} texts, not {len(texts)}. Send them in several.")
    # UTF-8 has no lone surrogates.
    return [text.encode(errors="replace").decode() if text.strip() else _BLANK for text in texts]


def checked_key(key: str, setting: str) -> str:
    """The key without the line end that files of secrets tend to have. Raises ConfigurationError naming the setting."""
    stripped = key.strip()
    if not stripped or not stripped.isascii() or not stripped.isprintable():
        raise ConfigurationError(f"{setting} holds no API key. Set it to the key of your account.")
    return stripped


def checked_url(url: str, setting: str) -> str:
    """Raises ConfigurationError naming the setting, where this is no address of a service."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(f"{setting} = {url!r} is no URL of a service. It looks like https://host/path.")
    return url.rstrip("/")


def refusal(
    service: str, status: int, reason: str, headers: Mapping[str, str], *, key: str, model: str
) -> RagbaseError:
    """The error that an answer with this status stands for. `key` and `model` name the settings that may be wrong."""
    told = f"{service} answered {status}: {' '.join(reason.split())[:_LONGEST_REASON]}"
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ConfigurationError(f"{told}. Set {key} to a key that is valid for this service and model.")
    if status == HTTPStatus.NOT_FOUND:
        return ConfigurationError(f"{told}. Set {model} to a model that this service has, and check its URL.")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        # HTTP allows a date as well as seconds: it leaves the table's wait, rather than trusting that two clocks agree.
        asked = next((value.strip() for name, value in headers.items() if name.lower() == "retry-after"), "")
        return RateLimited(told, float(asked) if asked.isdecimal() else None)
    if status in _BAD_REQUESTS:
        return PermanentError(ErrorCode.INTERNAL_ERROR, told)
    return TransientError(told)


def unpacked(service: str, values: Any) -> list[Any]:
    """Vectors that came as base64 of little-endian floats of 32 bits. Raises TransientError where one did not."""
    import numpy as np

    try:
        return [np.frombuffer(base64.b64decode(text, validate=True), "<f4") for text in values or ()]
    except (TypeError, ValueError) as error:
        raise TransientError(f"{service} answered with an embedding that is not base64 of floats: {error}.") from error


def unit_embeddings(service: str, values: Any, *, count: int, dimension: int, billed_tokens: int) -> Embeddings:
    """`values` (lists of numbers, or arrays) as `count` unit vectors, whatever a service put into an answer that claims
    success.

    Raises ConfigurationError naming the setting for vectors of another dimension, as calling again would not change
    it, and TransientError for another count of vectors or one without a direction.
    """
    import numpy as np

    found = len(values) if isinstance(values, list) else 0
    if found != count:
        raise TransientError(f"{service} answered with {found} embeddings for {count} texts.")
    dimensions = {len(vector) if isinstance(vector, list | np.ndarray) else 0 for vector in values}
    if dimensions != {dimension}:
        sizes = " or ".join(map(str, sorted(dimensions)))
        raise ConfigurationError(
            f"{service} answered with embeddings of {sizes} dimensions where {DIMENSION_SETTING} is {dimension}. "
            f"Set {DIMENSION_SETTING} to what the model makes, or choose another model."
        )
    try:
        with np.errstate(over="ignore"):  # numbers beyond 32 bits become infinite, and are found below
            vectors = np.asarray(values, np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    except (TypeError, ValueError) as error:
        raise TransientError(f"{service} answered with an embedding that does not consist of numbers.") from error
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise TransientError(f"{service} answered with an embedding that is not finite, or is zero.")
    return Embeddings(list(vectors / lengths), billed_tokens)
