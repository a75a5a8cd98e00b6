"""Measure `incidents`: what happened beside the trials of a run."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from harness.analysis.measure import (
    Kind,
    Measure,
    MeasureColumn,
    Scope,
    Source,
    View,
    rows_frame,
)

_DTYPES: Final = {"at": "string", "backend": "string", "kind": "string", "detail": "string"}


def incidents(events: pd.DataFrame) -> pd.DataFrame:
    """Count the incidents of each backend and kind.

    A backend has left processes or threads running (``left running``), all processes of the
    harness have stood still and a trial ran again (``stood still``), a server was replaced
    (``replaced``), or a machine has become slower or noisier between shards (``machine changed``,
    without a backend). Times of trials do not include the first three.
    """
    rows = []
    for (backend, kind), part in events.groupby(["backend", "kind"], sort=True):
        first = part.sort_values("at", kind="stable").iloc[0]
        row = {"backend": backend, "kind": kind, "incidents": len(part)}
        rows.append(row | {"detail": first["detail"], "at": first["at"]})
    return INCIDENTS.frame(rows)


def incidents_frame(rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """A row for each event: its time in UTC, the backend, its kind and details."""
    return rows_frame([dict(zip(_DTYPES, row, strict=True)) for row in rows], _DTYPES)


INCIDENTS: Final = Measure(
    name="incidents",
    title="Incidents",
    scope=Scope.RUN,
    source=Source.EVENTS,
    compute=incidents,
    columns=(
        MeasureColumn(
            *("backend", "string", "Label of the configuration.", ""),
            View(Kind.BACKEND, "backend"),
        ),
        MeasureColumn(
            *(
                "kind",
                "string",
                "`left running`, `stood still`, `replaced` or `machine changed`.",
                "",
            ),
            View(Kind.TEXT, "incident"),
        ),
        MeasureColumn(
            *("incidents", "int64", "Number of incidents of this kind.", ""),
            View(Kind.COUNT, "times"),
        ),
        MeasureColumn(
            *("detail", "string", "Description of the first one.", ""),
            View(Kind.REASON, "first"),
        ),
        MeasureColumn("at", "string", "Time of the first one.", "UTC"),
    ),
)
