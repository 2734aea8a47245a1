"""The part of a query that asks.

    Hello! Could you please tell me: how often is the key rotated? Many thanks.   ──▶   how often is the key rotated?
    Papers on heat transfer; I am not interested in free convection.              ──▶   Papers on heat transfer;

Greetings, thanks and the story around a question have words of their own. The more there are, the farther is the query
from every passage, in meaning and in words.
"""

from __future__ import annotations

import re

from ragbase.text.framing_words import without_framing
from ragbase.text.terms import function_terms, terms_of

_ends = re.compile(r"(?<=[!?;…؟])(?=\s)|(?<=[^\s.]{3}\.)(?=\s)|(?<=[。！？；])").split
"""Not after the full stop of a short form: "U.S. Army"."""
_has_digit = re.compile(r"\d").search
_asks = re.compile(r"[?？؟]\s*\Z").search
_LEAST_WORDS = 4
"""Before a colon. "Rust: how does ownership work?" names its subject there."""
_LEAST_TELLING = 3
"""Different terms of a question that name what it asks for."""
_excludes = re.compile(
    r"\b(?:not\s+interested\s+in|no\s+interest\s+in|leave\s+out|nicht\s+interessiert|interessiert\s+mich\s+nicht"
    r"|interessieren\s+mich\s+nicht|no\s+(?:me|nos)\s+interesan?|no\s+estoy\s+interesad[oa]|pas\s+intéressée?s?"
    r"|ne\s+m['’]intéressen?t?\s+pas|non\s+(?:mi|ci)\s+interessan?o?|não\s+me\s+interessam?|não\s+estou\s+interessad[oa]"
    r"|niet\s+geïnteresseerd|inte\s+intresserad|ikke\s+interessert|ikke\s+interesseret|не\s+интересу\w+"
    r"|không\s+quan\s+tâm)\b",
    re.IGNORECASE,
).search


def asked_part(query: str) -> str:
    """The query without what it says that it is not about. If it has questions among other sentences, and they name
    what they ask for, these alone; and of a question that a request leads to with a colon, what follows it."""
    sentences = [sentence for sentence in _ends(query) if sentence.strip()]
    if len(sentences) == 1 and ":" not in query:  # most queries
        return query
    wanted = [sentence for sentence in sentences if not _excludes(sentence)] or sentences
    questions = [sentence for sentence in wanted if _asks(sentence)]
    # What has a digit may name the very thing: "How many may it send? (v1)".
    kept = [sentence for sentence in wanted if _asks(sentence) or _has_digit(sentence)]
    asking = _after_request(kept[0]) if len(kept) == 1 else "".join(kept)
    if questions and _names_its_subject(asking):
        return asking.strip()
    return "".join(wanted).strip() if len(wanted) < len(sentences) else query


def _after_request(question: str) -> str:
    request, colon, rest = question.partition(":")
    is_request = colon and rest[:1].isspace() and len(request.split()) >= _LEAST_WORDS and len(rest.split()) > 1
    return rest.lstrip() if is_request else question


def _names_its_subject(question: str) -> bool:
    """ "What can I do?" asks about what stands before it."""
    telling = set(terms_of(without_framing(question))) - function_terms(question)
    return len(telling) >= _LEAST_TELLING
