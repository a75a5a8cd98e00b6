"""Times over instances, limits and sizes: profiles, survival, scaling."""

import numpy as np
import pandas as pd
import pytest

from harness.analysis.curves import Exponent, cactus, exponent_of, scaling, series_of
from harness.analysis.measures.results import results_of
from harness.report.formatting import shape_name
from tests.trials import Trials


def test_a_long_curve_keeps_its_ends_and_exact_steps(trials_of: Trials) -> None:
    times = np.sort(np.random.default_rng(0).random(3000)) + 0.1
    table = cactus(results_of(trials_of({"a": list(times)})))
    assert len(table) == 500
    assert (table["time_s"].iloc[0], table["time_s"].iloc[-1]) == (times[0], times[-1])
    assert (table["time_s"].to_numpy() == times[table["answered"] - 1]).all()
    assert table["share"].diff().max() <= 1 / 400


# Times by size.


def test_sizes_are_in_order_over_all_datasets(trials_of: Trials) -> None:
    places = [("16x16", "d"), ("4x4", "d"), ("4x4", "e"), ("box5x2", "d"), ("latin7", "d")]
    trials = pd.concat(
        [
            trials_of(
                {"a": [1.0, "timeout"]},
                shape=shape,
                dataset=name,
                puzzle_id=lambda n, shape=shape: f"{shape}{n}",
            )
            for shape, name in places
        ]
    )
    table = scaling(results_of(trials))
    assert list(table["shape"]) == ["4x4", "latin7", "box5x2", "16x16"]
    assert table["size"].tolist() == [4, 7, 10, 16]
    assert table["instances"].tolist() == [4, 2, 2, 2]
    assert table["share_answered"].tolist() == [0.5] * 4
    assert table["par2_s"].tolist() == [10.5] * 4
    assert table["median_is_bound"].all()


def test_puzzles_with_the_same_kinds_of_constraints_have_one_shape(trials_of: Trials) -> None:
    definitions = {
        "a": "4x4; killer 3: r1c1 r1c2",
        "b": "4x4; killer 7: r4c1 r4c2; killer: r1c1 r1c2",
        "c": "4x4; thermometer: r1c1 r1c2; killer: r2c1 r2c2",
        "d": "9x9; killer 3: r1c1 r1c2",
        "e": "9x9",
    }
    trials = pd.concat(
        [
            trials_of({"x": [1.0]}, shape=shape, puzzle_id=lambda n, name=name: name)
            for name, shape in definitions.items()
        ]
    )
    table = scaling(results_of(trials))
    shapes = ["4x4+killer", "4x4+killer+thermometer", "9x9", "9x9+killer"]
    assert list(table["shape"]) == shapes
    assert table["instances"].tolist() == [2, 1, 1, 1]
    assert [series_of(*arguments) for arguments in zip(shapes, [4, 4, 9, 9], strict=True)] == [
        "NxN+killer",
        "NxN+killer+thermometer",
        "NxN",
        "NxN+killer",
    ]
    names = [shape_name(definition) for definition in definitions.values()]
    assert names == [shapes[0], *shapes[:2], shapes[3], shapes[2]]


# Fitted exponents: against scipy and against the definitions in matrices, and their coverage.


@pytest.mark.parametrize(
    ("sizes", "failures", "zero"),
    [
        ([4] * 4 + [9] * 4, [], []),
        ([4] * 3 + [9] * 2 + [16] * 2, [], []),
        ([4] * 3 + [9] * 3 + [16] * 3, [0], []),
        ([4] * 3 + [9] * 3 + [16] * 3, [], [4]),
        ([], [], []),
    ],
    ids=["two sizes", "seven instances", "a failure at a small size", "a time of 0", "none"],
)
def test_too_little_has_no_exponent(sizes: list[int], failures: list[int], zero: list[int]) -> None:
    size = np.array(sizes, dtype=float)
    time, is_answered = size**2, np.ones(len(size), dtype=bool)
    is_answered[failures] = False
    time[zero] = 0.0
    exponent = exponent_of(size, time, is_answered)
    assert all(np.isnan([exponent.value, exponent.low, exponent.high]))
    assert exponent.is_bound is Exponent().is_bound


@pytest.mark.parametrize("each", range(3, 16, 4))
def test_a_failure_at_the_mean_size_leaves_a_bound_whatever_the_rounding(each: int) -> None:
    """The logarithm of 6 is the mean of those of 4 and 9."""
    for sizes in ([4.0, 6.0, 9.0] * each, [9.0, 6.0, 4.0] * each, sorted([4.0, 6.0, 9.0] * each)):
        size = np.array(sizes)
        is_answered = np.ones(len(size), dtype=bool)
        is_answered[sizes.index(6.0)] = False
        exponent = exponent_of(size, size**2, is_answered)
        assert exponent.is_bound
        assert exponent.value == pytest.approx(2)


@pytest.mark.long
@pytest.mark.parametrize("counts", [(3, 3, 2), (6, 1, 1), (1, 6, 1), (10, 10, 10), (26, 2, 2)])
@pytest.mark.parametrize("spread", [(0.5, 0.5, 0.5), (0.1, 0.5, 0.9), (1.2, 0.9, 0.6)])
def test_intervals_cover_the_exponent_whatever_the_spread_of_each_size(
    counts: tuple[int, ...], spread: tuple[float, ...]
) -> None:
    """At least 93 % of 2,000 intervals; those of equal variances cover as few as 46 %."""
    random = np.random.default_rng(0)
    size, noise = np.repeat([4.0, 9.0, 16.0], counts), np.repeat(spread, counts)
    is_answered = np.ones(len(size), dtype=bool)
    hits = 0
    for _ in range(2000):
        time = np.exp(3 * np.log(size) + noise * random.normal(size=len(size)))
        exponent = exponent_of(size, time, is_answered)
        hits += exponent.low <= 3 <= exponent.high
    assert hits / 2000 >= 0.93
