"""Fitted exponents: against scipy and against the definitions in matrices, and their coverage."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.curves import scaling
from harness.analysis.inference import Bools, Exponent, Floats, exponent_of
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]

SIZES = (4, 6, 9, 16, 25)
instances = st.lists(
    st.tuples(st.sampled_from(SIZES), st.floats(1e-6, 10)), min_size=8, max_size=40
).filter(lambda found: len({size for size, _ in found}) >= 3)


def arrays(found: list[tuple[int, float]]) -> tuple[Floats, Floats, Bools]:
    size, time = (np.array(values, dtype=float) for values in zip(*found, strict=True))
    return size, time, np.ones(len(found), dtype=bool)


def interval_by_matrices(size: Floats, time: Floats) -> tuple[float, float]:
    """The interval of the docstring, from n x n matrices."""
    design = np.column_stack([np.ones(len(size)), np.log(size)])
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ design.T
    residual_maker = np.eye(len(size)) - design @ coefficients
    estimate = coefficients @ np.log(time)
    residual = residual_maker @ np.log(time)
    scaled = coefficients / residual_maker.diagonal()
    covariance = scaled @ np.diag(residual**2) @ scaled.T
    product = np.diag(scaled[1] ** 2) @ residual_maker
    freedom = np.trace(product) ** 2 / np.trace(product @ product)
    half = scipy.stats.t.ppf(0.975, freedom) * np.sqrt(covariance[1, 1])
    return estimate[1] - half, estimate[1] + half


@settings(deadline=None)
@given(instances)
def test_the_exponent_is_the_slope_of_the_logarithms(found: list[tuple[int, float]]) -> None:
    size, time, answered = arrays(found)
    fitted = exponent_of(size, time, answered)
    expected = scipy.stats.linregress(np.log(size), np.log(time))
    assert fitted.value == pytest.approx(expected.slope, rel=1e-6, abs=1e-9)
    assert (fitted.low, fitted.high) == pytest.approx(
        interval_by_matrices(size, time), rel=1e-6, abs=1e-6
    )
    assert not fitted.is_bound


@settings(deadline=None)
@given(instances, st.floats(1e-3, 1e3))
def test_neither_order_nor_unit_changes_the_exponent(
    found: list[tuple[int, float]], unit: float
) -> None:
    fitted = exponent_of(*arrays(found))
    size, time, answered = arrays(found[::-1])
    other = exponent_of(size, unit * time, answered)
    for name in ("value", "low", "high"):
        assert getattr(other, name) == pytest.approx(getattr(fitted, name), rel=1e-6, abs=1e-6)


@settings(deadline=None)
@given(instances, st.data())
def test_times_beyond_the_limit_make_a_bound_no_smaller(
    found: list[tuple[int, float]], data: st.DataObject
) -> None:
    size, time, answered = arrays(found)
    drawn = np.array(data.draw(st.lists(st.booleans(), min_size=len(size), max_size=len(size))))
    failed = drawn & (np.log(size) >= np.log(size).mean())
    time = np.where(failed, 10.0, time)
    fitted = exponent_of(size, time, answered & ~failed)
    assert fitted.is_bound == failed.any()
    longer = np.where(failed, time * (1 + np.arange(len(time))), time)
    assert exponent_of(size, longer, answered).value >= fitted.value - 1e-9
    assert np.isnan(fitted.high) == failed.any()


def test_an_exact_power_has_its_exponent_and_no_uncertainty() -> None:
    size = np.repeat([4.0, 9.0, 16.0], 3)
    fitted = exponent_of(size, 1e-3 * size**2.5, np.ones(9, dtype=bool))
    assert (fitted.value, fitted.low, fitted.high) == pytest.approx((2.5, 2.5, 2.5))


@pytest.mark.parametrize(
    ("sizes", "failed", "zero"),
    [
        ([4] * 4 + [9] * 4, [], []),
        ([4] * 3 + [9] * 2 + [16] * 2, [], []),
        ([4] * 3 + [9] * 3 + [16] * 3, [0], []),
        ([4] * 3 + [9] * 3 + [16] * 3, [], [4]),
        ([], [], []),
    ],
    ids=["two sizes", "seven instances", "a failure at a small size", "a time of 0", "none"],
)
def test_too_little_has_no_exponent(sizes: list[int], failed: list[int], zero: list[int]) -> None:
    size = np.array(sizes, dtype=float)
    time, answered = size**2, np.ones(len(size), dtype=bool)
    answered[failed] = False
    time[zero] = 0.0
    fitted = exponent_of(size, time, answered)
    assert all(np.isnan([fitted.value, fitted.low, fitted.high]))
    assert fitted.is_bound is Exponent().is_bound


@pytest.mark.parametrize("each", range(3, 16))
def test_a_failure_at_the_mean_size_leaves_a_bound_whatever_the_rounding(each: int) -> None:
    """The logarithm of 6 is the mean of those of 4 and 9."""
    for sizes in ([4.0, 6.0, 9.0] * each, [9.0, 6.0, 4.0] * each, sorted([4.0, 6.0, 9.0] * each)):
        size = np.array(sizes)
        answered = np.ones(len(size), dtype=bool)
        answered[sizes.index(6.0)] = False
        fitted = exponent_of(size, size**2, answered)
        assert fitted.is_bound
        assert fitted.value == pytest.approx(2)


def sized(trials_of: Trials, times: Mapping[str, Mapping[str, Sequence[object]]]) -> pd.DataFrame:
    """Results of several shapes; ids of puzzles differ between them."""
    parts = [
        trials_of(of, shape=shape, puzzle_id=lambda n, shape=shape: f"{shape}{n}")
        for shape, of in times.items()
    ]
    return results_of(pd.concat(parts))


def test_all_backends_are_fitted_to_the_same_instances(trials_of: Trials) -> None:
    """The third 9x9 has only times of `a`, and there they are far from its line."""
    full = {n: [float(n) ** 2 / 1000] * 3 for n in (4, 9, 16)}
    table = scaling(
        sized(
            trials_of,
            {
                "4x4": {"a": full[4], "b": full[4]},
                "9x9": {"a": [*full[9], 9.0], "b": [*full[9], None]},
                "16x16": {"a": full[16], "b": full[16]},
                "latin9": {"a": [0.5] * 9, "b": [0.5] * 9},
            },
        )
    )
    square = table[table["shape"] != "latin9"]
    assert square["exponent"].to_numpy() == pytest.approx(np.full(6, 2.0))
    assert set(square["fitted_to"]) == {9}
    assert table.loc[table["shape"] == "latin9", "exponent"].isna().all()


def test_a_failure_at_the_largest_size_makes_a_bound(trials_of: Trials) -> None:
    table = scaling(
        sized(
            trials_of,
            {f"{n}x{n}": {"a": [n / 100] * 3 if n < 16 else ["timeout"] * 3} for n in (4, 9, 16)},
        )
    )
    assert table["exponent_is_bound"].all()
    assert table["exponent_high"].isna().all()
    assert (table["exponent"] > 1).all()


@pytest.mark.long
@pytest.mark.parametrize("counts", [(3, 3, 2), (6, 1, 1), (1, 6, 1), (10, 10, 10), (26, 2, 2)])
@pytest.mark.parametrize("spread", [(0.5, 0.5, 0.5), (0.1, 0.5, 0.9), (1.2, 0.9, 0.6)])
def test_intervals_cover_the_exponent_whatever_the_spread_of_each_size(
    counts: tuple[int, ...], spread: tuple[float, ...]
) -> None:
    """At least 93 % of 2,000 intervals; those of equal variances cover as few as 46 %."""
    random = np.random.default_rng(0)
    size, noise = np.repeat([4.0, 9.0, 16.0], counts), np.repeat(spread, counts)
    answered = np.ones(len(size), dtype=bool)
    covered = 0
    for _ in range(2000):
        time = np.exp(3 * np.log(size) + noise * random.normal(size=len(size)))
        fitted = exponent_of(size, time, answered)
        covered += fitted.low <= 3 <= fitted.high
    assert covered / 2000 >= 0.93
