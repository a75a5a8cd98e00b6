"""A run's summary as tables: for the terminal, for Markdown, for programs."""

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any, Final

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from harness.analysis.agreement import Agreement, Disagreement
from harness.analysis.run import Run
from harness.analysis.stability import UNSTABLE
from harness.analysis.summary import GROUP
from harness.contract.verdict import Verdict
from harness.report.figures import backend_name, duration, number_of, ratio

WIDTH: Final = 80
_SHOWN: Final = 5
"""Disagreements that the terminal shows; all are in the other formats."""

_ALWAYS: Final = (Verdict.TIMEOUT, Verdict.WRONG)
_OF_TASK: Final = {
    "solve": (Verdict.SOLVED, Verdict.UNSATISFIABLE),
    "count": (Verdict.COUNTED,),
}
_SHORT: Final = {Verdict.UNSATISFIABLE: "unsat"}
_FIGURES: Final = ("median", "mean", "p95", "total")


def text(run: Run, width: int = WIDTH) -> str:
    """Tables for a terminal of `width` columns, and what agreement was found."""
    out = StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    for title, table in _contests(run.summary()):
        console.print(title, soft_wrap=True)
        console.print(_rich_table(table))
        console.print()
    notes = (*_others(run.summary()), *stability_lines(run.stability()))
    for line in (*notes, *agreement_lines(run.agreement(), _SHOWN)):
        console.print(line, soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def markdown(run: Run) -> str:
    """The same for Markdown, with every verdict that occurs."""
    parts = []
    for title, table in _contests(run.summary()):
        verdicts = _verdicts(table, all_that_occur=True)
        names = [*(str(v) for v in verdicts), "median", "mean", "p95", "total", "PAR-2", "ratio"]
        rows = [
            [_escaped(str(row["backend"])), *map(str, (row[v] for v in verdicts)), *_times(row)]
            for _, row in table.iterrows()
        ]
        lines = [f"## {_escaped(title)}", "", _line(["backend", *names])]
        lines += [_line(["---", *["---:"] * len(names)]), *map(_line, rows)]
        parts.append("\n".join(lines))
    agreed = (*stability_lines(run.stability()), *agreement_lines(run.agreement(), None))
    return "\n\n".join([*parts, "\n".join(f"- {_escaped(line)}" for line in agreed)]) + "\n"


def csv(run: Run) -> str:
    """The summary as `harness.analysis.summary` gives it, figures unrounded."""
    return str(run.summary().to_csv(index=False, lineterminator="\n"))


def stability_lines(stability: pd.DataFrame) -> Iterator[str]:
    """For each backend how many puzzles took times that differ, where trials were repeated."""
    for backend, rows in stability.groupby("backend"):
        unstable, cells = rows["unstable"].sum(), rows["cells"].sum()
        if unstable:
            puzzles = f"{unstable:,} of {cells:,} puzzles"
            name = backend_name(str(backend))
            yield f"unstable: {name}: times of {puzzles} differ by {UNSTABLE:.0%} or more"


def agreement_lines(found: Agreement, most: int | None) -> Iterator[str]:
    """What the comparison of the backends has found, a line each."""
    for disagreement in found.disagreements[:most]:
        yield from _disagreement_lines(disagreement)
    hidden = len(found.disagreements) - len(found.disagreements[:most])
    if hidden:
        yield f"... and {number_of(hidden, 'more disagreement')}"
    for backend, verdicts in found.unanswered.items():
        what = ", ".join(f"{n} {verdict.replace('_', ' ')}" for verdict, n in verdicts.items())
        yield f"no answer from {backend_name(backend)}: {what}"
    questions = number_of(found.puzzles, "question")
    if found.disagreements:
        yield f"DISAGREEMENT on {len(found.disagreements)} of {questions}"
    else:
        yield f"no disagreement: {found.compared:,} of {questions} compared"


def _disagreement_lines(disagreement: Disagreement) -> Iterator[str]:
    yield f"{disagreement.dataset}/{disagreement.name}, {disagreement.task}:"
    for claim, backends in disagreement.claims.items():
        yield f"  {', '.join(map(backend_name, backends))}: {claim}"
    yield f"  again: {disagreement.command}"


def _contests(summary: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows that compete with each other, each with a title."""
    contest = [name for name in GROUP if name != "backend"]
    for key, table in summary.groupby(contest, sort=False):
        dataset, task, start, timeout = key
        limit = "" if table["limit"].isna().all() else f" to {table['limit'].max()}"
        most = number_of(int(table["trials"].max()), "trial")
        title = f"{dataset}: {task}{limit}, {start} start, {timeout:g} s a trial, {most}"
        yield title, table


def _verdicts(table: pd.DataFrame, *, all_that_occur: bool) -> list[Verdict]:
    """The verdicts that have a column, in their order."""
    task = str(table["task"].iloc[0])
    shown = (*_OF_TASK[task], *_ALWAYS)
    return [v for v in Verdict if v in shown or (all_that_occur and table[v].any())]


def _rich_table(table: pd.DataFrame) -> Table:
    verdicts = _verdicts(table, all_that_occur=False)
    rich = Table(box=SIMPLE_HEAD, padding=0, show_edge=False)
    rich.add_column("backend", overflow="fold", min_width=7)
    for name in [_SHORT.get(v, str(v)) for v in verdicts]:
        rich.add_column(name, justify="right", no_wrap=True)
    for name in (*_FIGURES, "PAR-2", "ratio"):
        rich.add_column(name, justify="right", no_wrap=True)
    for _, row in table.iterrows():
        cells = [str(row[v]) for v in verdicts]
        rich.add_row(backend_name(str(row["backend"])), *cells, *_times(row))
    return rich


def _times(row: "pd.Series[Any]") -> list[str]:
    figures = [duration(row[f"{n}_s"], bound=bool(row[f"{n}_is_bound"])) for n in _FIGURES]
    return [*figures, duration(row["par2_s"]), ratio(float(row["ratio"]))]


def _others(summary: pd.DataFrame) -> Iterator[str]:
    """What the columns of the terminal leave out and what their marks mean."""
    bounds = summary[[f"{name}_is_bound" for name in _FIGURES]]
    if bounds.to_numpy().any():
        yield "> at least: a trial without a right answer counts as its limit, in PAR-2 twice"
    if summary["ratio"].isna().any():
        yield "ratio: PAR-2 over the best; none for a backend with a wrong answer"


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
