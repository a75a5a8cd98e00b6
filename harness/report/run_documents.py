"""Documents of ``--json`` on a check, a run or a comparison of runs, and how they are filled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import pandas as pd

from harness.analysis import Agreement, Comparison, Difference, Run, RunCompleteness, TimeChoice
from harness.report.documents import Document
from harness.report.jsonable import plain
from harness.report.tables import comparison_tables as tables
from harness.report.tables import remarks

RowData = dict[str, str | int | float | bool | None]
"""A row of a table; the keys are the columns in docs/reference/measures.md. Floats are finite."""


@dataclass(frozen=True, slots=True)
class Checked(Agreement):
    """The agreement of backends; `agreed` is false if trials are missing."""

    json_keys: ClassVar = (
        *Agreement.json_keys,
        *("interrupted", "trials", "done", "backends", "unavailable"),
    )

    interrupted: bool
    """Whether Ctrl-C ended the check."""
    trials: int
    """Planned trials."""
    done: int
    """Finished trials, on which all findings are based."""
    backends: tuple[str, ...]
    """The backends that were compared."""
    unavailable: dict[str, str]
    """Backends left out, with the reason."""

    @property
    def agreed(self) -> bool:
        """Whether no trial is missing, answers were compared, and nothing below is a finding."""
        return self.done == self.trials and super(Checked, self).agreed


class Reported(Document):
    """The tables of a run."""

    folders: list[str]
    """Folders of the runs."""
    hosts: list[str]
    """Names of the machines."""
    backends: list[str]
    """Labels of the configurations."""
    trials: int
    """Number of trials."""
    progress: RunCompleteness
    """What an unfinished run lacks."""
    tables: dict[str, list[RowData]]
    """The rows of each table, with the columns of its measure."""
    notes: list[str]
    """What a reader needs to know before any value."""
    agreement: Agreement
    """The comparison of all answers."""

    @classmethod
    def of_run(cls, run: Run, names: Sequence[str]) -> Self:
        """The report with these tables."""
        return cls(
            folders=[str(folder) for folder in (run.folder, *run.others)],
            hosts=[*run.hosts],
            backends=[*run.backends],
            trials=len(run.trials),
            progress=run.progress,
            tables={name: rows(run.measure(name)) for name in names},
            notes=[*remarks(run)],
            agreement=run.agreement(),
        )


class Compared(Document):
    """The changes between two runs."""

    before: str
    """Folder of the first run."""
    after: str
    """Folder of the second run."""
    regressed: bool
    """Whether anything is worse on an equal machine."""
    suspected: bool
    """Whether anything is worse that an unequal machine may have caused."""
    times: dict[str, TimeChoice]
    """For each backend the time that is compared, and why."""
    unequal: tuple[Difference, ...]
    """How the machine differed between the runs; empty if equal."""
    partial: list[str]
    """Why the comparison does not cover all of both runs; empty if it does."""
    changes: dict[str, int]
    """Number of each kind of change."""
    only_before: int
    """Results that only the first run has."""
    only_after: int
    """Results that only the second run has."""
    notes: list[str]
    """What a reader needs to know before any value."""
    tables: dict[str, list[RowData]]
    """The rows of `status`, `limits`, `times`, `puzzles` and `environment`."""

    @classmethod
    def of_comparison(
        cls, comparison: Comparison, before: Run, after: Run, names: Sequence[str]
    ) -> Self:
        """The comparison with these tables."""
        return cls(
            before=str(before.folder),
            after=str(after.folder),
            regressed=comparison.regressed,
            suspected=comparison.suspected,
            times=comparison.choices,
            unequal=comparison.unequal,
            partial=[*comparison.partial],
            changes=tables.numbers_of_changes(comparison),
            only_before=comparison.only_before,
            only_after=comparison.only_after,
            notes=[*tables.notes(comparison)],
            tables={name: rows(comparison.frame(name)) for name in tables.TABLES if name in names},
        )


def rows(frame: pd.DataFrame) -> list[RowData]:
    """The rows of a frame, each with the names of all columns; missing values are None."""
    objects = frame.astype(object)
    return list(map(plain, objects.where(frame.notna(), None).to_dict("records")))
