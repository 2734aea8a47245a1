"""`ragbase eval` of a deployment: an owner's questions are asked over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.engine.evaluate import Evaluation, OnProgress, dataset_name
from ragbase.evaluation.evaluate import evaluate
from ragbase.evaluation.golden_questions import judged
from ragbase.evaluation.own_questions import read_questions
from ragbase.evaluation.question import FoundText, JudgedQuestion
from ragbase.interfaces.knowledge.deployment_knowledge import remote_name

if TYPE_CHECKING:
    from ragbase.client.client import Client


def evaluate_deployment(
    file: Path | None,
    *,
    client: Client,
    top_k: int | None,
    threshold: float | None,
    foreign: Sequence[JudgedQuestion],
    on_progress: OnProgress,
) -> Evaluation:
    """Ask the deployment's documents the questions of a CSV file, or their golden questions, each in some eight
    requests. What is None is the deployment's setting. Raises BadDataset, and what the client raises."""
    questions = [*(_own_questions(file, client) if file is not None else _golden_questions(client)), *foreign]
    said = client.explain(questions[0].text[:MAX_QUERY_LENGTH], "settings")  # it names what a query takes
    top_k = said.top_k if top_k is None else top_k
    threshold = said.threshold if threshold is None else threshold
    settings = said.settings.model_dump(exclude={"model"}) if said.settings is not None else {}  # an older server
    return Evaluation(
        dataset=dataset_name(file),
        model=said.settings.model if said.settings is not None else None,
        settings=settings | {"top_k": top_k, "similarity_threshold": threshold},
        threshold=threshold,
        documents=client.page(limit=1).total,
        questions=evaluate(
            questions,
            partial(_ask, client=client),
            top_k=top_k,
            threshold=threshold,
            on_progress=lambda done: on_progress("questions", done, len(questions)),
        ),
    )


def _own_questions(file: Path, client: Client) -> list[JudgedQuestion]:
    @cache
    def listed() -> Mapping[str, str]:
        """The ids of all documents, by id and by name."""
        documents = list(client.list())
        return {one.filename: one.id for one in documents} | {one.id: one.id for one in documents}

    def id_of(identifier: str) -> str | None:
        return listed().get(identifier) or listed().get(remote_name(identifier))

    return read_questions(file, id_of)


def _golden_questions(client: Client) -> list[JudgedQuestion]:
    return judged((one.question, one.document_id) for one in client.golden_questions() if one.filename is not None)


def _ask(question: str, *, top_k: int, threshold: float, client: Client) -> Sequence[FoundText]:
    """A deployment shows no more than MAX_TOP_K passages."""
    found = client.query(question[:MAX_QUERY_LENGTH], top_k=min(top_k, MAX_TOP_K), threshold=threshold)
    return [FoundText(one.content, [source.document_id for source in one.sources]) for one in found]
