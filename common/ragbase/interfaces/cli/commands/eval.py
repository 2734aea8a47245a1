"""ragbase eval"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragbase.domain.limits import MAX_TOP_K
from ragbase.extras import bring
from ragbase.interfaces.cli.screen import counted, print_fields, print_json, print_table
from ragbase.interfaces.cli.session import (
    Number,
    Session,
    endpoint_options,
    json_option,
    pass_session,
    session_options,
)

if TYPE_CHECKING:
    from ragbase.engine.evaluate import Evaluation, OnProgress
    from ragbase.interfaces.cli.evaluation import EvaluationResult

_AT_SEARCH: Mapping[str, click.IntRange | Number] = {
    "top_k": click.IntRange(1, MAX_TOP_K),
    "similarity_threshold": Number(0, 1),
}
"""The settings that say how an index is asked. All others need another index."""
_STEP = 100
"""Documents or questions between two lines of progress, if there is no terminal."""


@click.command("eval")
@click.argument("dataset", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--split", metavar="NAME", help="Of a folder: the qrels to take. [default: test, or the only ones]")
@click.option(
    "--foreign",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Ask these questions, too: no document answers them. One in a line.",
)
@click.option("--top-k", type=_AT_SEARCH["top_k"], help="As in `ragbase query`. [default: the setting top_k, 5]")
@click.option(
    "--threshold",
    type=_AT_SEARCH["similarity_threshold"],
    help="As in `ragbase query`. [default: the setting similarity_threshold, 0.5]",
)
@click.option(
    "--compare",
    multiple=True,
    metavar="FILE|SETTING=VALUE",
    help="Compare with an earlier result (a file that --json has printed), or with other settings, which are measured, "
    "too. Settings may be repeated.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False, writable=True, path_type=Path), help="Write a page with the curve here."
)
@json_option
@endpoint_options
@session_options
@pass_session
def command(
    session: Session,
    dataset: Path | None,
    *,
    split: str | None,
    foreign: Path | None,
    top_k: int | None,
    threshold: float | None,
    compare: tuple[str, ...],
    html: Path | None,
    as_json: bool,
) -> None:
    """Measure how good the answers are.

    Without DATASET, the golden questions are asked, which people keep in the console. DATASET is a folder in the form
    of BEIR (corpus.jsonl, queries.jsonl, qrels), whose documents go through the whole pipeline into a temporary data
    folder. Or it is a CSV file with your own questions about the documents that are there: the columns are question and
    expected, which is a document, a text in it, or none.
    """
    bring("eval")
    import ir_measures  # noqa: F401 - if it is missing, that is said before the work

    own: dict[str, object] = {"top_k": top_k, "similarity_threshold": threshold}
    file, settings = _other(compare, dataset)
    if session.endpoint is not None and _is_folder(dataset):
        raise click.UsageError(
            "A folder does not go together with --endpoint: its documents go into a temporary data folder. Give a CSV "
            "file with questions about the documents of the deployment."
        )
    if split is not None and not _is_folder(dataset):
        raise click.UsageError("--split goes together with a folder only: a CSV file has no splits.")
    with _progress(as_json=as_json) as on_progress:
        earlier = _earlier(file)
        measuring = _Measuring(session=session, dataset=dataset, split=split, foreign=foreign, on_progress=on_progress)
        result = measuring.result(own)
        if settings:
            earlier = measuring.result({**own, **settings})
    if earlier is not None:
        from ragbase.interfaces.cli.evaluation import compared

        result = result.model_copy(update={"comparison": compared(earlier, result, ", ".join(compare))})
    if html is not None:
        from ragbase.interfaces.cli.evaluation_page import evaluation_page

        html.write_text(evaluation_page(result), encoding="utf-8")
    if as_json:
        print_json(result)
    else:
        _print(result)


def _other(compare: Sequence[str], dataset: Path | None) -> tuple[Path | None, dict[str, str]]:
    """The file or the settings to compare with."""
    settings = dict(one.split("=", 1) for one in compare if "=" in one and not Path(one).exists())
    files = [Path(one) for one in compare if one.partition("=")[0] not in settings]
    if len(files) > 1 or (files and settings):
        raise click.UsageError("--compare takes one file, or settings, and not both. Leave the others out.")
    fixed = sorted(settings.keys() - _AT_SEARCH.keys())
    if fixed and not _is_folder(dataset):
        raise click.UsageError(
            f"--compare {fixed[0]}=… needs another index, and a CSV file asks the one that is there. Compare it "
            "during a reindex with: ragbase reindex --gate QUESTIONS"
        )
    return (files[0] if files else None), settings


def _is_folder(dataset: Path | None) -> bool:
    return dataset is not None and dataset.is_dir()


def _earlier(file: Path | None) -> EvaluationResult | None:
    from ragbase.interfaces.cli.evaluation import read_evaluation

    return read_evaluation(file) if file is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measuring:
    """What is asked; the settings may differ."""

    session: Session
    dataset: Path | None
    split: str | None
    foreign: Path | None
    on_progress: OnProgress

    def result(self, settings: Mapping[str, object]) -> EvaluationResult:
        from ragbase.interfaces.cli.evaluation import evaluation_result

        return evaluation_result(self._evaluation(settings))

    def _evaluation(self, settings: Mapping[str, object]) -> Evaluation:
        from ragbase.engine.evaluate import evaluate_beir
        from ragbase.evaluation.beir import read_beir
        from ragbase.evaluation.own_questions import read_foreign

        foreign = read_foreign(self.foreign) if self.foreign is not None else []
        if self.dataset is not None and self.dataset.is_dir():
            config = self.session.config(**settings)
            collection = read_beir(self.dataset, self.split, follow_links=config.follow_links)
            return evaluate_beir(collection, config, foreign=foreign, on_progress=self.on_progress)
        with self.session.evaluator(**settings) as evaluate:
            return evaluate(self.dataset, foreign=foreign, on_progress=self.on_progress)


def _print(result: EvaluationResult) -> None:
    from ragbase.interfaces.cli.evaluation import (
        COMPARISON_COLUMNS,
        comparison_rows,
        curve_rows,
        measure_rows,
        summary_fields,
    )

    print_fields(summary_fields(result))
    if result.measures:
        click.echo("")
        columns = ("measure", "without threshold", "at the threshold")
        print_table(columns, measure_rows(result), right=columns[1:])
    click.echo("")
    columns = ("threshold", "answered", "refused")
    print_table(columns, curve_rows(result), right=columns)
    if result.comparison is not None:
        click.echo(f"\ncompared with {result.comparison.other}")
        print_table(COMPARISON_COLUMNS, comparison_rows(result.comparison), right=COMPARISON_COLUMNS[1:])


@contextmanager
def _progress(*, as_json: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A line per hundred documents or questions, on standard error; nothing with JSON, unless there is a terminal."""
    is_terminal = sys.stderr.isatty()

    def line(what: str, done: int, total: int) -> None:
        if is_terminal:
            click.echo(f"\r{what}: {done:,} of {total:,}", nl=done == total, err=True)
        elif not as_json and done % _STEP == 0:
            click.echo(f"{done:,} of {counted(total, what.removesuffix('s'))}", err=True)

    yield line
