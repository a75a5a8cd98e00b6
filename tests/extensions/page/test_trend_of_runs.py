"""Trends over runs and their steps."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import signature
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.completeness import RunEnding, RunState
from harness.analysis.measures.inference import Floats
from harness.analysis.run import Run
from harness.base.errors import InputError, OptionError
from harness.extensions import page
from harness.extensions.page.trend_of_runs import Trend, trend
from harness.extensions.page.trend_tables import (
    RUN_NOISE,
    RUN_NOISE_WEIGHT,
    candidates,
    level_changes,
    prior_variance,
    steps_of,
)
from harness.records.folder.environment import (
    Activity,
    Checkout,
    Invocation,
    SystemInfo,
    write_invocations,
)
from tests.conftest import PROJECT
from tests.test_api_arguments import TEXT, Arguments, check_refusals
from tests.trials import Trials

MakeRun = Callable[..., Run]


def times(factor: float = 1.0, number: int = 12) -> list[float]:
    """Times that grow from instance to instance, up to 0.3 s."""
    return [factor * 0.001 * 1.6**n for n in range(number)]


@pytest.fixture
def a_run(trials_of: Trials, tmp_path: Path) -> MakeRun:
    """Make a run in a folder of its own, by default one day after the one before."""
    runs: list[Run] = []

    def make(
        results: dict[str, Sequence[Any]],
        *,
        day: int | None = None,
        processor: str = "one",
        commit: str = "a" * 40,
        jobs: int = 1,
        others: float = 0.0,
        **columns: Any,
    ) -> Run:
        folder = tmp_path / f"run-{len(runs) + 1}"
        folder.mkdir()
        invocation = Invocation(
            started_at=f"2026-01-{day or len(runs) + 1:02d}T10:00:00+00:00",
            system=SystemInfo(host="here", processor=processor, usable_cores=[0, 1]),
            jobs=jobs,
            activity=Activity(seconds=10.0, other_cpu_s=10 * others),
            checkout=Checkout(commit, dirty=False),
        )
        write_invocations(folder, [invocation])
        runs.append(Run(folder, trials_of(results, **columns)))
        return runs[-1]

    return make


@pytest.fixture
def runs_of_a(a_run: MakeRun) -> Callable[..., list[Run]]:
    """Make a run of `a` for each factor of its times."""
    return lambda *factors, **conditions: [
        a_run({"a": times(factor)}, **conditions) for factor in factors
    ]


RunsOfA = Callable[..., list[Run]]


def steps(result: Trend) -> list[tuple[str, str, int]]:
    return [tuple(row) for row in result.steps[["backend", "change", "run"]].to_numpy()]


def test_values_are_those_of_the_common_instances(a_run: MakeRun) -> None:
    first = a_run({"a": [1.0, 2.0, 6.0, "timeout"]})
    second = a_run({"a": [1.0, 4.0, 100.0]})
    third = a_run({"a": [3.0, "timeout", None, 1.0, 50.0]})
    result = trend([first, second, third])
    # The first two instances are in all runs; the limit is 10 s.
    assert list(result.values["instances"]) == [2, 2, 2]
    assert list(result.values["par2_s"]) == [1.5, 2.5, 11.5]
    assert list(result.values["median_s"]) == [1.5, 2.5, 6.5]
    assert list(result.values["answered"]) == [2, 2, 1]
    assert list(result.values["puzzles_per_s"]) == pytest.approx([2 / 3, 2 / 5, 2 / 13])
    expected = [2**0.5, 2.0, 30**0.5]
    assert list(result.values["geometric_mean_s"]) == pytest.approx(expected)
    (note,) = [note for note in result.notes if "common" in note and "of" in note]
    assert note == "d: solve, cold start: 2 of 4 instances are common to all; run 2 has 3"


def test_an_unfinished_run_is_named(runs_of_a: RunsOfA) -> None:
    runs = runs_of_a(1, 1, 1)
    ending = RunEnding(RunState.INTERRUPTED, "SIGINT", "2026-01-02T11:00:00+00:00")
    runs[1] = replace(runs[1], endings=(ending,))
    result = trend(runs)
    (note,) = [note for note in result.notes if "unfinished" in note]
    expected = "12 trials, interrupted (SIGINT) at 2026-01-02 11:00 UTC"
    assert note == f"run 2 is unfinished: {expected}"
    assert list(result.runs["state"]) == ["not recorded", "interrupted", "not recorded"]


def test_all_configurations_of_a_group_have_the_same_instances(a_run: MakeRun) -> None:
    runs = [a_run({"a": times(), "b": times()}) for _ in range(3)]
    runs.append(a_run({"a": times(), "b": [None, *times()[1:]]}))
    result = trend(runs)
    assert len([note for note in result.notes if "11 of 12 instances are common" in note]) == 1
    assert set(result.values["instances"]) == {11}
    assert result.values.groupby("backend").size().to_dict() == {"a": 4, "b": 4}


def test_a_configuration_may_start_later_and_needs_three_runs(a_run: MakeRun) -> None:
    backends = (["a"], ["a", "late"], ["a", "late", "last"], ["a", "late", "last"])
    result = trend([a_run(dict.fromkeys(names, times())) for names in backends])
    runs_of = result.values.groupby("backend")["run"].apply(list).to_dict()
    assert runs_of == {"a": [1, 2, 3, 4], "late": [2, 3, 4]}
    assert "\nleft out: 1 backend of a comparison group" in "\n".join(["", *result.notes])


def test_a_slowdown_is_a_step_with_its_factor(a_run: MakeRun) -> None:
    runs = [a_run({"a": times(), "b": times()}) for _ in range(3)]
    runs += [a_run({"a": times(1.5), "b": times()}, commit="b" * 40) for _ in range(3)]
    result = trend(runs)
    assert steps(result) == [("a", "slower", 4)]
    (step,) = result.steps.to_dict("records")
    assert (step["previous"], step["instances"]) == (3, 12)
    assert step["factor"] == pytest.approx(1.5)
    assert step["factor_low"] < 1.5 < step["factor_high"]
    assert step["after_s"] / step["before_s"] == pytest.approx(1.5)
    assert step["before_s"] == pytest.approx(np.exp(np.log(times()).mean()))
    assert step["changed"] == "checkout aaaaaaaaaa -> bbbbbbbbbb"
    assert "changed between runs 3 and 4: checkout aaaaaaaaaa -> bbbbbbbbbb" in result.notes
    assert result.slowed
    assert (result.slower, result.wrong) == (1, 0)


def test_a_slowdown_that_was_fixed_is_no_slowdown_now(runs_of_a: RunsOfA) -> None:
    result = trend(runs_of_a(1, 1, 1, 1.5, 1.5, 1.5, 1, 1, 1))
    assert steps(result) == [("a", "slower", 4), ("a", "faster", 7)]
    assert not result.slowed
    assert list(result.trends["steps"]) == [
        "slower at 4: 1.50x (1.45 to 1.55), faster at 7: 0.67x (0.65 to 0.69)"
    ]


def test_new_timeouts_are_a_step(a_run: MakeRun) -> None:
    late: list[Any] = [*times()[:6], *["timeout"] * 6]
    runs = [a_run({"a": times()}) for _ in range(3)] + [a_run({"a": late}) for _ in range(3)]
    result = trend(runs, measure="solved")
    assert steps(result) == [("a", "slower", 4)]
    assert result.trends[["first", "last"]].to_numpy().tolist() == [[12.0, 6.0]]


def test_a_step_at_a_change_of_machine_is_marked_as_such(runs_of_a: RunsOfA) -> None:
    result = trend([*runs_of_a(1, 1, 1), *runs_of_a(2, 2, 2, processor="two")])
    assert steps(result) == [("a", "machine changed", 4)]
    assert list(result.runs["machine_changed"]) == [False, False, False, True, False, False]
    assert "the machine changed before run 4: processor one -> two" in result.notes
    assert not result.slowed


def test_a_step_under_unequal_conditions_is_marked_as_such(a_run: MakeRun) -> None:
    cause = "other programs 0.00 of 2 cores in use -> 1.50 of 2 cores in use"
    runs = [a_run(dict.fromkeys("abc", times())) for _ in range(3)]
    runs += [a_run(dict.fromkeys("abc", times(2)), others=1.5) for _ in range(3)]
    result = trend(runs)
    assert steps(result) == [(name, "slower, unequal machine", 4) for name in "abc"]
    assert set(result.steps["changed"]) == {cause}
    assert f"changed between runs 3 and 4, on an unequal machine: {cause}" in result.notes
    hint = "follow CPU times: --time cpu"
    assert f"times may be unreliable in runs 4, 5, 6: other programs; {hint}" in result.notes
    assert list(result.runs["disturbed"].isna()) == [True] * 3 + [False] * 3
    words = "slower on an unequal machine at 4: 2.00x (1.93 to 2.08)"
    assert list(result.trends["steps"]) == [words] * 3
    assert (result.slower, result.slowed) == (0, False)
    assert steps(trend(runs[::-1], as_given=True))[0] == ("a", "faster, unequal machine", 4)


@pytest.mark.parametrize(
    ("conditions", "factor", "change"),
    [({"jobs": 8}, 4, "slower, unequal machine"), ({"processor": "two"}, 0.5, "machine changed")],
)
def test_unequal_conditions_do_not_hide_an_earlier_slowdown(
    runs_of_a: RunsOfA, conditions: dict[str, Any], factor: float, change: str
) -> None:
    result = trend([*runs_of_a(1, 1, 1, 2, 2, 2), *runs_of_a(*[factor] * 3, **conditions)])
    assert steps(result) == [("a", "slower", 4), ("a", change, 7)]
    assert (result.slower, result.slowed) == (1, True)


def test_a_run_of_several_machines_counts_as_one(runs_of_a: RunsOfA) -> None:
    runs = runs_of_a(1, 1, 1)
    both = runs[1].trials.assign(host=["here", "there"] * 6).astype({"host": "string"})
    result = trend([runs[0], Run(runs[1].folder, both), runs[2]])
    assert set(result.values["instances"]) == {12}
    assert list(result.runs["host"]) == ["here", "here + there", "here"]
    assert "run 2 has trials of 2 machines, which count as one" in result.notes


def test_runs_are_in_the_order_of_their_starts_or_as_given(a_run: MakeRun) -> None:
    runs = [a_run({"a": times(n)}, day=day) for n, day in ((1, 9), (2, 3), (3, 6))]
    assert folders(trend(runs)) == ["run-2", "run-3", "run-1"]
    in_given_order = trend(runs, as_given=True)
    assert folders(in_given_order) == ["run-1", "run-2", "run-3"]
    assert list(in_given_order.runs["started"]) == [f"2026-01-0{day} 10:00" for day in (9, 3, 6)]


def folders(result: Trend) -> list[str]:
    return [Path(folder).name for folder in result.runs["folder"]]


def test_a_run_without_an_invocation_has_the_time_of_its_first_trial(
    a_run: MakeRun, trials_of: Trials, tmp_path: Path
) -> None:
    end = "2026-01-02T00:00:00.000+00:00"
    between = Run(tmp_path / "x", trials_of({"a": times()}, ended_at=end))
    result = trend([a_run({"a": times()}, day=3), between, a_run({"a": times()}, day=1)])
    assert folders(result) == ["run-2", "x", "run-1"]


def test_a_run_of_unknown_time_needs_an_order(runs_of_a: RunsOfA, tmp_path: Path) -> None:
    first, *others = runs_of_a(1, 1, 1)
    unknown = Run(tmp_path / "unknown", first.trials)
    with pytest.raises(InputError) as error:
        trend([unknown, *others])
    assert error.value.where == str(unknown.folder)
    assert "--as-given" in error.value.expected
    result = trend([unknown, *others], as_given=True)
    assert pd.isna(result.runs["started"][0])


def test_a_run_with_a_wrong_answer_has_no_value(a_run: MakeRun, runs_of_a: RunsOfA) -> None:
    result = trend([*runs_of_a(1, 1, 1), a_run({"a": [*times(0.1)[:-1], "wrong"]})])
    assert list(result.values["par2_s"].isna()) == [False, False, False, True]
    assert list(result.values["wrong"]) == [0, 0, 0, 1]
    assert result.steps.empty
    assert "no value of a in run 4, d: solve, cold start: 1 wrong answer" in result.notes
    assert (result.slower, result.wrong, result.slowed) == (0, 1, True)


def test_few_instances_have_values_and_no_steps(a_run: MakeRun) -> None:
    runs = [a_run({"a": times(factor, 4)}) for factor in (1, 1, 1, 3, 3, 3)]
    result = trend(runs)
    assert result.steps.empty
    assert "steps are tested with 5 common instances or more" in result.notes
    assert list(result.trends["last"] / result.trends["first"]) == pytest.approx([3])


def test_runs_with_other_limits_have_nothing_in_common(a_run: MakeRun) -> None:
    runs = [a_run({"a": times()}, timeout_s=limit) for limit in (10.0, 20.0, 30.0)]
    with pytest.raises(InputError, match="no backend has an instance in common"):
        trend(runs)


def test_invalid_input_is_an_error(runs_of_a: RunsOfA) -> None:
    runs = runs_of_a(1, 1, 1)
    with pytest.raises(InputError, match="a trend of 2 runs"):
        trend(runs[:2])
    words = "unknown measure 'par10'; expected one of par2, median"
    with pytest.raises(OptionError, match=words):
        trend(runs, measure="par10")
    with pytest.raises(InputError, match="named twice"):
        trend([*runs, runs[0]])
    empty = Run(runs[2].folder, runs[2].trials.iloc[:0])
    with pytest.raises(InputError, match="no trials"):
        trend([*runs[:2], empty])
    with pytest.raises(OptionError, match="expected a list of runs or folders"):
        trend("results/mine")


def test_versions_of_a_backend_in_one_run_are_a_trend(a_run: MakeRun) -> None:
    factors = {"9.9": 1.0, "9.10": 1.02, "9.14": 0.99, "10.1": 2.0}
    results = {f"cpsat@{version}[workers=1]": times(f) for version, f in factors.items()}
    run = a_run(results | {"native": times(), "z3@4.8": times()})
    result = trend([run], by="version")
    assert list(result.runs["folder"]) == [*(f"cpsat@{v}" for v in factors), "z3@4.8"]
    assert steps(result) == [("cpsat[workers=1]", "slower", 4)]
    assert any("1 backend of a comparison group in fewer than 3" in note for note in result.notes)
    assert result.slowed


def test_exact_versions_behind_one_spec_are_versions_of_a_trend(a_run: MakeRun) -> None:
    labels = ["cpsat@9.14#9.14.2", "cpsat@9.14#9.14.10", "cpsat@9.15"]
    result = trend([a_run({label: times() for label in labels})], by="version")
    assert list(result.runs["folder"]) == ["cpsat@9.14.2", "cpsat@9.14.10", "cpsat@9.15"]


def test_notes_name_versions_and_not_their_numbers(a_run: MakeRun) -> None:
    results = {f"cpsat@9.{n}": times(1.0) for n in range(1, 5)}
    results["cpsat@9.3"] = results["cpsat@9.3"][:-1]
    result = trend([a_run(results)], by="version")
    assert [note for note in result.notes if "common" in note and "cpsat@9.3 has" in note]
    assert not [note for note in result.notes if "run 2" in note or "runs" in note]


def test_several_runs_repeat_each_version(a_run: MakeRun) -> None:
    runs = [
        a_run({f"cpsat@{version}": times(f * noise) for version, f in (("9.1", 1.0), ("9.2", 1.2))})
        for noise in (1.0, 1.01, 0.99)
    ]
    result = trend(runs, by="version")
    assert list(result.runs["folder"]) == ["cpsat@9.1"] * 3 + ["cpsat@9.2"] * 3
    assert steps(result) == [("cpsat", "slower", 4)]


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 20), marks=pytest.mark.long)])
def test_a_planted_slow_version_is_the_only_step_in_twenty_repetitions(
    a_run: MakeRun, seeds: range
) -> None:
    versions = ("9.10", "9.11", "9.12", "9.13", "9.14", "9.15")
    for seed in seeds:
        random = np.random.default_rng(seed)
        noise = dict(zip(versions, random.normal(1, 0.02, len(versions)), strict=True))
        results = {
            f"{name}@{version}": [
                time * noise[version] * factor * random.lognormal(0, 0.1) for time in times(1, 40)
            ]
            for name in ("slowed", "same")
            for version in versions
            for factor in [1.6 if name == "slowed" and version >= "9.13" else 1.0]
        }
        result = trend([a_run(results, day=1)], by="version")
        assert steps(result) == [("slowed", "slower", 10)]
        assert "slower at slowed@9.13: 1." in result.trends["steps"].iloc[1]


def test_a_trend_by_version_needs_three_versions(a_run: MakeRun) -> None:
    run = a_run({"cpsat@9.1": times(), "cpsat@9.2": times(), "native": times()})
    with pytest.raises(InputError, match="no backend has three versions"):
        trend([run], by="version")
    with pytest.raises(OptionError, match="by"):
        trend([run], by="colour")


def test_each_table_has_its_declared_columns(runs_of_a: RunsOfA) -> None:
    for factors, measure in (((1, 1, 1), "solved"), ((1, 1, 1, 2, 2, 2), "par2")):
        result = trend(runs_of_a(*factors), measure=measure)
        for layout in result.layouts:
            assert dict(result.frame(layout.name).dtypes.astype(str)) == layout.dtypes, layout.name


INSTANCES = 40


def noisy(
    random: np.random.Generator, runs: int, run_noise: float, instance_noise: float
) -> Floats:
    """Logarithms of times of a configuration whose speed does not change."""
    hard = random.normal(-4, 1.5, (INSTANCES, 1))
    noise: Floats = hard + random.normal(0, instance_noise, (INSTANCES, runs))
    return noise + random.normal(0, run_noise, runs)


def places_of(logs: Floats) -> list[int]:
    (changes,) = steps_of([logs])
    return [step.at for step in changes]


@pytest.mark.parametrize(
    ("noise", "expected"), [(0.001, RUN_NOISE[0]), (0.06, 0.06), (0.5, RUN_NOISE[1])]
)
def test_the_expected_noise_of_a_run_has_bounds(noise: float, expected: float) -> None:
    # Two instances whose logarithms change by c and -c: their variance is c^2.
    logs = np.array([[0.0, noise, 0.0], [0.0, -noise, 0.0]])
    assert prior_variance(logs) == pytest.approx(expected**2 + noise**2 / 2)


def test_a_step_is_tested_with_the_expected_and_the_seen_noise() -> None:
    means = np.array([0.0, 0.02, 0.5, 0.54])
    (change,) = level_changes(means, [2], prior=0.01)
    squares = 2 * 0.01**2 + 2 * 0.02**2
    freedom = RUN_NOISE_WEIGHT + 2
    error = np.sqrt((RUN_NOISE_WEIGHT * 0.01 + squares) / freedom * (1 / 2 + 1 / 2))
    assert change.difference == pytest.approx(0.51)
    assert change.p == pytest.approx(3 * 2 * scipy.stats.t.sf(0.51 / error, freedom))
    assert change.high - 0.51 == pytest.approx(scipy.stats.t.ppf(0.975, freedom) * error)
    assert (change.begin, change.at, change.end) == (0, 2, 4)
    assert change.low == pytest.approx(2 * 0.51 - change.high)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-2, 2, allow_subnormal=False), min_size=2, max_size=7),
    st.sampled_from([1e-4, 1e-2]),
)
def test_candidates_are_the_best_of_all_possible_places(values: list[float], prior: float) -> None:
    means = np.array(values)
    k = len(means)

    def cost(places: tuple[int, ...]) -> float:
        levels = [means[a:b] for a, b in pairwise((0, *places, k))]
        if any(len(level) == 1 for level in levels[1:-1]):
            return float("inf")
        squares = sum(((level - level.mean()) ** 2).sum() for level in levels)
        likelihood = (3 + k - 1) * np.log(3 * prior + squares)
        return float(likelihood + 3 * np.log(k) * len(places))

    possible = [
        places
        for number in range(max(1, k // 2) + 1)
        for places in combinations(range(1, k), number)
    ]
    places = tuple(candidates(means, prior))
    assert cost(places) == pytest.approx(min(map(cost, possible)), abs=1e-6)


def test_each_step_is_found_with_its_factor() -> None:
    logs = noisy(np.random.default_rng(0), 12, 0.01, 0.03)
    logs[:, 4:] += np.log(1.5)
    logs[:, 8:] -= np.log(2)
    (changes,) = steps_of([logs])
    for step, (at, factor) in zip(changes, ((4, 1.5), (8, 0.5)), strict=True):
        assert step.at == at
        assert np.exp(step.difference) == pytest.approx(factor, rel=0.02)
        assert step.low < np.log(factor) < step.high
        assert step.p <= step.p_holm < 0.01


def test_one_slow_run_between_others_is_not_a_step() -> None:
    logs = noisy(np.random.default_rng(1), 9, 0.01, 0.03)
    logs[:, 4] += np.log(2)
    assert places_of(logs) == []


@pytest.mark.parametrize("runs", [3, 8])
def test_a_slow_last_run_is_a_step(runs: int) -> None:
    logs = noisy(np.random.default_rng(2), runs, 0.01, 0.03)
    logs[:, -1] += np.log(1.5)
    assert places_of(logs) == [runs - 1]


@pytest.mark.parametrize(("factor", "places"), [(1.09, []), (1.11, [10])])
def test_a_step_is_at_least_as_large_as_a_difference(factor: float, places: list[int]) -> None:
    logs = np.repeat(np.random.default_rng(4).normal(-4, 1, (INSTANCES, 1)), 20, axis=1)
    logs[:, 10:] += np.log(factor)
    assert places_of(logs) == places


def test_more_steps_need_more_evidence() -> None:
    step = np.repeat([[0.0, 0.0, 0.0, 0.21]], INSTANCES, axis=0)
    (change,) = level_changes(step.mean(axis=0), [3], prior_variance(step))
    assert 0.001 < change.p < 0.01
    assert steps_of([step])[0][0].p_holm == change.p
    assert steps_of([step] * 20) == [[]] * 20


def test_neither_unit_nor_order_of_instances_matters() -> None:
    logs = noisy(np.random.default_rng(6), 10, 0.02, 0.05) + 0.3 * (np.arange(10) > 5)
    (expected,) = steps_of([logs])
    (reversed_steps,) = steps_of([logs[::-1] + np.log(1000)])
    assert [change.at for change in expected] == [6]
    assert reversed_steps[0].p == pytest.approx(expected[0].p)
    assert reversed_steps[0].difference == pytest.approx(expected[0].difference)


NOISES = [(0.0, 0.02), (0.02, 0.05), (0.05, 0.05), (0.05, 0.02), (0.1, 0.1), (0.05, 0.7)]
SERIES = [
    *((runs, 0.05, 0.03, 100) for runs in (3, 12)),
    *(
        pytest.param(runs, *noises, 1000, marks=pytest.mark.long)
        for noises in NOISES
        for runs in (3, 4, 5, 7, 10, 20, 50)
    ),
]


@pytest.mark.parametrize(("runs", "run_noise", "instance_noise", "number"), SERIES)
def test_at_most_5_percent_of_equal_series_have_a_step(
    runs: int, run_noise: float, instance_noise: float, number: int
) -> None:
    random = np.random.default_rng(runs)
    series = (noisy(random, runs, run_noise, instance_noise) for _ in range(number))
    assert sum(bool(places_of(logs)) for logs in series) <= 0.05 * number


@pytest.mark.long
@pytest.mark.parametrize("runs", [5, 10, 20])
@pytest.mark.parametrize(("factor", "least"), [(1.2, 0.9), (1.5, 0.99)])
def test_a_planted_step_is_found_at_its_place(runs: int, factor: float, least: float) -> None:
    random = np.random.default_rng(runs)
    hits = 0
    for _ in range(300):
        at = int(random.integers(1, runs))
        logs = noisy(random, runs, 0.02, 0.03)
        logs[:, at:] += np.log(factor)
        hits += places_of(logs) == [at]
    assert hits >= least * 300


def test_arguments_of_wrong_types_are_input_errors() -> None:
    yes_or_no = {"flag", "numpy flag"}
    arguments: Arguments = {
        "runs": ([PROJECT / "results" / "reference"] * 2, {"empty list", "mixed list"}),
        "measure": ("par2", TEXT),
        "as_given": (False, yes_or_no),
        "time": (None, {"none"}),
        "least_factor": (None, {"none"}),
        "by": ("run", TEXT),
    }
    assert arguments.keys() == signature(page.trend).parameters.keys()
    check_refusals("trend", page.trend, arguments)
