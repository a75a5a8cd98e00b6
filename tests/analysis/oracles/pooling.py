"""`scaling`, `survival`, `machines`, `machine-factors`."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import scipy

from tests.analysis.oracles.averaging import average
from tests.analysis.oracles.model import GROUP, Group, Result, groups_of, instance_of, without
from tests.analysis.oracles.random_runs import SIZES, Trial
from tests.analysis.oracles.statistics import geometric, interval_ends, log

Row = dict[str, Any]

SERIES = {"4x4": "NxN", "6x6": "NxN", "9x9": "NxN", "latin5": "latin", "box5x2": "box5x2"}


def scaling(trials: list[Trial], time: str) -> list[Row]:
    columns = without("dataset")
    of_series = {
        repr(group.key): group
        for group in groups_of(trials, time, columns, lambda t: {"series": SERIES[t["shape"]]})
    }
    rows = []
    for group in groups_of(trials, time, columns, lambda t: {"shape": t["shape"]}):
        shape = group.key["shape"]
        series = of_series[repr({k: group.key[k] for k in columns} | {"series": SERIES[shape]})]
        for backend in group.backends:
            row = (
                group.row(backend) | average(group.results_of(backend)) | _exponent(series, backend)
            )
            rows.append(row | {"size": SIZES[shape]})
    return rows


def _exponent(series: Group, backend: str) -> Row:
    """Least squares on logarithms; HC3 and the degrees of freedom of Bell and McCaffrey."""
    own = series.results_of(backend)
    row: Row = dict.fromkeys(("exponent", "exponent_low", "exponent_high"))
    row |= {"exponent_is_bound": False, "fitted_to": len(own)}
    size = np.log([SIZES[r.trials[0]["shape"]] for r in own])
    is_failure = np.array([not r.answered for r in own], dtype=bool)
    if len(set(size)) < 3 or len(own) < 8:
        return row
    if np.any(size[is_failure] < size.mean() - 1e-12):
        return row
    design = np.column_stack([np.ones(len(size)), size])
    coefficients = np.linalg.inv(design.T @ design) @ design.T
    residual_maker = np.eye(len(size)) - design @ coefficients
    times = np.log([r.time for r in own])
    slope = float((coefficients @ times)[1])
    residuals = coefficients[1] / residual_maker.diagonal()
    error = math.sqrt(float(np.sum((residuals * (residual_maker @ times)) ** 2)))
    product = np.diag(residuals**2) @ residual_maker
    freedom = np.trace(product) ** 2 / np.trace(product @ product)
    half = float(scipy.stats.t.ppf(0.975, freedom)) * error
    return row | {
        "exponent": slope,
        "exponent_low": slope - half,
        "exponent_high": None if is_failure.any() else slope + half,
        "exponent_is_bound": bool(is_failure.any()),
    }


def survival(trials: list[Trial], time: str) -> list[Row]:
    return [
        _survival(group, backend)
        for group in groups_of(trials, time, without("timeout_s"))
        for backend in group.backends
    ]


def _longest(results: list[Result]) -> dict[tuple[Any, ...], Result]:
    """The result of each instance under the longest limit."""
    in_order = sorted(results, key=lambda r: (r.limit, r.trials[0]["timeout_s"]))
    return {result.instance: result for result in in_order}


def _survival(group: Group, backend: str) -> Row:
    own = list(_longest(group.results_of(backend)).values())
    wrong = {r.instance for r in group.all_of(backend) if r.wrong}
    row = group.row(backend) | {
        "instances": len(own),
        "answered": sum(r.answered for r in own),
        "wrong": len(wrong),
        "limits": len({r.limit for r in group.results_of(backend)}),
    }
    if wrong or not own:
        return row | dict.fromkeys(("horizon_s", "rmst_s", "share_open"))
    horizon = min(max(r.limit for r in group.results_of(b)) for b in group.eligible)
    mean, last, share = 0.0, 0.0, 1.0
    for time in sorted({r.time for r in own if r.answered and r.time <= horizon}):
        mean += share * (time - last)
        at_risk = sum(r.time >= time for r in own)
        share *= 1 - sum(r.answered and r.time == time for r in own) / at_risk
        last = time
    mean += share * (horizon - last)
    return row | {"horizon_s": horizon, "rmst_s": mean, "share_open": share}


MACHINE = ("host", "time")


def machines(trials: list[Trial], time: str) -> list[Row]:
    rows = []
    for host in {trial["host"] for trial in trials}:
        own = [trial for trial in trials if trial["host"] == host]
        rows.append(
            {
                "host": host,
                "time": time,
                "trials": len(own),
                "backends": len({trial["backend"] for trial in own}),
                "puzzles": len({trial["puzzle_id"] for trial in own}),
                "total_s": float(sum(trial[f"{time}_s"] or 0 for trial in own)),
            }
        )
    return rows


def machine_factors(trials: list[Trial], time: str) -> list[Row]:
    times: dict[str, dict[tuple[Any, ...], float]] = {t["host"]: {} for t in trials}
    for group in groups_of(trials, time):
        for r in group.results:
            trial = r.trials[0]
            question = tuple(trial[name] for name in GROUP if name not in MACHINE)
            if r.answered:
                times[trial["host"]][(r.backend, instance_of(trial), *question)] = r.time
    rows = []
    for host, other in combinations(sorted(times), 2):
        both = sorted(times[host].keys() & times[other].keys(), key=repr)
        ratios = [times[other][key] / times[host][key] for key in both]
        low, high = interval_ends([log(ratio) for ratio in ratios])
        rows.append(
            {
                "host": host,
                "time": time,
                "other": other,
                "instances": len(both),
                "factor": geometric(ratios) if ratios else None,
                "factor_low": low,
                "factor_high": high,
            }
        )
    return rows
