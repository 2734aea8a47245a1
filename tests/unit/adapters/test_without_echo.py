"""What a service says about a request goes into logs and answers, and its echo of the request does not."""

from __future__ import annotations

import json

import pytest

from ragbase.adapters.refusal import refusal
from ragbase.adapters.without_echo import without_echo

KEY = "sk-0123456789abcdef0123456789abcdef"
TEXT = "The salary of Ms. Müller\nis 123,456 euros a year, from next March on."


def test_what_a_service_says_by_itself_stays() -> None:
    said = "invalid request: total tokens\n  are over 8192"
    assert without_echo(said, (KEY, TEXT)) == "invalid request: total tokens are over 8192"


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY}. See https://service.example/keys",
        f"unknown key Bearer {KEY} for {TEXT!r}",
        json.dumps({"detail": [{"msg": "too long", "input": TEXT}], "key": KEY}),
        json.dumps({"detail": [{"msg": "too long", "input": [TEXT, TEXT]}]}, ensure_ascii=False),
        f"cannot embed: {TEXT[20:50]}",
    ],
)
@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_neither_key_nor_text_comes_back(said: str, status: int) -> None:
    error = refusal("Service", status, said, {}, key="KEY", model="MODEL", sent=(KEY, TEXT))
    assert f"answered {status}: " in str(error) and "…" in str(error)
    assert not [part for part in (KEY, "salary", "123,456", "March") if part in str(error)]


def test_a_short_question_does_not_come_back() -> None:
    assert without_echo("no language found for 'gehalt'", ("gehalt",)) == "no language found for '…'"


def test_a_letter_hides_nothing() -> None:
    assert without_echo("a bad request", ("a", "", " ")) == "a bad request"
