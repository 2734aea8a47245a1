"""Calibrate the model of the profile's index, so that the threshold means for it what it means for MiniLM."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.domain.calibration import FittedCalibration, OrderFit
from ragbase.domain.chunk import Chunk, embedding_text
from ragbase.domain.errors import BadDataset, ConfigurationError
from ragbase.domain.index import Index
from ragbase.engine.evaluate import own_questions
from ragbase.evaluation.question import JudgedQuestion
from ragbase.pipeline.make_chunks import Maker
from ragbase.ports import Clock, DocumentStore, OpenIndex
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.calibrate import fit_index, fit_labels, probes, sample
from ragbase.retrieval.calibration import calibration_of, known_calibration
from ragbase.retrieval.calibrations import Calibrations
from ragbase.retrieval.chance import chance_levels
from ragbase.retrieval.fit_order import LEAST_QUESTIONS, fit_order
from ragbase.retrieval.order_questions import OrderQuestions, Partition
from ragbase.retrieval.read_candidates import read_candidates
from ragbase.text.terms import terms_of


def calibrate(profile: Profile, questions: Path | None = None, *, reorders: bool = True) -> FittedCalibration | None:
    """Fit the calibration of the current index, and keep it with the index. With `questions` (a CSV file, as for
    `ragbase eval`), their labels are fitted, too; without, labels that were fitted before are dropped. The order is
    fitted unless `reorders` is false: then that of a model whose constants are known stays as it was.

    Returns None if there is nothing to fit: the constants of the model are known and as good as others, no passage is
    in a language that has a chance level, and there are no labels. Raises BadDataset, also without an index, and
    ConfigurationError if the model does not tell answers from other passages.
    """
    index = profile.current_index.get()
    if index is None:
        raise BadDataset("There is no index to calibrate yet. Add documents with: ragbase ingest PATH")
    documents = profile.documents
    labelled = []
    if questions is not None:
        labelled = own_questions(questions, profile)
    fitted = _with_chance(_fitted(index, profile.clock), index, documents)
    if labelled:
        own = [one.text for one in labelled if one.expected]
        foreign = [one.text for one in labelled if not one.expected] + [one.question for one in probes()]
        asked = replace(index, fitted=lambda: fitted)
        labels = fit_labels(_strongest(own, asked, documents), _strongest(foreign, asked, documents))
        fitted = replace(fitted, labels=labels)
    if reorders or known_calibration(index.index.model) is None:
        fitted = replace(fitted, order=_order(fitted, index, documents, labelled))
    elif (before := profile.calibrations.of(index.index)) is not None:
        fitted = replace(fitted, order=before.order)
    if fitted.cosines is None and fitted.labels is None and fitted.order is None and not fitted.chance_levels:
        if fitted.chance_levels is None:
            profile.calibrations.forget(index.index.name)
        else:
            profile.calibrations.save(index.index, fitted)  # nobody has to look again
        return None
    _keep(index.index, fitted, profile.calibrations)
    return fitted


def calibrating(
    calibrations: Calibrations,
    maker_for: Callable[[Index], Maker],
    documents: DocumentStore,
    clock: Clock,
    then: Callable[[Index, Index], object] = lambda current, built: None,
) -> Callable[[Index, Index], None]:
    """What a reindex does before it switches: it calibrates the new index, and calls `then`.

    A model without constants of its own is calibrated. If the model stays the same, labels that were fitted before hold
    for the new index. An order that was fitted without labels is fitted again. A model that cannot be calibrated is
    logged, and does not stop the reindex.
    """

    def before_switch(current: Index, built: Index) -> None:
        before = calibrations.of(current) if current.model == built.model else None
        if before is not None or known_calibration(built.model) is None:
            try:
                index = maker_for(built).index
                fitted = _fitted(index, clock)
                fitted = replace(fitted, order=_order_as(before, fitted, index, documents))
            except ConfigurationError as error:
                telemetry.log(
                    "index.uncalibrated", str(error), level=logging.WARNING, index=built.name, model=built.model
                )
            else:
                labels = before.labels if before is not None else None
                _keep(built, replace(fitted, labels=labels), calibrations)
        then(current, built)

    return before_switch


def _fitted(index: OpenIndex, clock: Clock) -> FittedCalibration:
    """Without labels and chance levels."""
    model, now = index.index.model, clock.now()
    if known_calibration(model) is not None:
        return FittedCalibration(model=model, fitted_at=now, passages=0)
    return fit_index(index, now)


def _with_chance(fitted: FittedCalibration, index: OpenIndex, documents: DocumentStore) -> FittedCalibration:
    """With the chance levels, where the weights of the model know what these are worth."""
    if not calibration_of(index.index.model, fitted).confidence.chance:
        return fitted
    tenants = [index.vectors(tenant) for tenant in index.tenants()]
    texts = [embedding_text(one.chunk) for one in sample(tenants)]
    levels = chance_levels(
        texts,
        partitions=[ActiveChunks(vectors, documents) for vectors in tenants],
        embedder=index.embedder,
        language=index.index.language,
        fitted=fitted,
    )
    return replace(fitted, passages=len(texts), chance_levels=levels)


def _order(
    fitted: FittedCalibration, index: OpenIndex, documents: DocumentStore, labelled: Sequence[JudgedQuestion]
) -> OrderFit | None:
    """By the labels if there are enough, or else by the index's own sentences."""
    stores = [index.vectors(tenant) for tenant in index.tenants()]
    partitions = [Partition(vectors, ActiveChunks(vectors, documents)) for vectors in stores]
    questions = OrderQuestions(partitions, index.embedder, index.index.language, fitted)
    rank = calibration_of(index.index.model).rank
    answered = [one for one in labelled if one.expected]
    if len(answered) >= LEAST_QUESTIONS:
        return fit_order([questions.labelled(one.text, _answers(one)) for one in answered], rank, labelled=True)
    return fit_order(list(questions.sentences()), rank)


def _order_as(
    before: FittedCalibration | None, fitted: FittedCalibration, index: OpenIndex, documents: DocumentStore
) -> OrderFit | None:
    """That of a new index, after one that had the same model, or another one (None)."""
    order = before.order if before is not None else None
    if order is not None and order.labelled:
        return order
    return _order(fitted, index, documents, ()) if order is not None or fitted.cosines is not None else None


def _answers(question: JudgedQuestion) -> Callable[[Chunk], bool]:
    return lambda chunk: any(one.is_met_by(chunk.text, chunk.document_id) for one in question.expected)


def _strongest(questions: Sequence[str], index: OpenIndex, documents: DocumentStore) -> list[float]:
    """The evidence for the strongest passage of each question, in logits, in any tenant."""
    chunks = [ActiveChunks(index.vectors(tenant), documents) for tenant in index.tenants()]
    evidence = []
    for question in questions:
        language = index.index.language
        vector, terms = index.embedder.embed_query(question), terms_of(question, language)
        read = [read_candidates(question, vector, terms, chunks=one, language=language, wanted=1) for one in chunks]
        scorers = [one.scorer(vector, terms, model=index.embedder.model, fitted=index.fitted()) for one in read]
        evidence.append(max((scorer.strongest for scorer in scorers), default=-math.inf))
    return evidence


def _keep(index: Index, fitted: FittedCalibration, calibrations: Calibrations) -> None:
    calibrations.save(index, fitted)
    telemetry.log(
        "index.calibrated",
        index=index.name,
        model=fitted.model,
        passages=fitted.passages,
        labelled=fitted.labels.questions if fitted.labels is not None else 0,
    )
