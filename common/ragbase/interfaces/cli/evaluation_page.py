"""The result of `ragbase eval` as one HTML file: tables, and the curve as SVG. It loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ragbase.interfaces.cli.evaluation import (
    COMPARISON_COLUMNS,
    EvaluatedShares,
    EvaluationResult,
    comparison_rows,
    curve_rows,
    measure_rows,
    summary_fields,
)

_WIDTH, _HEIGHT, _MARGIN = 640, 360, 48
_STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222;
  background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .2rem .8rem; border-bottom: 1px solid #ddd; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; max-width: 640px; }
svg text { font-size: 12px; fill: #444; }
.answered { stroke: #0b6e4f; } .refused { stroke: #b5402a; } .now { stroke: #888; stroke-dasharray: 4 4; }
polyline { fill: none; stroke-width: 2; }
"""


def evaluation_page(result: EvaluationResult) -> str:
    """The page, in HTML. Texts of the dataset are escaped."""
    worst = sorted((one for one in result.questions if one.score < 1), key=lambda one: (one.score, one.id))[:50]
    parts = [
        "<h1>Evaluation</h1>",
        _table((), summary_fields(result)),
        "<h2>Measures</h2>" + _table(("measure", "without threshold", "at the threshold"), measure_rows(result))
        if result.measures
        else "",
        "<h2>Answered and refused questions over the threshold</h2>",
        _plot(result.curve, result.shares.threshold),
        _table(("threshold", "answered", "refused"), curve_rows(result)),
    ]
    if result.comparison is not None:
        parts.append(f"<h2>Compared with {escape(result.comparison.other)}</h2>")
        parts.append(_table(COMPARISON_COLUMNS, comparison_rows(result.comparison)))
    if worst:
        parts.append("<h2>Questions with the lowest scores</h2>")
        parts.append(
            _table(
                ("question", "score", "results"), ((one.text, f"{one.score:.3f}", str(one.results)) for one in worst)
            )
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Evaluation of {escape(result.dataset)}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body></html>\n"
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = f"<tr>{''.join(f'<th>{escape(column)}</th>' for column in columns)}</tr>" if columns else ""
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{head}{body}</table>"


def _plot(curve: Sequence[EvaluatedShares], threshold: float) -> str:
    lines = [
        _line("answered", [(one.threshold, one.answered) for one in curve if one.answered is not None]),
        _line("refused", [(one.threshold, one.refused) for one in curve if one.refused is not None]),
    ]
    grid = "".join(
        f'<line x1="{_x(0)}" y1="{_y(step)}" x2="{_x(1)}" y2="{_y(step)}" stroke="#eee"/>'
        f'<text x="{_MARGIN - 8}" y="{_y(step) + 4}" text-anchor="end">{step:g}</text>'
        f'<text x="{_x(step)}" y="{_HEIGHT - _MARGIN + 18}" text-anchor="middle">{step:g}</text>'
        for step in _STEPS
    )
    now = (
        f'<line class="now" x1="{_x(threshold)}" y1="{_y(0)}" x2="{_x(threshold)}" y2="{_y(1)}"/>'
        f'<text x="{_x(threshold) + 4}" y="{_y(1) - 6}">threshold {threshold:g}</text>'
    )
    legend = (
        f'<text x="{_MARGIN}" y="{_HEIGHT - 6}">threshold → &#160; green: questions with an answer that get a result, '
        "red: questions without an answer that get none</text>"
    )
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{grid}{now}{"".join(lines)}{legend}</svg>'


def _line(name: str, points: Sequence[tuple[float, float]]) -> str:
    if not points:
        return ""
    places = " ".join(f"{_x(threshold)},{_y(share)}" for threshold, share in points)
    return f'<polyline class="{name}" points="{places}"><title>{name}</title></polyline>'


def _x(threshold: float) -> float:
    return round(_MARGIN + threshold * (_WIDTH - 2 * _MARGIN), 1)


def _y(share: float) -> float:
    return round(_HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN), 1)
