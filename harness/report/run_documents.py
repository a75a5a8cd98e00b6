"""Documents of ``--json``, filled from the objects of a run and its analysis."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import pandas as pd
from msgspec import convert

from harness.analysis.agreement import Agreement
from harness.analysis.comparison import Comparison
from harness.analysis.completeness import RunCompleteness
from harness.analysis.run import Run
from harness.report import documents
from harness.report.table import is_missing
from harness.report.tables import comparison, remarks


def agreement_data(found: Agreement) -> documents.AgreementData:
    """The comparison of all answers."""
    return convert(found, documents.AgreementData, from_attributes=True)


def progress_data(progress: RunCompleteness) -> documents.ProgressData:
    """The trials of a run that are done, of those that were planned."""
    return documents.ProgressData(
        finished=progress.finished,
        state=str(progress.state),
        reason=progress.reason,
        ended_at=progress.at or None,
        done=progress.done,
        planned=progress.planned,
        configurations={
            str(row["backend"]): documents.ConfigurationProgressData(
                done=row["done"],
                planned=None if is_missing(row["planned"]) else int(row["planned"]),
            )
            for row in progress.configurations.to_dict("records")
        },
        left_out=progress.left_out,
    )


def reported(run: Run, names: Sequence[str]) -> documents.Reported:
    """The report with these tables."""
    return documents.Reported(
        folders=[str(folder) for folder in (run.folder, *run.others)],
        hosts=[*run.hosts],
        backends=[*run.backends],
        trials=len(run.trials),
        progress=progress_data(run.progress),
        tables={name: rows(run.measure(name)) for name in names},
        notes=[*remarks(run)],
        agreement=agreement_data(run.agreement()),
    )


def compared(
    found: Comparison, before: Run, after: Run, names: Sequence[str]
) -> documents.Compared:
    """The comparison with these tables."""
    return documents.Compared(
        before=str(before.folder),
        after=str(after.folder),
        regressed=found.regressed,
        suspected=found.suspected,
        times={
            backend: documents.TimeData(time=str(choice.kind), reason=choice.reason)
            for backend, choice in found.choices.items()
        },
        unequal=convert(found.unequal, list[documents.DifferenceData], from_attributes=True),
        partial=[*found.partial],
        changes=comparison.numbers_of_changes(found),
        only_before=found.only_before,
        only_after=found.only_after,
        notes=[*comparison.notes(found)],
        tables={name: rows(found.frame(name)) for name in comparison.TABLES if name in names},
    )


def rows(frame: pd.DataFrame) -> list[documents.Row]:
    """The rows of a frame, each with the names of all columns; missing values are None."""
    columns = {str(name): [_cell(value) for value in frame[name]] for name in frame.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _cell(value: Any) -> documents.Cell:
    if is_missing(value):
        return None
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float):
        return plain if isfinite(plain) else None
    return plain if isinstance(plain, str | int) else str(plain)
