"""Comparison of two runs: new failures, fixed failures and real changes of times."""

import html
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis import changes
from harness.analysis.changes import Change
from harness.analysis.conditions import (
    ENVIRONMENT,
    MACHINE,
    Difference,
    TimeChoice,
    backends_by_choice,
    choose_times,
    machine_differences,
)
from harness.analysis.factor import SEED, Factor
from harness.analysis.measures import (
    DEFAULT,
    RIGHT,
    Criterion,
    Floats,
    FrameLayout,
    Numbers,
    by_call,
    check_tables,
    first_by_rank,
    number_rows,
    require_times,
    results_of,
    single,
    with_group_columns,
    with_time,
    with_trial_group,
)
from harness.analysis.measures import columns as col
from harness.analysis.timing import BackendUsage, usages
from harness.base.errors import InputError
from harness.base.text import number_of, shortened
from harness.records import Start, TimeKind, Verdict, without_folders
from harness.records.folder import Invocation, with_dtypes

# What two runs do not have in common, and so is not compared.


_NAMES: Final = {
    "backend": "backend",
    "dataset": "dataset",
    "scramble": "scramble",
    "task": "task",
    "limit": "limit of count",
    "start": "start",
    "timeout_s": "time limit",
    "cpu_limit_s": "CPU time limit",
    "memory_limit_mib": "memory limit",
    "host": "machine",
}
"""The parts of a result that must be equal, in words."""

_UNITS: Final = {"timeout_s": " s", "cpu_limit_s": " s", "memory_limit_mib": " MiB"}
_NO_LIMIT: Final = ("cpu_limit_s", "memory_limit_mib")
_MOST_VALUES: Final = 5
_LONGEST: Final = 60
"""Maximum number of characters of a value."""

assert set(_NAMES) == {"backend", *col.TRIAL_GROUP}


def differences(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    """A phrase for each part that has values in only one of two frames of trials.

    An example is ``backend (cnf only in the first run)``. Instances are counted
    for each dataset that both runs have.
    """
    before, after = with_trial_group(before), with_trial_group(after)
    for name, title in _NAMES.items():
        old, new = ({*frame[name].dropna()} for frame in (before, after))
        if old != new:
            yield f"{title} ({_only_in(_values(name, old - new), _values(name, new - old))})"
    for dataset in sorted({*before["dataset"]} & {*after["dataset"]}):
        old, new = ({*f.loc[f["dataset"] == dataset, "puzzle_id"]} for f in (before, after))
        if old != new:
            texts = (f"{len(alone):,}" if alone else "" for alone in (old - new, new - old))
            yield f"instances of {_value('dataset', dataset)} ({_only_in(*texts)})"


def _only_in(first: str, second: str) -> str:
    """What only the first run has, and what only the second has; empty texts are left out."""
    sides = ((first, "first"), (second, "second"))
    return ", ".join(f"{text} only in the {which} run" for text, which in sides if text)


def _values(name: str, values: Set[Any]) -> str:
    texts = [_value(name, value) for value in sorted(values)[:_MOST_VALUES]]
    further = len(values) - len(texts)
    return ", ".join(texts) + (f" and {further} more" if further else "")


def _value(name: str, value: Any) -> str:
    if name in (*_NO_LIMIT, "scramble") and not value:
        return "none"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    if name == "backend":
        text = without_folders(text)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}..{text[-_LONGEST // 3 :]}"
    return f"{text}{_UNITS.get(name, '')}" if name != "host" or text else "an unknown machine"


# The results of two runs side by side.


_CARRIED: Final = ("trials", "wrong", "answered", "limited", "time_share", "memory_share")
"""The columns of results that pairs have for each side."""

_OF_EACH_RUN: Final = (
    col.text("{}", "Verdict {}, of a repetition that failed if one did."),
    col.count("failed_{}", "Repetitions that failed {}."),
    col.count("limited_{}", "Repetitions that failed at a limit {}."),
    col.count(
        "common_limited_{}",
        "Repetitions that failed at a limit {}, among as many first ones as both runs have.",
    ),
    col.count("trials_{}", "Repetitions {}."),
    col.count("wrong_{}", "Repetitions with a wrong answer {}."),
    col.flag("answered_{}", "Whether the instance was answered {}."),
    col.seconds("{}_s", "Time of the result {}."),
    col.share("time_share_{}", "Largest share of a time limit that a repetition used {}."),
    col.share("memory_share_{}", "Largest share of the memory limit that a repetition used {}."),
)

PAIRS: Final = FrameLayout(
    name="pairs",
    title="Results of both runs",
    columns=(
        *col.RESULT_COLUMNS,
        col.text("shape", "Name of the shape."),
        col.text("puzzle", "Givens as a line, `.` for a blank."),
        col.text("spec", "Spec of the configuration in the later run."),
        *chain(*map(col.of_each_run, _OF_EACH_RUN)),
        col.REASON,
    ),
)


def pair_results(
    before: pd.DataFrame, after: pd.DataFrame, key: Sequence[str] = col.RESULT_KEY
) -> tuple[pd.DataFrame, int, int]:
    """Pair the results of two frames of trials.

    Args:
        before: the trials of one side.
        after: those of the other side.
        key: the columns in which the results of a pair agree; the other columns are those of
            `before`.

    Returns:
        The results of both runs with the columns of `PAIRS`, and the numbers of results
        that only the first and only the second run has.
    """
    before, after = with_group_columns(before), with_group_columns(after)
    numbers = [number_rows(trials, col.RESULT_KEY) for trials in (before, after)]
    old, new = map(_results_with_failures, (before, after), numbers)
    keys = pd.concat([old[key].astype("object"), new[key].astype("object")])
    number, first = number_rows(keys, key)
    place = np.full(len(first), -1)
    place[number[len(old) :]] = np.arange(len(new))
    partner = place[number[: len(old)]]
    both = partner >= 0
    positions = np.flatnonzero(both), partner[both]
    old, new = (
        t.iloc[n].reset_index(drop=True) for t, n in zip((old, new), positions, strict=True)
    )
    repetitions = np.minimum(old["trials"].to_numpy(), new["trials"].to_numpy())
    at_limit = [
        pd.Series(_limited_in_first(trials, number, rows, repetitions))
        for trials, number, rows in zip((before, after), numbers, positions, strict=True)
    ]
    columns = {name: old[name] for name in (*col.RESULT_KEY, "name", "shape", "puzzle")}
    for side, table, common in zip(("before", "after"), (old, new), at_limit, strict=True):
        columns |= {side: table["first_failure"], f"{side}_s": table["time_s"]}
        columns[f"failed_{side}"] = table["trials"] - table["right"]
        columns[f"common_limited_{side}"] = common
        columns |= {f"{name}_{side}": table[name] for name in _CARRIED}
    columns["spec"] = new["spec"]
    columns["reason"] = new["reason"].where(new["reason"] != "", old["reason"])
    # A scramble that fails is a different puzzle from the original.
    columns["puzzle"] = new["puzzle"].where(new["trials"] > new["right"], old["puzzle"])
    pairs = with_dtypes(pd.DataFrame(columns)[list(PAIRS.dtypes)], PAIRS.dtypes)
    only = len(both) - len(old), len(first) - len(both)
    return pairs, *only


def _results_with_failures(trials: pd.DataFrame, numbers: Numbers) -> pd.DataFrame:
    """The results, each with its ``puzzle`` and the verdict and ``reason`` of a failure.

    ``first_failure`` is the verdict of the first wrong trial, or else of the first failure that is
    not at a limit, or else of the first failure, or else of the first trial. ``limited`` counts
    failures at a limit.
    """
    number, first = numbers
    verdict, at_limit = trials["verdict"], changes.at_limit(trials)
    rank = np.where(at_limit, 2, np.where(verdict.isin(RIGHT), 3, 1))
    rank[(verdict == Verdict.WRONG).to_numpy()] = 0
    # Results are numbered in their order, so the first row of each number is theirs.
    columns = trials[["verdict", "reason", "puzzle", "spec"]]
    first_rows = columns.iloc[first_by_rank(number, rank)]
    results = results_of(trials, numbers)
    if SEED in trials:
        results["time_s"] = _mean_over_seeds(trials).where(results["answered"], results["time_s"])
    return results.assign(
        first_failure=first_rows["verdict"].to_numpy(),
        reason=first_rows["reason"].fillna("").to_numpy(),
        puzzle=first_rows["puzzle"].to_numpy(),
        spec=first_rows["spec"].array,
        limited=np.bincount(number, weights=at_limit, minlength=len(first)).astype(np.int64),
        time_share=_largest(changes.time_share(trials), number, len(first)),
        memory_share=_largest(changes.memory_share(trials), number, len(first)),
    )


def _mean_over_seeds(trials: pd.DataFrame) -> "pd.Series[float]":
    """For each result the geometric mean of its times with the scrambles of different seeds.

    A median of two times would be their arithmetic mean, which is larger.
    """
    of_seeds = results_of(trials.assign(scramble=trials[SEED]))
    number, first = number_rows(of_seeds.assign(scramble=""), col.RESULT_KEY)
    logs = np.bincount(number, np.log(of_seeds["time_s"].to_numpy()), len(first))
    return pd.Series(np.exp(logs / np.bincount(number, minlength=len(first))))


def _limited_in_first(
    trials: pd.DataFrame,
    numbers: Numbers,
    rows: npt.NDArray[np.intp],
    repetitions: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """The failures at a limit in the first `repetitions` of the `rows` results."""
    number, results = numbers[0], len(numbers[1])
    order = np.lexsort((trials["repetition"].to_numpy(), number))
    in_order = number[order]
    place = np.arange(len(in_order)) - np.searchsorted(in_order, in_order)
    most = np.zeros(results, dtype=np.int64)
    most[rows] = repetitions
    is_counted = changes.at_limit(trials)[order] & (place < most[in_order])
    counts = np.bincount(in_order, weights=is_counted, minlength=results).astype(np.int64)
    return counts[rows]


def _largest(values: Floats, number: npt.NDArray[np.int64], size: int) -> Floats:
    """The largest value of each number; missing values are ignored."""
    largest = np.full(size, np.nan)
    np.fmax.at(largest, number, values)
    return largest


# Comparison of two runs: new failures, fixed failures and real changes of times.


@dataclass(frozen=True)
class Comparison:
    """The changes from one run to another."""

    LAYOUTS: ClassVar[tuple[FrameLayout, ...]] = (
        *(changes.STATUS, changes.LIMITS, changes.TIMES, changes.PUZZLES),
        ENVIRONMENT,
    )
    """The tables of a comparison, in the order in which a report shows them."""
    SAME_TRIALS: ClassVar = "both runs have the same trials"
    TOO_FEW: ClassVar = "too few for a significant change of times"
    """Notes of a comparison, the second after the number of instances."""

    status: pd.DataFrame
    """New and fixed failures: see `changes.status_changes`."""
    limits: pd.DataFrame
    """Numbers of failures at a limit: see `changes.limit_changes`."""
    times: pd.DataFrame
    """Changes of times: see `changes.time_changes`."""
    puzzles: pd.DataFrame
    """The puzzles whose times changed most: see `changes.puzzle_changes`."""
    pairs: pd.DataFrame
    """One row for each result of both runs: see `comparison.pair_results`."""
    only_before: int
    """Number of results that only the first run has."""
    only_after: int
    """Number of results that only the second run has."""
    notes: tuple[str, ...]
    """Sentences that a reader needs in order to judge the comparison."""
    partial: tuple[str, ...] = ()
    """Why the comparison does not cover all of both runs; empty if it does."""
    environment: pd.DataFrame = field(default_factory=lambda: ENVIRONMENT.frame([]))
    """Differences of machine, software and datasets: see `conditions.environment_changes`."""
    choices: dict[str, TimeChoice] = field(default_factory=dict)
    """The time by which each backend is compared, and why."""
    unequal: tuple[Difference, ...] = ()
    """Why the machine was not the same in both runs; empty if it was."""
    criterion: Criterion = DEFAULT
    """What makes a difference of times count."""
    factor: Factor | None = None
    """The factor that differs between both sides; None if the run does."""

    @property
    def regressed(self) -> bool:
        """Whether anything is worse that the machine does not explain.

        That is a new failure, or significantly more failures at a limit or longer times on
        an equal machine.
        """
        return bool(
            self.status["change"].isin([Change.NOW_WRONG, Change.NEW_FAILURE]).any()
            or (self.limits["change"] == Change.MORE).any()
            or (self.times["change"] == Change.SLOWER).any()
        )

    @property
    def suspected(self) -> bool:
        """Whether anything is worse that the machine may have caused."""
        return bool(
            (self.status["change"] == Change.TIMEOUT_UNEQUAL).any()
            or (self.limits["change"] == Change.MORE_UNEQUAL).any()
            or (self.times["change"] == Change.SLOWER_UNEQUAL).any()
        )

    @property
    def time(self) -> TimeKind | None:
        """The time by which all backends are compared; None if backends differ in it."""
        kinds = {choice.time for choice in self.choices.values()}
        return kinds.pop() if len(kinds) == 1 else None

    def frame(self, name: str) -> pd.DataFrame:
        """The frame of the table `name`, values unrounded.

        Raises:
            InputError: none of `LAYOUTS` has this name.
        """
        check_tables([name], [layout.name for layout in self.LAYOUTS])
        frame: pd.DataFrame = getattr(self, name)
        return frame

    def _repr_html_(self) -> str:
        """The changes as tables for a notebook, below what they do not cover; texts are escaped."""
        notes = [f"<p>partial: {html.escape(reason)}</p>" for reason in self.partial]
        tables = [
            self.frame(layout.name)
            .dropna(axis=1, how="all")
            .to_html(escape=True, index=False, max_rows=50)
            for layout in self.LAYOUTS
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
    factor: Factor | None = None,
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
            `conditions.choose_times`.
        criterion: what makes a difference of times count.
        invocations: the invocations of both runs, with the conditions under which they ran;
            see `conditions.machine_differences`.
        factor: what differs between both sides, see `factor.sides`; by default the run alone.

    Raises:
        InputError: a run has no trials, the runs have no machine in common and
            `across_machines` is not given, they have no result in common, or right answers
            have no time of the kind `time`.
    """
    before, after, hosts, notes = _on_one_machine(before, after, across_machines)
    choices = choose_times(before, after, invocations)
    reliable = backends_by_choice(choices)
    if time is not None:
        for trials in (before, after):
            require_times(trials, time)
        choices = dict.fromkeys(choices, TimeChoice(time, TimeChoice.REQUESTED))
    kinds = {backend: choice.time for backend, choice in choices.items()}
    same = next(iter(kinds.values())) if len({*kinds.values()}) == 1 else kinds
    old, new = with_time(before, same), with_time(after, same)
    key = factor.key if factor else col.RESULT_KEY
    pairs, only_before, only_after = pair_results(old, new, key)
    if pairs.empty:
        raise InputError(
            f"nothing can be compared: {_difference(before, after)}",
            expected="two runs that have at least these in common",
        )
    backends = set(pairs["backend"])
    choices = {name: choice for name, choice in choices.items() if name in backends}
    unequal = _unequal((usages(before), usages(after)), hosts, invocations)
    calls, have_other_puzzles = pairs, False
    if any((trials["start"] == Start.BATCH).any() for trials in (old, new)):
        calls, have_other_puzzles = _paired_calls(old, new, factor)
    times = changes.time_changes(calls, unequal=unequal, criterion=criterion)
    doubtful = TimeKind.WALL in unequal
    limits = changes.limit_changes(calls, unequal=doubtful)
    status = changes.status_changes(pairs, limits, unequal=doubtful)
    kinds_used = {choice.time for choice in choices.values()}
    if {Change.TIMEOUT_UNEQUAL, Change.MORE_UNEQUAL} & {*status["change"], *limits["change"]}:
        kinds_used.add(TimeKind.WALL)
    if have_other_puzzles and not (only_before or only_after):
        notes.append("start batch: calls that have other puzzles in the other run are left out")
    return Comparison(
        status,
        limits,
        times,
        changes.puzzle_changes(single(pairs), times),
        pairs,
        only_before,
        only_after,
        notes=(*notes, *_time_notes(times, reliable if time is TimeKind.WALL else {})),
        partial=tuple(_partial(before, after, only_before, only_after)),
        choices=choices,
        criterion=criterion,
        factor=factor,
        unequal=tuple(dict.fromkeys(d for k in kinds_used for d in unequal.get(k, ()))),
    )


def _on_one_machine(
    before: pd.DataFrame, after: pd.DataFrame, across_machines: bool
) -> tuple[pd.DataFrame, pd.DataFrame, list[list[str]], list[str]]:
    """The trials of both runs, the machines of each, and notes on them.

    With `across_machines` the trials are as if all had run on one machine.

    Raises:
        InputError: a run has no trials, or the runs have no machine in common.
    """
    for which, trials in (("first", before), ("second", after)):
        if trials.empty:
            raise InputError(f"the {which} run has no trials", expected="two runs with trials")
    notes: list[str] = []
    hosts = [sorted(with_trial_group(t)["host"].unique()) for t in (before, after)]
    first, second = map(_machine_names, hosts)
    if across_machines:
        if hosts[0] != hosts[1] or len(hosts[0]) > 1:
            notes.append(
                f"times of different machines are compared: before on {first}, after on {second}"
            )
        name = first if hosts[0] == hosts[1] else f"{first} / {second}"
        before, after = (t.assign(host=name) for t in (before, after))
    elif not set(hosts[0]) & set(hosts[1]):
        raise InputError(
            f"the runs are from different machines: the first from {first}, the second from "
            f"{second}",
            expected="runs of one machine, or --across-machines",
        )
    elif alone := sorted(set(hosts[0]) ^ set(hosts[1])):
        notes.append(f"left out, as only one of the runs has trials of it: {_machine_names(alone)}")
    return before, after, hosts, notes


def _paired_calls(
    old: pd.DataFrame, new: pd.DataFrame, factor: Factor | None
) -> tuple[pd.DataFrame, bool]:
    """The results of both runs by call, and whether some calls have other puzzles in one run.

    Raises:
        InputError: with a factor, no call has the same puzzles on both sides.
    """
    key = factor.key if factor else col.RESULT_KEY
    calls, *alone = pair_results(by_call(old), by_call(new), key)
    if factor and calls.empty:
        raise InputError(
            f"no times of {factor} can be compared: a batch pairs with a batch of its puzzles",
            expected="batches of the same puzzles on both sides, or cold and warm starts",
        )
    return calls, any(alone)


def _time_notes(times: pd.DataFrame, reliable: Mapping[TimeChoice, Sequence[str]]) -> Iterator[str]:
    """Notes on too few instances, and on CPU time that is more reliable than the wall time."""
    sizes = times["instances"] - times["unanswered_both"]
    most = int(sizes.max()) if len(times) else 0
    if len(times) and Criterion.cannot_differ(most, int((sizes > 0).sum())):
        yield f"{number_of(most, 'instance')}: {Comparison.TOO_FEW}"
    by_cpu = {choice: labels for choice, labels in reliable.items() if choice.time is TimeKind.CPU}
    if backends := [shortened(without_folders(label)) for label in chain(*by_cpu.values())]:
        reasons = {choice.reason for choice in by_cpu}
        reason = reasons.pop() if len(reasons) == 1 else "wall times are disturbed"
        names = ", ".join(backends) if len(backends) <= 4 else f"{len(backends)} backends"
        yield f"{reason}; --time reliable compares the CPU time of {names}"


def _unequal(
    usages_of_runs: tuple[Mapping[str, BackendUsage], Mapping[str, BackendUsage]],
    hosts: Sequence[Sequence[str]],
    invocations: tuple[Sequence[Invocation], Sequence[Invocation]],
) -> dict[TimeKind, tuple[Difference, ...]]:
    """The conditions that differ between the runs on the compared machines, by kind of time."""
    old, new = usages_of_runs
    both = [(name, old[name], new[name]) for name in old if name in new]
    common = {*hosts[0]} & {*hosts[1]}
    # All invocations count if none names a compared machine.
    earlier, later = ([i for i in run if i.system.host in common] or run for run in invocations)
    conditions = {}
    for kind in TimeKind:
        differences = machine_differences(earlier, later, both, kind)
        if not common:
            others = (d for d in differences if d.subject != MACHINE)
            differences = [Difference(MACHINE, *map(_machine_names, hosts)), *others]
        if differences:
            conditions[kind] = tuple(differences)
    return conditions


def _partial(
    before: pd.DataFrame, after: pd.DataFrame, only_before: int, only_after: int
) -> Iterator[str]:
    for number, which in ((only_before, "first"), (only_after, "second")):
        if number:
            results = "1 result is" if number == 1 else f"{number:,} results are"
            yield f"{results} only in the {which} run"
    if only_before or only_after:
        yield _difference(before, after)


def _difference(before: pd.DataFrame, after: pd.DataFrame) -> str:
    parts = "; ".join(differences(before, after))
    return f"the runs differ in {parts or 'the combinations of their parts'}"


def _machine_names(hosts: Sequence[str]) -> str:
    return ", ".join(host or "an unknown machine" for host in hosts)
