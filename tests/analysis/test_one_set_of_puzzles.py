"""Every comparative table says how many instances it covers and how many it leaves out.

`test_oracles.py` computes the values again.
"""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.measures import measures_of
from harness.analysis.run import Run
from harness.report.table import note_text

COMPARATIVE = (
    *("summary", "ranks", "pairwise", "contributions", "averages", "throughput"),
    *("by-difficulty", "phases", "pooled", "scaling", "survival"),
)


@pytest.mark.parametrize("name", COMPARATIVE)
def test_a_table_states_what_it_leaves_out(
    trials_of: Callable[..., pd.DataFrame], name: str
) -> None:
    """Two instances of five are only those of `a`."""
    times = {"a": [0.1, 0.2, 0.3, 0.4, 0.5], "b": [0.1, 0.2, 0.3, None, None]}
    run = Run(Path(), trials_of(times, shape="4x4", search_s=0.01))
    (measure,) = measures_of([name])
    table = run.measure(measure)
    assert set(table["left_out"]) == {2}
    notes = list(map(note_text, measure.notes(table)))
    assert any("all backends were run on" in note and "left out: 2" in note for note in notes)
    count = "answers" if name == "phases" else "instances"
    shown = {column.name for column in measure.shown(table)}
    assert shown & {count, "answered"}
    assert set(table[count]) == {3}


def test_one_instance_left_out_is_enough_for_the_column_of_instances(
    trials_of: Callable[..., pd.DataFrame],
) -> None:
    (measure,) = measures_of(["averages"])
    for last, shown in ((0.2, False), (None, True)):
        table = Run(Path(), trials_of({"a": [0.1, 0.2], "b": [0.1, last]})).measure(measure)
        assert table["instances"].nunique() == 1
        assert ("instances" in {column.name for column in measure.shown(table)}) == shown
