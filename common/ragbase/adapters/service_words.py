"""What a service means by the words of an answer that is an error.

OpenAI-compatible services agree neither on the status of an error nor on its form, so its words decide, too. The
sources of these words stand beside the stand-ins of the tests (tests/unit/adapters/embedding_services.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import Any

_STATUS = re.compile("[45][0-9]{2}")


class About(Enum):
    """What an error is about."""

    COUNT = auto()
    """The call has too many texts."""
    TOTAL = auto()
    """The texts of the call are too long together."""
    LENGTH = auto()
    """A text is too long. Some services say so of all texts of a call together."""
    CONTENT = auto()
    """The service does not take what a text says."""
    KEY = auto()
    MODEL = auto()
    """There is no such model, it is not loaded, or it makes no embeddings."""
    ADDRESS = auto()
    """There is no such API at this address."""
    QUOTA = auto()
    """Nothing is left of what was paid for: no call succeeds until somebody pays."""
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class ServiceError:
    """What an answer says. `words` are for people; `codes` are the names and numbers that programs read."""

    words: str
    codes: frozenset[str] = frozenset()

    @property
    def status(self) -> int | None:
        """The status of HTTP among the codes, which a gateway passes on from the service behind it."""
        return next((int(code) for code in sorted(self.codes) if _STATUS.fullmatch(code)), None)


def read_error(body: str) -> ServiceError:
    """What the body of an error says: the message in it, or else all of it."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        page = _web_page(body)
        return ServiceError(body if page is None else page)
    return error_in(answer) or ServiceError(body)


def error_in(answer: Any) -> ServiceError | None:
    """The error in an answer of JSON, in one of the forms that services give it; None if there is none."""
    if isinstance(answer, list) and answer:  # Google's (https://github.com/geldata/gel/issues/9032)
        answer = answer[0]
    if not isinstance(answer, dict):
        return None
    error = answer.get("error")
    fields = error if isinstance(error, dict) else answer
    words = next((said for said in (fields.get("message"), error, answer.get("detail")) if _is_said(said)), None)
    if words is None and not error:
        return None
    names = ("code", "type", "error_type", "status")
    found = [str(one[name]).lower() for one in (answer, fields) for name in names if one.get(name) is not None]
    return ServiceError(
        (words or json.dumps(error, ensure_ascii=False)).strip(), frozenset([*found, *_reasons(fields.get("details"))])
    )


def _reasons(details: Any) -> list[str]:
    """Google's own names of what is wrong (https://cloud.google.com/apis/design/errors#error_info)."""
    listed = details if isinstance(details, list) else []
    return [str(one["reason"]).lower() for one in listed if isinstance(one, dict) and one.get("reason")]


def _is_said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def is_web_page(body: str) -> bool:
    return body.lstrip()[:14].lower().startswith(("<!doctype html", "<html"))


def _web_page(body: str) -> str | None:
    """What a page of a proxy or of another server is called, or None if it is no page."""
    if not is_web_page(body):
        return None
    title = re.search(r"(?is)<title[^>]*>(.*?)</title>", body)
    return f"a web page, “{' '.join(title[1].split())}”" if title else "a web page"


_CODES = {
    "billing_disabled": About.QUOTA,
    "insufficient_quota": About.QUOTA,
    "invalid_api_key": About.KEY,
    "max_tokens_per_request": About.TOTAL,
    "model_not_found": About.MODEL,
    "model_not_loaded": About.MODEL,
    "deploymentnotfound": About.MODEL,
    "context_length_exceeded": About.LENGTH,
    "exceed_context_size_error": About.LENGTH,
    "string_above_max_length": About.LENGTH,
    "array_above_max_length": About.COUNT,
    "content_filter": About.CONTENT,
}
_WORDS = (
    (
        About.COUNT,
        r"array (is )?too long|too many (inputs|texts|items)|number of (inputs|texts|items)|in one batch"
        r"|at most \d+ (items|inputs|texts|strings)|instance\(s\) (is|are) allowed",
    ),
    (
        About.TOTAL,
        r"tokens per request|total tokens|payload size|(entity|body|payload) (is )?too large|request too large",
    ),
    (
        About.LENGTH,
        r"context (length|size|window)|too many tokens|input token count|too large to process|physical batch"
        r"|string too long|less than \d+ (tokens|characters)|maximum .{0,20}tokens|(input|sequence|prompt) length|n_ctx"
        r"|(text|input|string|prompt|passage)s?\b.{0,40}\btoo (long|large)",
    ),
    (About.COUNT, r"batch ?size"),
    (About.QUOTA, r"credit balance is too low|insufficient (balance|credits?|funds)"),
    (About.CONTENT, r"content.?(filter|policy|management)|moderation|\bblocked\b|\bflagged\b"),
    (
        About.KEY,
        r"(invalid|incorrect|missing|expired|no) (api|auth)\w*[ -]?(key|token)|api.?key (is )?(not valid|expired)",
    ),
    (
        About.MODEL,
        r"no models? (is |are )?loaded|model\b.{0,80}\b(not found|does not exist|not loaded|is not embedding)"
        r"|(unknown|invalid|unsupported) model|not a valid model|no such model|failed to load model"
        r"|not support embeddings?|llm provider not provided",
    ),
    (About.ADDRESS, r"unexpected endpoint|(unknown|invalid) (url|endpoint|route|path)|unknown request url"),
)
"""The first that fits decides. The physical batch of llama.cpp is that of a text, and not the size of a call."""
_PATTERNS = tuple((about, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for about, pattern in _WORDS)
_STATUSES: Mapping[int, About] = {
    HTTPStatus.UNAUTHORIZED: About.KEY,
    HTTPStatus.FORBIDDEN: About.KEY,
    HTTPStatus.NOT_FOUND: About.MODEL,
    HTTPStatus.METHOD_NOT_ALLOWED: About.ADDRESS,
    HTTPStatus.NOT_IMPLEMENTED: About.ADDRESS,
    HTTPStatus.PAYMENT_REQUIRED: About.QUOTA,
    498: About.CONTENT,  # Cohere's, for a text that it blocks
}
_LIMIT = re.compile(
    r"(?:max\w*|at most|larger than|exceeds?|limit\w*)\D{0,40}(\d+)|(\d+) instance\(s\) (?:is|are) allowed",
    re.IGNORECASE,
)


def about(status: int, error: ServiceError) -> About:
    """What an error is about, by its codes, its status and its words, in this order."""
    coded = next((_CODES[code] for code in sorted(error.codes) if code in _CODES), _STATUSES.get(status))
    if coded is not None:
        return coded
    worded = next((about for about, pattern in _PATTERNS if pattern.search(error.words)), None)
    if worded is not None:
        return worded
    return About.TOTAL if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else About.UNKNOWN


def named_limit(words: str) -> int | None:
    """The most texts of a call that the words name; None if they name no number."""
    return next((number for after, before in _LIMIT.findall(words) if (number := int(after or before)) > 0), None)
