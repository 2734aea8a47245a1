"""What part of a query asks."""

from __future__ import annotations

import pytest

from ragbase.text.asked_part import asked_part


@pytest.mark.parametrize(
    ("query", "part"),
    [
        (
            "Hello! Could you please tell me: how often is the signing key rotated? Many thanks.",
            "how often is the signing key rotated?",
        ),
        (
            "Guten Tag. Wie oft wird der Schlüssel für Signaturen gewechselt? Vielen Dank im Voraus.",
            "Wie oft wird der Schlüssel für Signaturen gewechselt?",
        ),
        ("我想问一下。1987年修建的石拱桥在城市的哪里？谢谢。", "1987年修建的石拱桥在城市的哪里？"),
        (
            "Papers on heat transfer in slip flow; I am not interested in free convection.",
            "Papers on heat transfer in slip flow;",
        ),
        ("Textes sur le vol plané. Je ne suis pas intéressé par les avions.", "Textes sur le vol plané."),
    ],
)
def test_greetings_thanks_and_what_is_excluded_are_left_out(query: str, part: str) -> None:
    assert asked_part(query) == part


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "How do I open a port",
        "Rust: how does ownership work?",
        "What does Error: file not found mean?",
        "What is the value of x.y.z in v1.2?",
        "When was the U.S. Army of the north founded?",
        "My pump has a red light. It does not start. What can I do?",
        "I am not interested in free convection.",
        "How many requests may a client send in a minute? (v1)",
    ],
)
def test_nothing_is_left_out_of_a_query_that_has_nothing_else(query: str) -> None:
    assert asked_part(query) == query
