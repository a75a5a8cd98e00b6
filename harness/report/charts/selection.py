"""Selection of charts: their kinds, and the datasets and backends that they show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from harness.analysis.run import Run
from harness.errors import InputError, meant, one_of
from harness.records.labels import spec_of
from harness.report.charts.catalogue import CHARTS
from harness.report.charts.chart import ChartKind
from harness.report.formatting import backend_name, printable, shortened


@dataclass(frozen=True, slots=True)
class Selection:
    """The charts to draw; an empty field selects everything."""

    kinds: Sequence[str] = ()
    """Names of chart kinds."""
    datasets: Sequence[str] = ()
    backends: Sequence[str] = ()
    """Labels of configurations, or names of backends for all their configurations."""

    def chart_kinds(self) -> list[ChartKind[Run]]:
        """The selected kinds, in display order.

        Raises:
            InputError: a kind does not exist.
        """
        _check("--chart", "chart", self.kinds, [kind.name for kind in CHARTS])
        return [kind for kind in CHARTS if not self.kinds or kind.name in self.kinds]

    def run(self, run: Run) -> Run:
        """The trials of `run` on the selected datasets and backends, as a run.

        Everything in its charts is computed from these trials alone.

        Raises:
            InputError: the run has no trial of a dataset or backend, or of their combination.
        """
        found = sorted(map(str, run.trials["dataset"].unique()))
        _check("--dataset", "dataset", self.datasets, found)
        labels = self._labels(run)

        def selected(rows: pd.DataFrame) -> pd.DataFrame:
            if self.datasets:
                rows = rows[rows["dataset"].isin(self.datasets)]
            return rows[rows["backend"].isin(labels)] if self.backends else rows

        trials = selected(run.trials)
        if trials.empty:
            raise InputError(
                f"no trials of {_listed(self.backends)} on {_listed(self.datasets)}",
                expected="backends and datasets that were run with each other",
            )
        if len(trials) == len(run.trials):
            return run
        return replace(run, trials=trials, planned=selected(run.planned))

    def _labels(self, run: Run) -> set[str]:
        """The labels of the selected configurations: those of this name, or of this backend."""
        chosen: set[str] = set()
        for name in self.backends:
            same = [b for b in run.backends if name in (b, backend_name(b))]
            of_backend = [b for b in run.backends if _without_options(b) == name]
            if not same and not of_backend:
                _check("--backend", "backend", [name], run.backends)
            chosen |= set(same or of_backend)
        return chosen


def _without_options(label: str) -> str:
    return re.sub(r"\[.*\]$", "", spec_of(label))


def _check(option: str, thing: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(
                f"unknown {thing} {_shown(name)!r}{meant(name, _all_shown(known))}",
                where=option,
                expected=one_of(_all_shown(known)),
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_shown, names))


def _all_shown(names: Sequence[str]) -> list[str]:
    return [_shown(name) for name in names]


def _shown(name: str) -> str:
    return printable(shortened(name))
