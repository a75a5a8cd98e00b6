"""Summary of a run: verdicts, times, failures, incidents and settings."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.measures import (
    RIGHT,
    Measure,
    Note,
    Scope,
    by_call,
    groups_of,
    left_out_notes,
    limits,
    number_rows,
    par,
    quantile,
    rank_key,
    results_of,
    rows_frame,
    shifted_geometric_mean,
    with_common_set,
    with_group_columns,
)
from harness.analysis.measures import columns as col
from harness.records import Start, Task, Verdict, spec_of
from harness.records.folder import Settings, solve_command, with_dtypes

# Measure `summary`: verdicts and times of each backend on each dataset.


_MAIN: Final = {
    Task.SOLVE: (Verdict.SOLVED, Verdict.UNSATISFIABLE, Verdict.TIMEOUT, Verdict.WRONG),
    Task.COUNT: (Verdict.COUNTED, Verdict.TIMEOUT, Verdict.WRONG),
}
"""The verdicts for which a table of a task always has columns."""

_SHORT: Final = {
    Verdict.UNSATISFIABLE: "unsat",
    Verdict.OUT_OF_MEMORY: "no memory",
    Verdict.UNSUPPORTED: "unsupp.",
}

_STATISTICS: Final = {
    "median": "Median time",
    "mean": "Mean time",
    "gmean": "Geometric mean of times",
    "p95": "95th percentile of times",
    "total": "Sum of times",
}


def in_groups_of(table: pd.DataFrame, rows: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Whether each row of `table` has the backend and comparison group of one of `rows`."""
    both = pd.concat([frame[col.BACKEND_KEY].astype("object") for frame in (table, rows)])
    number, _ = number_rows(both, col.BACKEND_KEY)
    return np.isin(number[: len(table)], number[len(table) :])


def summary(trials: pd.DataFrame, results: pd.DataFrame | None = None) -> pd.DataFrame:
    """Count the verdicts and summarize the times of each backend, in the order of `ranks`.

    Each instance counts once, with the verdict and the time of its result, see `results_of`: the
    time is the median of its repetitions, so the number of repetitions changes no weight.
    Verdicts are over all instances, times over the instances that every eligible backend was run
    on; the total is the mean multiplied by their number. A result without a right answer counts as
    the limit T in median, mean, percentile and total, which are then lower bounds and are marked as
    such, and as 2 T in PAR-2. With the start `batch` a time is the time per puzzle of a call;
    median, mean and percentile are over calls, and the total is over all puzzles of all calls. A
    backend with a wrong answer has no ratio.
    """
    trials = with_group_columns(trials)
    results = with_common_set(results_of(by_call(trials)) if results is None else results)
    puzzles = results_of(trials) if (trials["start"] == Start.BATCH).any() else results
    results = results.assign(limit_s=limits(results))
    is_failed = ~trials["verdict"].isin(RIGHT).to_numpy(dtype=bool)
    verdicts = puzzles["verdict"].to_numpy(dtype=object)
    of_trials, of_puzzles, of_results = (
        {tuple(key.values()): rows for key, rows in groups_of(frame, col.BACKEND_KEY)}
        for frame in (trials, puzzles, results)
    )
    rows, keys = [], []
    for values, own in of_trials.items():
        key = dict(zip(col.BACKEND_KEY, values, strict=True))
        part = results.iloc[of_results[values]]
        common = part[part["common"]]
        row = key | {"left_out": int(part["left_out"].iloc[0]), "instances": len(common)}
        numbers = Counter(verdicts[of_puzzles[values]].tolist())
        row |= {str(verdict): numbers[verdict] for verdict in Verdict}
        row["failed"] = numbers.total() - sum(numbers[verdict] for verdict in RIGHT)
        row |= {"trials": len(own), "failed_trials": int(is_failed[own].sum())}
        row |= _times(common) if len(common) else {}
        rows.append(row)
        rank = rank_key(common["time_s"].to_numpy(np.float64), common["answered"].to_numpy(bool))
        keys.append((row[str(Verdict.WRONG)] != 0, *rank, key["backend"]))
    table = SUMMARY.frame(rows)
    eligible = table["par2_s"].where(table[Verdict.WRONG] == 0)
    groups = [table[name] for name in col.COMPARISON_GROUP]
    table["ratio"] = eligible / eligible.groupby(groups, dropna=False).transform("min")
    in_order = table.iloc[sorted(range(len(table)), key=keys.__getitem__)]
    order = in_order.assign(task=in_order["task"].map(list(Task).index))
    order = order.sort_values(col.COMPARISON_GROUP, kind="stable")
    return table.loc[order.index].reset_index(drop=True)


def _times(results: pd.DataFrame) -> dict[str, object]:
    """The statistics of the times of these results of one backend."""
    is_answered = results["answered"].to_numpy(dtype=bool)
    times = results["time_s"].to_numpy(dtype=np.float64)
    some_failed = bool((~is_answered).any())
    row: dict[str, object] = {
        "mean_s": float(times.mean()),
        "gmean_s": shifted_geometric_mean(times, 0.0),
        "total_s": float((times * results["puzzles"].to_numpy()).sum()),
        "par2_s": par(times, is_answered, float(results["limit_s"].iloc[0])),
    }
    row |= {f"{name}_is_bound": some_failed for name in ("mean", "gmean", "total")}
    for name, share in (("median", 0.5), ("p95", 0.95)):
        row[f"{name}_s"], row[f"{name}_is_bound"] = quantile(times, is_answered, share)
    return row


def _has_verdict(verdict: Verdict) -> col.Condition:
    return lambda frame: (
        verdict in _MAIN[Task(str(frame["task"].iloc[0]))] or bool(frame[str(verdict)].any())
    )


def _time_columns() -> Iterator[col.Column]:
    for name, meaning in _STATISTICS.items():
        bound_name = f"{name}_is_bound"
        yield col.seconds(f"{name}_s", f"{meaning}, failures at T.", name, bound_flag=bound_name)
        yield col.flag(bound_name, f"Whether `{name}_s` is only a lower bound.")


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    if (frame["start"] == Start.BATCH).any():
        yield Note(
            "the unit of times and ranks is a call of many puzzles; its time is that of one "
            "puzzle, and the total is over all puzzles"
        )


SUMMARY: Final = Measure(
    title="",
    takes=("timed_trials", "results"),
    compute=summary,
    columns=(
        *col.COMPARED[:-1],  # `wrong` is among the verdicts
        col.count("trials", "Trials.", "trials", shown_if=col.varies("trials")),
        *(
            col.count(
                str(verdict),
                f"Instances with verdict `{verdict}`.",
                str(verdict),
                short=_SHORT.get(verdict, ""),
                shown_if=_has_verdict(verdict),
            )
            for verdict in Verdict
        ),
        col.count("failed", "Instances without a right answer."),
        col.count(
            "failed_trials",
            "Trials without a right answer.",
            "failed trials",
            shown_if=lambda frame: bool((frame["failed_trials"] > frame["failed"]).any()),
        ),
        *_time_columns(),
        replace(col.PAR2, shown_if=lambda frame: bool(frame["mean_is_bound"].any())),
        col.ratio("ratio", "PAR-2 over the lowest of the eligible backends.", "ratio"),
    ),
    order=f"backend trials {' '.join(Verdict)} failed_trials instances "
    "median_s gmean_s p95_s total_s par2_s ratio",
    notes=_notes,
)


# Measure `failures`: every trial without a right answer, each with a command to repeat it.


ORDER: Final = (
    *(Verdict.WRONG, Verdict.CRASHED, Verdict.OUT_OF_MEMORY),
    *(Verdict.TIMEOUT, Verdict.UNKNOWN, Verdict.UNSUPPORTED),
)
"""Failures, worst first."""

_QUESTION: Final = [
    *("task", "puzzle", "shape", "backend", "spec", "start"),
    *("timeout_s", "limit", "cpu_limit_s", "memory_limit_mib"),
]


def failures(trials: pd.DataFrame) -> pd.DataFrame:
    """List every trial without a right answer, the worst verdicts first.

    The order of verdicts is wrong, crashed, out of memory, timeout, unknown, unsupported.
    """
    trials = with_group_columns(trials)
    columns = trials[trials.columns.intersection([*FAILURES.dtypes, *_QUESTION])]
    rows = columns[~trials["verdict"].isin(RIGHT)]
    rank = rows["verdict"].map({str(v): n for n, v in enumerate(ORDER)}).astype("int64")
    rows = rows.assign(rank=rank).sort_values(["rank", "backend"], kind="stable")
    table = with_commands(rows).assign(reason=rows["reason"].fillna(""))
    return with_dtypes(table[list(FAILURES.dtypes)], FAILURES.dtypes).reset_index(drop=True)


def with_commands(table: pd.DataFrame) -> pd.DataFrame:
    """Add the ``command`` that repeats each row of trials or of results."""
    number, first = number_rows(table, _QUESTION)
    commands = [command_of(row) for row in table[_QUESTION].iloc[first].to_dict("records")]
    return table.assign(command=np.array(commands, dtype=object)[number])


def command_of(row: Mapping[Any, Any]) -> str:
    """The command that repeats a trial with the columns of its question."""
    return solve_command(
        *(str(row["task"]), str(row["puzzle"]), str(row["shape"])),
        [spec_of(str(row["backend"]), row["spec"])],
        start=str(row["start"]),
        timeout_s=float(row["timeout_s"]),
        limit=None if pd.isna(row["limit"]) else int(row["limit"]),
        cpu_limit_s=float(row["cpu_limit_s"]),
        memory_limit_mib=int(row["memory_limit_mib"]),
    )


FAILURES: Final = Measure(
    title="Failures",
    scope=Scope.RUN,
    takes=("timed_trials",),
    compute=failures,
    columns=(
        col.text("verdict", "Verdict of the trial.", "verdict"),
        *col.LABELLED_GROUP_COLUMNS,
        col.BACKEND,
        col.NAME,
        col.PUZZLE_ID,
        col.count("repetition", "Number of the repetition, from 1.", "repetition"),
        col.REASON,
        col.seconds("time_s", "Time until the trial ended; missing if unknown.", "ended after"),
        col.COMMAND,
    ),
    order="verdict backend name group repetition time_s reason command",
)


# Measure `incidents`: what happened besides the trials of a run.


def incidents(events: pd.DataFrame) -> pd.DataFrame:
    """Count the incidents of each backend and kind.

    The kinds are: a backend left processes or threads running (``left running``), all processes of
    the harness stood still and a trial ran again (``stood still``), and a server was replaced
    (``replaced``). Times of trials do not include them.
    """
    rows = []
    for (backend, kind), part in events.groupby(["backend", "kind"], sort=True):
        first = part.sort_values("at", kind="stable").iloc[0]
        row = {"backend": backend, "kind": kind, "incidents": len(part)}
        rows.append(row | {"detail": first["detail"], "at": first["at"]})
    return INCIDENTS.frame(rows)


def incidents_frame(rows: Sequence[Sequence[Any]] = ()) -> pd.DataFrame:
    """A row for each event: its time in UTC, backend, kind and detail."""
    names = ("at", "backend", "kind", "detail")
    events = [dict(zip(names, row, strict=True)) for row in rows]
    return rows_frame(events, dict.fromkeys(names, "string"))


INCIDENTS: Final = Measure(
    title="Incidents",
    scope=Scope.RUN,
    takes=("events",),
    compute=incidents,
    columns=(
        col.backend("backend", "Label of the configuration.", "backend"),
        col.text("kind", "`left running`, `stood still` or `replaced`.", "incident"),
        col.count("incidents", "Number of incidents of this kind.", "times"),
        col.reason("detail", "Description of the first one.", "first"),
        col.text("at", "Time of the first one.", unit="UTC"),
    ),
)


# Measure `settings`: the options of all sweeps that a run was given.


def settings(sweeps: Sequence[Settings]) -> pd.DataFrame:
    """List the options of the sweeps that a run was given, each value once.

    An option with the same value in several sweeps has one row, which names these sweeps by
    their numbers; the sweeps are numbered in the order in which the run was given them.
    """
    numbers: dict[str, dict[str, list[int]]] = {}
    for number, sweep in enumerate(sweeps, 1):
        for option, value in sweep.items():
            numbers.setdefault(option, {}).setdefault(as_text(value), []).append(number)
    rows = [
        {
            "option": option,
            "sweeps": "all" if len(own) == len(sweeps) else ", ".join(map(str, own)),
            "value": value,
        }
        for option, values in numbers.items()
        for value, own in values.items()
    ]
    return SETTINGS.frame(rows)


def as_text(value: Any) -> str:
    """The value of an option as text: ``seeds, named`` for a list."""
    if isinstance(value, list | tuple):
        return ", ".join(map(as_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


SETTINGS: Final = Measure(
    title="Settings",
    scope=Scope.RUN,
    takes=("sweeps",),
    compute=settings,
    columns=(
        col.text("option", "Name of the option in a sweep file.", "option"),
        col.text(
            "sweeps",
            "Numbers of the sweeps with this value, or `all`.",
            "sweeps",
            shown_if=col.varies("sweeps"),
        ),
        col.text("value", "Value of the option.", "value"),
    ),
)
