"""May a reindex switch to the index that it has built? Only if that answers an owner's questions as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import GateRefused
from ragbase.domain.index import Index
from ragbase.engine.evaluate import ask_index, own_questions
from ragbase.evaluation.compare import paired
from ragbase.evaluation.evaluate import MeasuredQuestion, evaluate
from ragbase.extras import bring
from ragbase.ports import OpenIndex

_SHOWN = 5
"""Questions that a refusal shows."""


def gate(file: Path | None, profile: Profile, *, allowed_loss: float) -> Callable[[Index, Index], None]:
    """A function that asks two indexes the questions of a CSV file, or the golden questions, and raises GateRefused if
    the mean of the questions' scores (MeasuredQuestion.score) falls by more than `allowed_loss` from the first one to
    the second.

    Raises BadDataset at once if the questions cannot be read, or name a document that is not there.
    """
    bring("eval")
    import ir_measures  # noqa: F401 - if it is missing, that is said before the work

    questions = own_questions(file, profile)

    def check(current: Index, built: Index) -> None:
        def asked(index: OpenIndex) -> Sequence[MeasuredQuestion]:
            config = profile.config
            ask = ask_index(index, profile.documents, group_versions=config.versions == "group")
            return evaluate(questions, ask, top_k=config.top_k, threshold=config.similarity_threshold)

        before = asked(profile.current_index.open(current))
        after = asked(profile.maker_for(built).index)
        scores = paired([one.score for one in before], [one.score for one in after])
        if scores.difference < -allowed_loss - 1e-9:
            raise GateRefused(
                f"The index {built.name} answers worse than the current one, so it does not replace it. The mean "
                f"score of {len(questions):,} questions falls from {scores.first:.3f} to {scores.second:.3f}, and may "
                f"fall by {allowed_loss:g} (better {scores.better}, worse {scores.worse}, p = {scores.p:.3f}). "
                f"{_worst(before, after)}\n"
                "`ragbase eval` shows what the current index answers. The same command asks again; without --gate it "
                "switches. To drop the new index, go back to the settings of the current one and run `ragbase reindex "
                "--discard`."
            )

    return check


def _worst(before: Sequence[MeasuredQuestion], after: Sequence[MeasuredQuestion]) -> str:
    pairs = sorted(zip(before, after, strict=True), key=lambda pair: pair[1].score - pair[0].score)
    lost = [f"{old.text!r} ({old.score:.2f} → {new.score:.2f})" for old, new in pairs if new.score < old.score]
    return f"It loses most with: {'; '.join(lost[:_SHOWN])}."
