"""Declarations of measures: complete and consistent."""

from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.comparison import PAIRS, Comparison
from harness.analysis.curves import CACTUS, PROFILE
from harness.analysis.measures.columns import COMPARISON_GROUP, ValueKind
from harness.analysis.measures.measure import MEASURES, FrameLayout, Scope, measures_of
from harness.analysis.measures.results import ANSWERS, RESULTS
from harness.analysis.run import Run
from harness.base.errors import InputError
from tests.trials import Trials

EVERY_LAYOUT: list[FrameLayout] = [
    *(*MEASURES.values(), *Comparison.LAYOUTS, PAIRS),
    *(PROFILE, CACTUS, RESULTS, ANSWERS),
]


@pytest.fixture(scope="module")
def runs(trials_of: Trials) -> list[Run]:
    """A run with failures on two machines, and one of a single trial."""
    times = {"a": [(1.0, 1.5), "timeout"], "b": [2.0, (4.0, "crashed", "wrong")], "c": [1.0, 1.0]}
    trials = pd.concat([trials_of(times), trials_of(times, host="there")], ignore_index=True)
    return [Run(Path(), trials), Run(Path(), trials_of({"a": [1.0]}))]


@pytest.mark.parametrize("name", MEASURES)
def test_a_frame_has_the_declared_columns(runs: list[Run], name: str) -> None:
    for run in runs:
        frame = run.measure(MEASURES[name])
        assert dict(frame.dtypes.astype(str)) == MEASURES[name].dtypes


def test_curves_results_and_answers_have_the_declared_columns(runs: list[Run]) -> None:
    for run in runs:
        for frame, layout in (
            (run.performance_profile(), PROFILE),
            (run.cactus(), CACTUS),
            (run.results, RESULTS),
            (run.answers, ANSWERS),
        ):
            assert dict(frame.dtypes.astype(str)) == layout.dtypes, layout.name


@pytest.mark.parametrize("layout", EVERY_LAYOUT, ids=lambda layout: layout.name)
def test_a_declaration_refers_to_its_own_columns_only(layout: FrameLayout) -> None:
    names = [column.name for column in layout.columns]
    assert len(set(names)) == len(names)
    order = set(layout.order.split()) - {"group"}
    assert order <= set(names)
    for column in layout.columns:
        assert column.meaning.endswith(".")
        assert not column.name.endswith("_s") or column.unit in ("s", "1/s")
        others = {column.bound_flag, column.upper, column.out_of, column.sorted_by} - {""}
        assert others <= set(names)
        assert (column.kind in (ValueKind.INTERVAL, ValueKind.RANGE)) == bool(column.upper)
        assert (column.kind is ValueKind.FRACTION) == bool(column.out_of)
    assert all(column.title for column in layout.columns if column.name in order)


def test_tables_of_a_comparison_group_have_its_columns() -> None:
    for measure in MEASURES.values():
        if measure.scope is not Scope.RUN:
            assert set(COMPARISON_GROUP) <= set(measure.dtypes)


def test_measures_are_looked_up_in_their_order() -> None:
    measures = measures_of(["failures", "ranks", "failures"])
    assert [measure.name for measure in measures] == ["ranks", "failures"]


def test_an_unknown_measure_is_bad_input_that_lists_all() -> None:
    with pytest.raises(InputError) as error:
        measures_of(["nothing-like-it"])
    assert "nothing-like-it" in error.value.what
    assert all(name in error.value.expected for name in MEASURES)
