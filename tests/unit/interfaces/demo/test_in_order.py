"""The demo shows what happens to a document in its order, whichever thread reports first."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from ragbase.domain.document import Change, Document, Status
from ragbase.interfaces.demo.in_order import InOrder
from ragbase.testing.passages import document

PENDING = replace(document("a.md"), status=Status.PENDING)
PROCESSING = replace(PENDING, status=Status.PROCESSING, attempts=1)
COMPLETED = replace(PROCESSING, status=Status.COMPLETED)
CHANGES = [Change(None, PENDING), Change(PENDING, PROCESSING), Change(PROCESSING, COMPLETED)]


@pytest.mark.parametrize("reported", list(permutations(CHANGES)))
def test_changes_are_shown_in_their_order(reported: tuple[Change, ...]) -> None:
    shown: list[Document] = []
    in_order = InOrder(lambda before, after: shown.append(after))
    for change in reported:
        in_order(change)
    assert shown == [PENDING, PROCESSING, COMPLETED]


def test_a_document_does_not_wait_for_another_one() -> None:
    shown: list[str] = []
    in_order = InOrder(lambda before, after: shown.append(after.name))
    in_order(CHANGES[1])
    in_order(Change(None, document("b.md")))
    assert shown == ["b.md"]


def test_a_change_that_moves_nothing_is_not_shown() -> None:
    shown: list[Document] = []
    in_order = InOrder(lambda before, after: shown.append(after))
    in_order(CHANGES[0])
    in_order(Change(PENDING, replace(PENDING, size=2)))
    assert shown == [PENDING]
