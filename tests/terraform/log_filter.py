"""Whether a log entry matches a filter of Cloud Logging, as far as terraform/ uses its language
(https://cloud.google.com/logging/docs/view/logging-query-language)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r'\s*(\(|\)|"(?:[^"\\]|\\.)*"|(?:=~|>=|<=|!=|=|>|<|:)|[^\s()"=<>:!]+)')
_SEVERITIES = ("DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL")


def matches(filter: str, entry: Mapping[str, Any]) -> bool:
    tokens = _TOKEN.findall(filter)
    assert "".join(tokens) == re.sub(r'\s+(?=(?:[^"]*"[^"]*")*[^"]*$)', "", filter), filter
    found = _any(tokens, entry)
    assert not tokens, tokens
    return found


def _any(tokens: list[str], entry: Mapping[str, Any]) -> bool:
    found = _all(tokens, entry)
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        found = _all(tokens, entry) or found
    return found


def _all(tokens: list[str], entry: Mapping[str, Any]) -> bool:
    found = _one(tokens, entry)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        found = _one(tokens, entry) and found
    return found


def _one(tokens: list[str], entry: Mapping[str, Any]) -> bool:
    if tokens[0] == "NOT":
        tokens.pop(0)
        return not _one(tokens, entry)
    if tokens[0] == "(":
        tokens.pop(0)
        found = _any(tokens, entry)
        assert tokens.pop(0) == ")"
        return found
    if tokens[0] == "log_id":
        name, closed = _text(tokens[2]), tokens[3]
        assert closed == ")"
        del tokens[:4]
        return bool(entry.get("log_id") == name)
    field, operator = tokens.pop(0), tokens.pop(0)
    if tokens[0] == "(":  # one of several values
        tokens.pop(0)
        values = []
        while (token := tokens.pop(0)) != ")":
            values += [] if token == "OR" else [token]
        return any(_compares(_value(field, entry), operator, value) for value in values)
    return _compares(_value(field, entry), operator, tokens.pop(0))


def _value(field: str, entry: Mapping[str, Any]) -> Any:
    value: Any = entry
    for name in field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _compares(value: Any, operator: str, wanted: str) -> bool:
    """A field that is not there matches nothing."""
    if value is None:
        return False
    if operator == "=~":
        return re.search(_text(wanted), str(value)) is not None
    if operator == ":":
        return _text(wanted) in str(value)
    left, right = _comparable(value), _comparable(_text(wanted))
    if operator in ("=", "!="):
        return (left == right) is (operator == "=")
    return bool({">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right}[operator])


def _comparable(value: Any) -> Any:
    """A severity by its rank, a duration in seconds ("1.5s"), a number as it is."""
    if value in _SEVERITIES:
        return _SEVERITIES.index(value)
    try:
        return float(str(value).removesuffix("s"))
    except ValueError:
        return str(value)


def _text(token: str) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith('"') else token
