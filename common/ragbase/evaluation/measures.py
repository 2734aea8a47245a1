"""What a list of results is worth, by ir-measures (github.com/terrierteam/ir_measures), which uses trec_eval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MEASURES = {"nDCG@10": "nDCG@10", "recall@5": "R@5", "recall@10": "R@10", "recall@100": "R@100", "MRR": "RR"}
"""Our names of the measures, and those of ir-measures."""
MAIN_MEASURE = "nDCG@10"


def measured(
    answers: Mapping[str, Mapping[str, int]], results: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """Each measure of each question, by the question's id.

    `answers` has the grades of a question's answers by name, and `results` what was found for it, best first. A
    question for which nothing was found has 0 in all.
    """
    import ir_measures

    judged = [ir_measures.Qrel(id, name, grade) for id, grades in answers.items() for name, grade in grades.items()]
    run = [
        ir_measures.ScoredDoc(id, name, -float(place))
        for id in answers
        for place, name in enumerate(results.get(id, ()))
    ]
    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    values = {id: dict.fromkeys(MEASURES, 0.0) for id in answers}
    for metric in ir_measures.iter_calc(list(names), judged, run) if run else ():
        values[metric.query_id][names[metric.measure]] = metric.value
    return values
