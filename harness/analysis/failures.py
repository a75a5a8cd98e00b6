"""Measure `failures`: every trial without a right answer, each with a command to repeat it."""

from typing import Final

import pandas as pd

from harness.analysis.common_columns import COMMAND, NAME, PUZZLE_ID, REASON
from harness.analysis.measure import Kind, Measure, MeasureColumn, Scope, Source, View
from harness.analysis.results import (
    BACKEND,
    LABELLED_GROUP_COLUMNS,
    RIGHT,
    WHERE,
    with_group_columns,
)
from harness.analysis.times import TIME_S
from harness.records.dtypes import with_dtypes
from harness.records.labels import spec_of
from harness.records.reproduction import solve_command
from harness.records.verdict import Verdict

ORDER: Final = (
    *(Verdict.WRONG, Verdict.CRASHED, Verdict.OUT_OF_MEMORY),
    *(Verdict.TIMEOUT, Verdict.UNKNOWN, Verdict.UNSUPPORTED),
)
"""Failures, the worst first."""

_QUESTION: Final = ["task", "puzzle", "shape", "backend", "spec", "start", "timeout_s", "limit"]
_LIMITS: Final = ["cpu_limit_s", "memory_limit_mib"]


def failures(trials: pd.DataFrame) -> pd.DataFrame:
    """List every trial without a right answer, the worst verdicts first.

    The order of verdicts is wrong, crashed, out of memory, timeout, unknown, unsupported.
    """
    failed = with_group_columns(trials[~trials["verdict"].isin(RIGHT)])
    rank = failed["verdict"].map({str(v): n for n, v in enumerate(ORDER)}).astype("int64")
    failed = failed.assign(rank=rank).sort_values(["rank", "backend"], kind="stable")
    table = with_commands(failed).assign(reason=failed["reason"].fillna(""))
    return with_dtypes(table[list(FAILURES.dtypes)], FAILURES.dtypes).reset_index(drop=True)


def with_commands(table: pd.DataFrame) -> pd.DataFrame:
    """Add the ``command`` that repeats each row of trials or of results."""
    rows = table[[*_QUESTION, *_LIMITS]].itertuples(index=False, name=None)
    commands = [
        solve_command(
            *(str(task), str(puzzle), str(shape), [spec_of(str(backend), spec)]),
            start=str(start),
            timeout_s=float(timeout_s),
            limit=None if pd.isna(limit) else int(limit),
            cpu_limit_s=float(cpu_s),
            memory_limit_mib=int(memory_mib),
        )
        for task, puzzle, shape, backend, spec, start, timeout_s, limit, cpu_s, memory_mib in rows
    ]
    return table.assign(command=commands)


FAILURES: Final = Measure(
    name="failures",
    title="Failures",
    scope=Scope.RUN,
    source=Source.TRIALS,
    compute=failures,
    columns=(
        MeasureColumn(
            *("verdict", "string", "Verdict of the trial.", ""), View(Kind.TEXT, "verdict")
        ),
        *LABELLED_GROUP_COLUMNS,
        BACKEND,
        NAME,
        PUZZLE_ID,
        MeasureColumn(
            *("repetition", "int64", "Number of the repetition, from 1.", ""),
            View(Kind.COUNT, "repetition"),
        ),
        REASON,
        MeasureColumn(
            *(TIME_S, "float64", "Time until the trial ended; missing if unknown.", "s"),
            View(Kind.SECONDS, "ended after"),
        ),
        COMMAND,
    ),
    order=("verdict", "backend", "name", *WHERE, "repetition", TIME_S, "reason", "command"),
)
