"""The limits of a day: what they count, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from math import ceil

from ragbase.domain.errors import ConfigurationError


class Limited(StrEnum):
    """What is counted in a day (UTC): requests, files that were sent, their bytes, and tokens of questions and answers.

    A question is taken for a token for each four of its characters. An answer has as many as the service of its model
    bills, in and out; a generator that bills nothing costs nothing.
    """

    REQUESTS = "requests"
    UPLOADS = "uploads"
    BYTES = "bytes"
    TOKENS = "tokens"


Limits = Mapping[Limited, int]

MOST = 2**53 - 1
"""What JSON keeps exactly everywhere."""

_CHARACTERS = 4
"""Of a token of English text, on average. What a service bills for a question, its adapter does not tell."""

_UNITS = {"": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
_AMOUNT = re.compile(r"([0-9]{1,16}) ?([KMGT]B)?")


def parse_limits(texts: Iterable[str]) -> Limits:
    """Limits such as "requests=10000" or "bytes=1GB" (a KB has 1,024 bytes). Raises ConfigurationError for one that is
    unknown, given twice, or no number from 1 on."""
    limits: dict[Limited, int] = {}
    for text in texts:
        name, _, amount = (part.strip() for part in text.partition("="))
        if name not in [*Limited]:
            raise ConfigurationError(f"There is no limit {name!r}. The limits are {', '.join(Limited)}.")
        limit = Limited(name)
        if limit in limits:
            raise ConfigurationError(f"The limit {name} is given twice. Give it once.")
        limits[limit] = _amount(limit, amount)
    return limits


def _amount(limit: Limited, text: str) -> int:
    found = _AMOUNT.fullmatch(text)
    if (
        found is None
        or (found[2] and limit is not Limited.BYTES)
        or not 1 <= int(found[1]) * _UNITS[found[2] or ""] <= MOST
    ):
        example = "bytes=1GB" if limit is Limited.BYTES else f"{limit}=10000"
        raise ConfigurationError(f"The limit {limit} is {text!r}, but has to be a number from 1 on: {example}.")
    return int(found[1]) * _UNITS[found[2] or ""]


def tokens_of(text: str) -> int:
    """About so many tokens; never none."""
    return max(1, ceil(len(text) / _CHARACTERS))
