"""Comparison of two runs: new failures, fixed failures and real changes of times."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import pandas as pd

from harness.analysis.changes import (
    NEW_FAILURE,
    NOW_WRONG,
    PUZZLES,
    SLOWER,
    STATUS,
    TIMES,
    puzzle_changes,
    status_changes,
    time_changes,
)
from harness.analysis.composition import differences, nothing_in_common
from harness.analysis.environment import ENVIRONMENT
from harness.analysis.machines import across_machines as one_machine
from harness.analysis.measure import Layout
from harness.analysis.pairs import paired
from harness.errors import InputError

LAYOUTS: Final[tuple[Layout, ...]] = (STATUS, TIMES, PUZZLES, ENVIRONMENT)
"""The tables of a comparison, in the order in which a report shows them."""


@dataclass(frozen=True)
class Comparison:
    """The changes from one run to another."""

    status: pd.DataFrame
    """New and fixed failures: see `changes.status_changes`."""
    times: pd.DataFrame
    """Changes of times: see `changes.time_changes`."""
    puzzles: pd.DataFrame
    """The puzzles whose times changed most: see `changes.puzzle_changes`."""
    pairs: pd.DataFrame
    """One row for each result of both runs: see `pairs.paired`."""
    only_before: int
    """Number of results that only the first run has."""
    only_after: int
    """Number of results that only the second run has."""
    notes: tuple[str, ...]
    """Sentences that a reader needs in order to judge the comparison."""
    partial: tuple[str, ...] = ()
    """Why the comparison does not cover all of both runs; empty if it does."""
    environment: pd.DataFrame = field(default_factory=lambda: ENVIRONMENT.frame([]))
    """Differences of machine, software and datasets: see `environment.environment_changes`."""

    @property
    def regressed(self) -> bool:
        """Whether anything is worse: a new failure, or times that are significantly longer."""
        return bool(
            self.status["change"].isin([NOW_WRONG, NEW_FAILURE]).any()
            or (self.times["change"] == SLOWER).any()
        )

    def frame(self, layout: Layout) -> pd.DataFrame:
        """The frame of one of `LAYOUTS`."""
        frames = {
            STATUS.name: self.status,
            TIMES.name: self.times,
            PUZZLES.name: self.puzzles,
            ENVIRONMENT.name: self.environment,
        }
        return frames[layout.name]

    def _repr_html_(self) -> str:
        """The changes as tables for a notebook, after what they do not cover; texts are escaped."""
        notes = [f"<p>partial: {html.escape(reason)}</p>" for reason in self.partial]
        tables = [
            self.frame(layout)
            .dropna(axis=1, how="all")
            .to_html(escape=True, index=False, max_rows=50)
            for layout in LAYOUTS
        ]
        return "".join([*notes, *tables])


def compare(
    before: pd.DataFrame, after: pd.DataFrame, *, across_machines: bool = False
) -> Comparison:
    """Compare two frames of trials, result by result.

    Results are compared if they agree in the label of the backend, the puzzle and its
    dataset, task, limits, start and machine.

    Args:
        before: trials with the columns of `harness.records.fields.DTYPES`.
        after: trials with the same columns.
        across_machines: compare wall times of different machines too. They depend on
            the machines as well, so a note marks the comparison.

    Raises:
        InputError: a run has no trials, the runs have no machine in common and
            `across_machines` is not given, or they have no result in common.
    """
    for which, trials in (("first", before), ("second", after)):
        if trials.empty:
            raise InputError(f"the {which} run has no trials", expected="two runs with results")
    notes = []
    hosts = [sorted(set(t["host"].fillna("").astype(str))) for t in (before, after)]
    if across_machines:
        if hosts[0] != hosts[1] or len(hosts[0]) > 1:
            notes.append(
                "wall times of different machines are compared: "
                f"before on {_named(hosts[0])}, after on {_named(hosts[1])}"
            )
        name = " / ".join(_named(h) for h in hosts) if hosts[0] != hosts[1] else _named(hosts[0])
        before, after = (one_machine(t).assign(host=name) for t in (before, after))
    elif not set(hosts[0]) & set(hosts[1]):
        raise InputError(
            "the runs are from different machines: "
            f"the first from {_named(hosts[0])}, the second from {_named(hosts[1])}",
            expected="runs of one machine, or --across-machines",
        )
    elif alone := sorted(set(hosts[0]) ^ set(hosts[1])):
        notes.append(f"left out, as only one of the runs has trials of it: {_named(alone)}")
    pairs, only_before, only_after = paired(before, after)
    if pairs.empty:
        raise InputError(
            f"nothing can be compared: the runs differ in {nothing_in_common(before, after)}",
            expected="two runs that have at least these in common",
        )
    times = time_changes(pairs)
    return Comparison(
        status_changes(pairs),
        times,
        puzzle_changes(pairs, times),
        pairs,
        only_before,
        only_after,
        tuple(notes),
        partial=tuple(_partial(before, after, only_before, only_after)),
    )


def _partial(
    before: pd.DataFrame, after: pd.DataFrame, only_before: int, only_after: int
) -> Iterator[str]:
    for number, which in ((only_before, "first"), (only_after, "second")):
        if number:
            results = "1 result is" if number == 1 else f"{number:,} results are"
            yield f"{results} only in the {which} run"
    if only_before or only_after:
        parts = "; ".join(differences(before, after))
        yield f"the runs differ in {parts or 'the combinations of their parts'}"


def _named(hosts: Sequence[str]) -> str:
    return ", ".join(host or "an unknown machine" for host in hosts)
