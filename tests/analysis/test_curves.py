"""Times over instances, limits and sizes: profiles, survival, scaling."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.curves import (
    SURVIVAL,
    Exponent,
    cactus,
    exponent_of,
    performance_profile,
    restricted_mean,
    scaling,
    survival,
)
from harness.analysis.inference import Bools, Floats
from harness.analysis.results import results_of

# Curves: steps by hand, and what is true of every curve.


Trials = Callable[..., pd.DataFrame]

cells = st.one_of(st.floats(1e-4, 9), st.just("timeout"))


def steps(table: pd.DataFrame, backend: str, x: str, y: str) -> list[tuple[float, float]]:
    rows = table[table["backend"] == backend]
    return list(zip(rows[x], rows[y], strict=True))


def test_the_profile_by_hand(trials_of: Trials) -> None:
    results = {"a": [1.0, 4.0, "timeout", "timeout"], "b": [2.0, 1.0, 3.0, "timeout"]}
    table = performance_profile(results_of(trials_of(results)))
    assert steps(table, "a", "tau", "share") == [(1.0, 0.25), (4.0, 0.5)]
    assert steps(table, "b", "tau", "share") == [(1.0, 0.5), (2.0, 0.75)]


def test_two_alone_have_a_profile_of_their_own(trials_of: Trials) -> None:
    results = {"a": [2.0], "b": [4.0], "c": [1.0]}
    table = results_of(trials_of(results))
    assert steps(performance_profile(table), "a", "tau", "share") == [(1.0, 0.0), (2.0, 1.0)]
    pair = performance_profile(table, ["a", "b"])
    assert steps(pair, "a", "tau", "share") == [(1.0, 1.0)]
    assert set(pair["backend"]) == {"a", "b"}


def test_the_cactus_by_hand(trials_of: Trials) -> None:
    table = cactus(results_of(trials_of({"a": [3.0, 1.0, "timeout", 1.0]})))
    assert steps(table, "a", "time_s", "answered") == [(1.0, 2), (3.0, 3)]
    assert table["share"].tolist() == [0.5, 0.75]


def test_a_wrong_backend_has_no_curve_and_changes_none(trials_of: Trials) -> None:
    results = {"a": [1.0, 2.0], "liar": [1e-6, "wrong"]}
    alone = results_of(trials_of({"a": results["a"]}))
    for curve in (performance_profile, cactus):
        pd.testing.assert_frame_equal(curve(results_of(trials_of(results))), curve(alone))


def test_a_long_curve_keeps_its_ends_and_exact_steps(trials_of: Trials) -> None:
    times = np.sort(np.random.default_rng(0).random(3000)) + 0.1
    table = cactus(results_of(trials_of({"a": list(times)})))
    assert len(table) == 500
    assert (table["time_s"].iloc[0], table["time_s"].iloc[-1]) == (times[0], times[-1])
    assert (table["time_s"].to_numpy() == times[table["answered"] - 1]).all()
    assert table["share"].diff().max() <= 1 / 400


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=15))
def test_every_profile_rises_from_one_and_ends_at_what_was_answered(
    trials_of: Trials, field: list[tuple[Any, ...]]
) -> None:
    table = performance_profile(
        results_of(trials_of({"abc"[n]: [row[n] for row in field] for n in range(3)}))
    )
    for n, backend in enumerate("abc"):
        curve = np.array(steps(table, backend, "tau", "share"))
        assert curve[0, 0] == 1.0
        assert (np.diff(curve[:, 0]) > 0).all()
        assert (np.diff(curve[:, 1]) >= 0).all()
        assert curve[-1, 1] == sum(row[n] != "timeout" for row in field) / len(field)
    at_one = table[table["tau"] == 1.0]["share"].sum()
    answered = sum(any(cell != "timeout" for cell in row) for row in field) / len(field)
    assert at_one >= answered - 1e-12


# Times under different limits: Kaplan-Meier by hand.


def test_with_one_limit_it_is_the_mean_with_failures_at_the_limit(trials_of: Trials) -> None:
    table = survival(results_of(trials_of({"a": [1.0, 4.0, "timeout"], "b": [2.0, 2.0, 2.0]})))
    assert table["rmst_s"].tolist() == [pytest.approx(5.0), pytest.approx(2.0)]
    assert table["share_open"].tolist() == [pytest.approx(1 / 3), 0.0]
    assert table["horizon_s"].tolist() == [10.0, 10.0]
    assert table["limits"].tolist() == [1, 1]


def test_kaplan_meier_by_hand() -> None:
    # At 1: 3/4 go on. At 2 one is censored, so at 3 one of two goes on: 3/8. At 5 none is.
    time, answered = np.array([1.0, 2.0, 3.0, 5.0]), np.array([True, False, True, True])
    mean, still_open = restricted_mean(time, answered, 5.0)
    assert mean == pytest.approx(1 * 1 + 2 * 3 / 4 + 2 * 3 / 8)
    assert still_open == 0.0
    mean, still_open = restricted_mean(time, answered, 4.0)
    assert mean == pytest.approx(1 * 1 + 2 * 3 / 4 + 1 * 3 / 8)
    assert still_open == pytest.approx(3 / 8)
    assert restricted_mean(time, answered, 0.5) == (0.5, 1.0)


def test_the_longest_limit_of_an_instance_counts_up_to_a_common_horizon(
    trials_of: Trials,
) -> None:
    short = trials_of({"a": ["timeout", "timeout"], "b": [0.5, "timeout"]}, timeout_s=1.0)
    long = trials_of({"a": [4.0, "timeout"]}, timeout_s=8.0)
    table = survival(results_of(pd.concat([short, long]))).set_index("backend")
    assert table["limits"].to_dict() == {"a": 2, "b": 1}
    assert table["answered"].to_dict() == {"a": 1, "b": 1}
    # b is known up to 1 s only, so the horizon is 1 s for both.
    assert table["horizon_s"].to_dict() == {"a": 1.0, "b": 1.0}
    assert table["rmst_s"].to_dict() == {"a": pytest.approx(1.0), "b": pytest.approx(0.75)}


def test_a_wrong_answer_under_any_limit_leaves_no_mean(trials_of: Trials) -> None:
    short = trials_of({"liar": ["wrong"], "a": [0.5]}, timeout_s=1.0)
    long = trials_of({"liar": [0.1]}, timeout_s=8.0)
    table = survival(results_of(pd.concat([short, long]))).set_index("backend")
    assert table.loc["liar", ["horizon_s", "rmst_s", "share_open"]].isna().all()
    assert table["rmst_s"]["a"] == pytest.approx(0.5)
    assert table["horizon_s"]["a"] == 1.0


def test_a_wrong_answer_under_two_limits_is_one_instance(trials_of: Trials) -> None:
    short = trials_of({"a": ["wrong", 1.0], "b": [1.0, 1.0]}, timeout_s=5.0)
    long = trials_of({"a": ["wrong", 1.0], "b": [1.0, 1.0]}, timeout_s=20.0)
    table = survival(results_of(pd.concat([short, long], ignore_index=True)))
    assert table.set_index("backend")["wrong"].to_dict() == {"a": 1, "b": 0}


def test_the_note_says_what_the_mean_is_restricted_to(trials_of: Trials) -> None:
    table = survival(results_of(trials_of({"a": [1.0], "b": [2.0]})))
    texts = [note.text for note in SURVIVAL.notes(table)]
    assert [text.split(":")[0] for text in texts] == ["RMST"]


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


# Fitted exponents: against scipy and against the definitions in matrices, and their coverage.


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


@settings(max_examples=40, deadline=None)
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


@settings(max_examples=40, deadline=None)
@given(instances, st.floats(1e-3, 1e3))
def test_neither_order_nor_unit_changes_the_exponent(
    found: list[tuple[int, float]], unit: float
) -> None:
    fitted = exponent_of(*arrays(found))
    size, time, answered = arrays(found[::-1])
    other = exponent_of(size, unit * time, answered)
    for name in ("value", "low", "high"):
        assert getattr(other, name) == pytest.approx(getattr(fitted, name), rel=1e-6, abs=1e-6)


@settings(max_examples=40, deadline=None)
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
