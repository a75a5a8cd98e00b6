"""Comparison of two runs: new failures, fixed failures and real changes of times."""

import html
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

import pandas as pd

from harness.analysis.calls import by_call, single
from harness.analysis.changes import (
    NEW_FAILURE,
    NOW_WRONG,
    PUZZLES,
    SLOWER,
    SLOWER_UNEQUAL,
    STATUS,
    TIMEOUT_UNEQUAL,
    TIMES,
    puzzle_changes,
    status_changes,
    time_changes,
)
from harness.analysis.composition import differences, nothing_in_common
from harness.analysis.conditions import MACHINE, Difference, machine_differences
from harness.analysis.environment import ENVIRONMENT
from harness.analysis.inference import DEFAULT, Criterion, cannot_differ
from harness.analysis.limit_failures import LIMITS, MORE, MORE_UNEQUAL, limit_changes
from harness.analysis.machines import across_machines as one_machine
from harness.analysis.measure import Layout
from harness.analysis.pairs import paired
from harness.analysis.time_choice import REQUESTED, TimeChoice, choose_times
from harness.analysis.times import require_times, timed
from harness.analysis.usage import Usage, usages
from harness.errors import InputError
from harness.records.environment import Invocation
from harness.records.question import Start
from harness.records.time_kind import TimeKind
from harness.text import number_of

LAYOUTS: Final[tuple[Layout, ...]] = (STATUS, LIMITS, TIMES, PUZZLES, ENVIRONMENT)
"""The tables of a comparison, in the order in which a report shows them."""


@dataclass(frozen=True)
class Comparison:
    """The changes from one run to another."""

    status: pd.DataFrame
    """New and fixed failures: see `changes.status_changes`."""
    limits: pd.DataFrame
    """Numbers of failures at a limit: see `limit_failures.limit_changes`."""
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
    choices: dict[str, TimeChoice] = field(default_factory=dict)
    """The time by which each backend is compared, and why."""
    unequal: tuple[Difference, ...] = ()
    """Why the machine was not the same in both runs; empty if it was."""
    criterion: Criterion = DEFAULT
    """What makes a difference of times count."""

    @property
    def regressed(self) -> bool:
        """Whether anything is worse that the machine does not explain.

        That is a new failure, or significantly more failures at a limit or longer times on
        an equal machine.
        """
        return bool(
            self.status["change"].isin([NOW_WRONG, NEW_FAILURE]).any()
            or (self.limits["change"] == MORE).any()
            or (self.times["change"] == SLOWER).any()
        )

    @property
    def suspected(self) -> bool:
        """Whether anything is worse that the machine may have caused."""
        return bool(
            (self.status["change"] == TIMEOUT_UNEQUAL).any()
            or (self.limits["change"] == MORE_UNEQUAL).any()
            or (self.times["change"] == SLOWER_UNEQUAL).any()
        )

    @property
    def time(self) -> TimeKind | None:
        """The time by which all backends are compared; None if backends differ in it."""
        kinds = {choice.kind for choice in self.choices.values()}
        return kinds.pop() if len(kinds) == 1 else None

    def frame(self, layout: Layout) -> pd.DataFrame:
        """The frame of one of `LAYOUTS`."""
        frames = {
            STATUS.name: self.status,
            LIMITS.name: self.limits,
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
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    across_machines: bool = False,
    time: TimeKind | None = None,
    criterion: Criterion = DEFAULT,
    invocations: tuple[Sequence[Invocation], Sequence[Invocation]] = ((), ()),
) -> Comparison:
    """Compare two frames of trials, result by result.

    Results are compared if they agree in the label of the backend, the puzzle and its
    dataset, task, limits, start and machine.

    Args:
        before: trials with the columns of `harness.records.fields.DTYPES`.
        after: trials with the same columns.
        across_machines: compare times of different machines too. They depend on the
            machines as well, so a note marks the comparison.
        time: the time to compare; by default the more reliable one for each backend, see
            `time_choice.choose_times`.
        criterion: what makes a difference of times count.
        invocations: the invocations of both runs, which record the conditions under which
            they ran, see `conditions.machine_differences`.

    Raises:
        InputError: a run has no trials, the runs have no machine in common and
            `across_machines` is not given, they have no result in common, or right answers
            have no time of the kind `time`.
    """
    for which, trials in (("first", before), ("second", after)):
        if trials.empty:
            raise InputError(f"the {which} run has no trials", expected="two runs with results")
    notes = []
    hosts = [sorted(set(t["host"].fillna("").astype(str))) for t in (before, after)]
    if across_machines:
        if hosts[0] != hosts[1] or len(hosts[0]) > 1:
            notes.append(
                "times of different machines are compared: "
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
    if time is None:
        choices = choose_times(before, after, invocations)
    else:
        for trials in (before, after):
            require_times(trials, time)
        backends = sorted({*before["backend"].astype(str), *after["backend"].astype(str)})
        choices = dict.fromkeys(backends, TimeChoice(time, REQUESTED))
    kinds = {backend: choice.kind for backend, choice in choices.items()}
    old, new = timed(before, kinds), timed(after, kinds)
    pairs, only_before, only_after = paired(old, new)
    if pairs.empty:
        raise InputError(
            f"nothing can be compared: the runs differ in {nothing_in_common(before, after)}",
            expected="two runs that have at least these in common",
        )
    compared = set(pairs["backend"])
    choices = {name: choice for name, choice in choices.items() if name in compared}
    used = usages(before), usages(after)
    unequal = {
        kind: found for kind in TimeKind if (found := _unequal(used, hosts, invocations, kind))
    }
    calls = pairs
    if any((trials["start"] == Start.BATCH).any() for trials in (old, new)):
        calls, *alone_in = paired(by_call(old), by_call(new))
        if any(alone_in) and not (only_before or only_after):
            notes.append("start batch: calls that have other puzzles in the other run are left out")
    times = time_changes(calls, unequal=unequal, criterion=criterion)
    answered = times["instances"] - times["unanswered_both"]
    most = int(answered.max()) if len(times) else 0
    if len(times) and cannot_differ(most, int((answered > 0).sum())):
        notes.append(
            f"{most} instance{'s' * (most != 1)}: too few for a significant change of times"
        )
    kinds_used = {choice.kind for choice in choices.values()}
    doubtful = TimeKind.WALL in unequal
    limits = limit_changes(calls, unequal=doubtful)
    status = status_changes(pairs, limits, unequal=doubtful)
    if {TIMEOUT_UNEQUAL, MORE_UNEQUAL} & {*status["change"], *limits["change"]}:
        kinds_used.add(TimeKind.WALL)
    return Comparison(
        status,
        limits,
        times,
        puzzle_changes(single(pairs), times),
        pairs,
        only_before,
        only_after,
        tuple(notes),
        partial=tuple(_partial(before, after, only_before, only_after)),
        choices=choices,
        criterion=criterion,
        unequal=tuple(dict.fromkeys(d for k in kinds_used for d in unequal.get(k, ()))),
    )


def _unequal(
    used: tuple[Mapping[str, Usage], Mapping[str, Usage]],
    hosts: Sequence[Sequence[str]],
    invocations: tuple[Sequence[Invocation], Sequence[Invocation]],
    time: TimeKind,
) -> tuple[Difference, ...]:
    """The conditions that differ between the runs on the machines that are compared."""
    old, new = used
    both = [(name, old[name], new[name]) for name in old if name in new]
    common = set(hosts[0]) & set(hosts[1])
    if common:
        earlier, later = (_on(common, run) for run in invocations)
        return tuple(machine_differences(earlier, later, both, time))
    found = [d for d in machine_differences(*invocations, both, time) if d.subject != MACHINE]
    return (Difference(MACHINE, _named(hosts[0]), _named(hosts[1])), *found)


def _on(hosts: Set[str], invocations: Sequence[Invocation]) -> list[Invocation]:
    """The invocations on these machines; all if none names its machine."""
    return [i for i in invocations if i.system.host in hosts] or list(invocations)


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


def repeat_notes(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[str]:
    """A note on the duplicate puzzles of each dataset that the runs left out."""
    for dataset in {**before, **after}:
        numbers = {"the first run": before.get(dataset, 0), "the second run": after.get(dataset, 0)}
        if len(set(numbers.values())) == 1:
            numbers = {"both runs": before[dataset]}
        for which, number in numbers.items():
            if number:
                puzzles = number_of(number, "duplicate puzzle")
                yield f"{dataset}: {puzzles} left out of {which}"


def _named(hosts: Sequence[str]) -> str:
    return ", ".join(host or "an unknown machine" for host in hosts)
