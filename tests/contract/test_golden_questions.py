"""Golden questions and the runs of their evaluation, in each store of checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from ragbase.domain.errors import BadDataset, TooManyQuestions
from ragbase.domain.limits import MAX_GOLDEN_QUESTIONS, MAX_QUERY_LENGTH
from ragbase.evaluation.evaluate import MeasuredQuestion
from ragbase.evaluation.evaluation_runs import MOST_RUNS, EvaluationRuns, run_of
from ragbase.evaluation.golden_questions import GoldenQuestions, judged
from ragbase.ports import Checkpoints
from ragbase.testing.clock import VirtualClock
from tests.contract.adapters import CHECKPOINTS
from tests.contract.real_servers import in_prove

NOW = datetime(2025, 6, 1, 9, 30, tzinfo=UTC)


@pytest.fixture(params=in_prove(CHECKPOINTS))
def checkpoints(request: pytest.FixtureRequest) -> Iterator[Checkpoints]:
    with CHECKPOINTS[request.param]() as checkpoints:
        yield checkpoints


@pytest.fixture
def questions(checkpoints: Checkpoints) -> GoldenQuestions:
    return GoldenQuestions(lambda: checkpoints, VirtualClock())


def test_a_question_is_kept_once_until_it_is_removed(questions: GoldenQuestions) -> None:
    first, is_new = questions.keep("Wann beginnt die Sicherung? 🕑", "id-1", "")
    again, is_new_again = questions.keep("Wann beginnt die Sicherung? 🕑", "id-1", "")
    other, _ = questions.keep("Wann beginnt die Sicherung? 🕑", "id-2", "")
    assert (is_new, is_new_again) == (True, False)
    assert first == again
    assert questions.all() == questions.of("") == [first, other]
    questions.remove(first.id, None)
    questions.remove("unknown", None)
    assert questions.all() == [other]


def test_tenants_share_neither_questions_nor_room(questions: GoldenQuestions) -> None:
    red, _ = questions.keep("When?", "id-1", "red / ü 🙂")
    blue, _ = questions.keep("When?", "id-2", "blue")
    assert questions.of("red / ü 🙂") == [red]
    assert questions.of("green") == []
    assert {one.id for one in questions.all()} == {red.id, blue.id}
    questions.remove(red.id, "blue")
    assert questions.of("red / ü 🙂") == [red]


def test_the_longest_questions_have_room_and_one_more_is_refused(checkpoints: Checkpoints) -> None:
    questions = GoldenQuestions(lambda: checkpoints, VirtualClock())
    for number in range(MAX_GOLDEN_QUESTIONS):
        text = f"{number:03}" + "🙂" * (MAX_QUERY_LENGTH - 3)
        questions.keep(text, "0b6c0000-0000-4000-8000-000000000000", "red")
    with pytest.raises(TooManyQuestions, match="Remove one"):
        questions.keep("One more?", "id", "red")
    assert questions.keep(text, "0b6c0000-0000-4000-8000-000000000000", "red")[1] is False
    assert questions.keep("One more?", "id", "blue")[1] is True


def test_several_keep_at_once(checkpoints: Checkpoints) -> None:
    questions = GoldenQuestions(lambda: checkpoints, VirtualClock())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: questions.keep(f"Question {number}?", "id", f"tenant {number % 2}"), range(12)))
    assert {one.question for one in questions.all()} == {f"Question {number}?" for number in range(12)}


def test_a_question_with_two_documents_has_two_answers() -> None:
    found = judged([("When?", "id-1"), ("Who?", "id-3"), ("When?", "id-2")])
    assert [(one.text, [answer.document_id for answer in one.expected]) for one in found] == [
        ("When?", ["id-1", "id-2"]),
        ("Who?", ["id-3"]),
    ]
    with pytest.raises(BadDataset, match="no golden questions"):
        judged([])


def measured(rank: int | None, *, is_answerable: bool = True) -> MeasuredQuestion:
    reciprocal = 1 / rank if rank else 0.0
    figures = {"MRR": reciprocal, "nDCG@10": reciprocal} if is_answerable else {}
    return MeasuredQuestion(
        id="1",
        text="When?",
        is_answerable=is_answerable,
        without_threshold=figures,
        at_threshold=figures,
        results=rank or 0,
        answered_until=None,
        seconds=0.1,
    )


def test_a_run_has_the_figures_of_its_questions() -> None:
    ranks = [1, 1, 3, 7, 25, None]
    asked = [*map(measured, ranks), measured(None, is_answerable=False)]
    run = run_of(asked, at=NOW, model="minilm", top_k=5, threshold=0.5)
    assert run is not None
    assert run.questions == 6
    assert run.hit_rate == 3 / 6
    assert run.mrr == pytest.approx((1 + 1 + 1 / 3 + 1 / 7 + 1 / 25) / 6)
    assert run.ranks == (2, 0, 1, 0, 0, 0, 1, 0, 0, 0)
    assert (run.later, run.missing) == (1, 1)
    assert run_of(asked[-1:], at=NOW, model=None, top_k=5, threshold=0.5) is None


def test_the_newest_runs_are_kept(checkpoints: Checkpoints) -> None:
    runs = EvaluationRuns(lambda: checkpoints)
    assert runs.all() == []
    for number in range(MOST_RUNS + 2):
        run = run_of([measured(1)], at=NOW + timedelta(days=number), model=None, top_k=5, threshold=0.5)
        assert run is not None
        runs.note(run)
    kept = runs.all()
    assert len(kept) == MOST_RUNS
    assert (kept[0].at, kept[-1]) == (NOW + timedelta(days=2), run)
