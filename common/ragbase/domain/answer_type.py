"""The kinds of things that questions ask for. The wire models of a search need no more of an answer."""

from __future__ import annotations

from enum import StrEnum


class AnswerType(StrEnum):
    """What a question asks for."""

    DATE = "date"
    AMOUNT = "amount"
    NAME = "name"
    PLACE = "place"
    YES_OR_NO = "yes-or-no"
    OTHER = "other"
