"""The error for an answer of a service that is one: whose fault it is, and who has to do what.

| error              | what it means                                                   | what becomes of documents |
|--------------------|-----------------------------------------------------------------|---------------------------|
| CallRefused        | the call is too large, or one of its texts is not taken         | see split_calls.py        |
| ConfigurationError | the key, model or address is wrong, so that no call can succeed | they wait                 |
| RateLimited        | there are too many calls                                        | they wait                 |
| Unavailable        | the service has a fault, or nothing is left of what was paid    | they wait                 |

The status alone does not tell: llama.cpp answers 500 to a text that is too long, LM Studio 400 if no model is loaded,
and gateways 200 with an error in the body. So status and body decide together (service_words.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus

from ragbase.adapters.backoff import RateLimited
from ragbase.adapters.service_words import About, ServiceError, about, named_limit, read_error
from ragbase.adapters.without_echo import without_echo
from ragbase.domain.errors import (
    ConfigurationError,
    ErrorCode,
    PermanentError,
    QuestionRefused,
    RagbaseError,
    Unavailable,
)

_LONGEST_REASON = 300
"""Characters."""
_BAD_REQUESTS = frozenset({400, 413, 422, 498})
"""The request itself is wrong. 498 is Cohere's, for a text that it blocks."""
_AWAY = frozenset({502, 503, 504})
"""Said of the service and not of the request, whatever the words: a proxy may quote anything."""
_OF_CALL = frozenset({About.COUNT, About.TOTAL, About.LENGTH, About.CONTENT})
_SETTINGS = {
    About.KEY: "Set {key} to a key that is valid for this service and model.",
    About.MODEL: "Set {model} to a model that this service has, or load it there, and check the service's URL.",
    About.ADDRESS: "Check the service's URL: the API is not there.",
}
"""What to do about each."""


class CallRefused(PermanentError):
    """The service does not take a call, because of its size or of one of its texts. `limit` is the most texts that it
    says it takes; None if it does not say."""

    def __init__(self, reason: str, about: About, limit: int | None = None) -> None:
        super().__init__(ErrorCode.INTERNAL_ERROR, reason)
        self.about = about
        self.limit = limit


def refusal(
    service: str,
    status: int,
    body: str,
    headers: Mapping[str, str],
    *,
    key: str,
    model: str,
    sent: Iterable[str],
    remedies: Mapping[About, str] | None = None,
) -> RagbaseError:
    """The error for an answer with this status and body. `key` and `model` name the settings that may be wrong. `sent`
    are the key and the texts of the request, which the body may repeat. `remedies` are sentences that say what to do
    about a subject, where it is not the usual; they may have {key} and {model}."""
    return _refusal(service, status, read_error(body), headers, key=key, model=model, sent=sent, remedies=remedies)


def refusal_in_success(
    service: str,
    error: ServiceError,
    *,
    key: str,
    model: str,
    sent: Iterable[str],
    remedies: Mapping[About, str] | None = None,
) -> RagbaseError:
    """The same for an error in the body of an answer with the status 200. Gateways pass on the status of the service
    behind them as a code (https://openrouter.ai/docs/api-reference/errors)."""
    status = error.status or (400 if "invalid_request_error" in error.codes else 500)
    return _refusal(
        service, status, error, {}, key=key, model=model, sent=sent, answered=HTTPStatus.OK, remedies=remedies
    )


def _refusal(
    service: str,
    status: int,
    error: ServiceError,
    headers: Mapping[str, str],
    *,
    key: str,
    model: str,
    sent: Iterable[str],
    answered: int | None = None,
    remedies: Mapping[About, str] | None = None,
) -> RagbaseError:
    own = without_echo(error.words, sent)  # a document may be about keys and models
    message = f"{service} answered {answered or status}: {own[:_LONGEST_REASON].rstrip('. ')}"
    subject = about(status, ServiceError(own, error.codes))
    if status == HTTPStatus.TOO_MANY_REQUESTS and subject not in (About.QUOTA, About.TOTAL):
        return RateLimited(message, _retry_after(headers))
    wanted = {**_SETTINGS, **(remedies or {})}
    if subject in wanted and status not in _AWAY:
        return ConfigurationError(f"{message}. {wanted[subject].format(key=key, model=model)}")
    if subject is About.QUOTA:
        return Unavailable(f"{message}. Look at the plan and the billing of the account.")
    if status not in _AWAY and (subject in _OF_CALL or status in _BAD_REQUESTS):
        return CallRefused(message, subject, named_limit(own) if subject is About.COUNT else None)
    return Unavailable(message)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """HTTP also allows a date. It is ignored, so that the wait is that of the table: the two clocks may not agree."""
    asked = next((value.strip() for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(asked) if asked.isdecimal() else None


def not_json(service: str, body: str, sent: Iterable[str]) -> Unavailable:
    """The error for a body that should be JSON and is not, in an answer with the status 200."""
    said = without_echo(read_error(body).words, sent)[:_LONGEST_REASON].rstrip(". ") or "nothing"
    return Unavailable(
        f"{service} answered 200 without JSON: {said}. Look whether that is its address, and whether a proxy answers "
        "in its place."
    )


def of_question(error: RagbaseError) -> RagbaseError:
    """The error for a question whose call failed with this one."""
    return QuestionRefused(str(error)) if isinstance(error, PermanentError) else error
