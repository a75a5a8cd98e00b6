"""A run, read from its folder."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from harness.analysis.agreement import Agreement, agreement
from harness.analysis.stability import stability
from harness.analysis.summary import summary
from harness.analysis.trials import frame
from harness.sweep.environment import read_calls
from harness.sweep.store import read_rows


@dataclass(frozen=True)
class Run:
    """The trials of one folder."""

    folder: Path
    trials: pd.DataFrame
    """One row a trial, with the columns of `harness.analysis.trials.DTYPES`."""

    @cached_property
    def calls(self) -> list[dict[str, Any]]:
        """Where and with what each call of the run took place, the first one first."""
        return read_calls(self.folder)

    @property
    def environment(self) -> dict[str, Any]:
        """The last of `calls`; empty where none is recorded."""
        return self.calls[-1] if self.calls else {}

    def summary(self) -> pd.DataFrame:
        """Verdicts and times by dataset, task, start and backend; see `summary`."""
        return self._summary.copy()

    def agreement(self) -> Agreement:
        """Who contradicts whom; see `agreement`."""
        return self._agreement

    def stability(self) -> pd.DataFrame:
        """How far times differ over repetitions; see `stability`."""
        return stability(self.trials)

    @cached_property
    def _summary(self) -> pd.DataFrame:
        return summary(self.trials)

    @cached_property
    def _agreement(self) -> Agreement:
        return agreement(self.trials)


def load(folder: Path | str) -> Run:
    """The run in `folder`, finished or going on.

    Raises:
        InputError: the folder holds no run.
    """
    columns, rows = read_rows(Path(folder))
    return Run(Path(folder), frame(columns, rows))
