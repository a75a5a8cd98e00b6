"""Runs for tables: with data for each of them, and with hostile names."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.run import Run
from harness.analysis.summary import incidents_frame
from harness.report import tables
from harness.report.render import markup
from harness.report.render import text as terminal
from harness.report.table import Section
from harness.report.tables import comparison_tables as comparison
from tests.full_runs import HOSTILE, full_trials

Trials = Callable[..., pd.DataFrame]


@pytest.fixture(scope="session")
def full(trials_of: Trials) -> Run:
    """Two datasets, two sizes, densities with and without solutions, phases, nodes, failures."""
    return Run(Path("results/full"), full_trials(trials_of))


@pytest.fixture(scope="session")
def hostile_tables_run(trials_of: Trials) -> Run:
    """A run in which every name and every reason is hostile."""
    return hostile_run(trials_of)


def hostile_run(trials_of: Trials) -> Run:
    """A run in which every name and every reason is hostile."""
    together = (("script", "attribute"), ("latex", "row"), ("right to left", "terminal"))
    names = ["".join(HOSTILE[key] for key in keys) for keys in together]
    names += [name for key, name in HOSTILE.items() if not any(key in keys for keys in together)]
    parts, events = [], []
    for name in names:
        results = {name: [1.0, 2.0, "crashed"], f"{name}+": [(2.0, 3.0), "timeout", "wrong"]}
        results |= {f"{name}.": [2.0, 2.0, 2.0]}
        hostile_trials = trials_of(results, dataset=name, host=name, paradigm=name, reason=name)
        columns = {column: name + hostile_trials[column] for column in ("name", "puzzle_id")}
        parts.append(hostile_trials.assign(**columns))
        events.append(left_running(name))
    trials, incidents = (pd.concat(frames, ignore_index=True) for frames in (parts, events))
    return Run(Path(), trials, events=incidents)


@pytest.fixture(scope="session")
def hostile_reports(hostile_tables_run: Run) -> tuple[list[Section], list[Section]]:
    """The sections of `hostile_tables_run`, and of its comparison."""
    return tables.sections(hostile_tables_run), comparison_sections(hostile_tables_run)


def latex(sections: list[Section]) -> str:
    """All tables for LaTeX."""
    return "".join(fragment.text for fragment in markup.latex_fragments(sections))


def terminal_text(
    run: Run, width: int = terminal.WIDTH, names: Sequence[str] = tables.BRIEF
) -> str:
    """Tables and disagreements for a terminal."""
    parts = tables.sections(run, names, is_terminal=True)
    return terminal.text(parts, width, backends=run.backends)


def markdown(run: Run) -> str:
    """The brief tables and disagreements for Markdown."""
    return markup.markdown(tables.sections(run, tables.BRIEF))


def latex_of_run(run: Run, names: Sequence[str]) -> list[markup.Fragment]:
    """The tables with these names for LaTeX."""
    return markup.latex_fragments(tables.sections(run, names), tuple(tables.remarks(run)))


def left_running(backend: str) -> pd.DataFrame:
    return incidents_frame([["2026-01-01T00:00:00", backend, "left running", f"of {backend}"]])


def comparison_sections(run: Run) -> list[Section]:
    """The comparison of a run with one that is slower and fails elsewhere."""
    before = run.trials
    verdicts = before["verdict"].replace({"solved": "timeout", "timeout": "solved"})
    later = before.assign(verdict=before["verdict"].where(before["repetition"] == 1, verdicts))
    return comparison.sections(compare(before, later.assign(wall_s=later["wall_s"] * 2)))
