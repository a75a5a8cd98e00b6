"""Every trial without a right answer, each with a command that shows it again."""

import shlex
from typing import Any, Final

import pandas as pd

from harness.analysis.results import GROUP_DTYPES, RIGHT, with_group_columns
from harness.records.frame import spec_of
from harness.records.verdict import Verdict

ORDER: Final = (
    *(Verdict.WRONG, Verdict.CRASHED, Verdict.OUT_OF_MEMORY),
    *(Verdict.TIMEOUT, Verdict.UNKNOWN, Verdict.UNSUPPORTED),
)
"""Failures, the worst first."""

FAILURES_DTYPES: Final[dict[str, str]] = {
    "verdict": "string",
    **GROUP_DTYPES,
    "backend": "string",
    "name": "string",
    "puzzle_id": "string",
    "repetition": "int64",
    "reason": "string",
    "wall_s": "float64",
    "command": "string",
}


def failures(trials: pd.DataFrame) -> pd.DataFrame:
    """One row for each trial without a right answer, the worst verdicts first (`ORDER`).

    Columns `FAILURES_DTYPES`: the ``name`` of the puzzle in its dataset;
    ``wall_s``, the seconds until it ended, missing where they are not known;
    ``command``, a line for a shell, quoted, that asks the backend the same
    question again.
    """
    failed = with_group_columns(trials[~trials["verdict"].isin(RIGHT)])
    rank = failed["verdict"].map({str(v): n for n, v in enumerate(ORDER)}).astype("int64")
    failed = failed.assign(rank=rank).sort_values(["rank", "backend"], kind="stable")
    table = with_commands(failed).assign(reason=failed["reason"].fillna(""))
    return table[list(FAILURES_DTYPES)].astype(FAILURES_DTYPES).reset_index(drop=True)


def with_commands(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of trials or of instances, each with the ``command`` that asks the same again."""
    asked = ["task", "puzzle", "shape", "backend", "start", "timeout_s", "limit"]
    asked += ["cpu_limit_s", "memory_limit_mib"]
    commands = [command(*row) for row in table[asked].itertuples(index=False, name=None)]
    return table.assign(command=commands)


def command(
    task: str,
    puzzle: str,
    shape: str,
    backend: str,
    start: str,
    timeout_s: float,
    limit: Any = None,
    cpu_limit_s: float = 0.0,
    memory_limit_mib: int = 0,
) -> str:
    """The command line that asks `backend` about `puzzle`, quoted for a POSIX shell."""
    words = ["harness", task, puzzle, "--shape", shape, "--backend", spec_of(backend)]
    words += ["--start", start, "--timeout", f"{timeout_s:.15g}"]
    if not pd.isna(limit):
        words += ["--limit", str(limit)]
    if cpu_limit_s:
        words += ["--cpu", f"{cpu_limit_s:.15g}"]
    if memory_limit_mib:
        words += ["--memory", str(memory_limit_mib)]
    return shlex.join(words)
