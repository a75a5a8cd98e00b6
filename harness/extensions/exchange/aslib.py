"""Runs as scenarios of ASlib, the library for the selection of algorithms.

The format is that of Bischl et al., "ASlib: A benchmark library for algorithm selection",
Artificial Intelligence 237 (2016), in version 2.0 of its specification.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis import EVERY, Run, feature_columns, parse_feature
from harness.base.files import new_folder, replace_file
from harness.base.text import number_of, printable
from harness.extensions.exchange.groups import QUESTION, groups, instance_names
from harness.puzzles import Puzzle, Shape
from harness.puzzles.datasets import FEATURES, Described, Feature, FeatureType
from harness.records import Verdict

FOLDS: Final = 10
_SEED: Final = 0
_STATUSES: Final = ("ok", "timeout", "memout", "not_applicable", "crash", "other")
_STATUS: Final = f"{{{','.join(_STATUSES)}}}"
_RUN_STATUS: Final = {
    **dict.fromkeys(filter(lambda verdict: verdict.answered, Verdict), "ok"),
    Verdict.TIMEOUT: "timeout",
    Verdict.OUT_OF_MEMORY: "memout",
    Verdict.UNSUPPORTED: "not_applicable",
    Verdict.CRASHED: "crash",
}
"""The run status of a verdict; ``other`` for the rest."""
_IDS: Final = {"instance_id": "STRING", "repetition": "NUMERIC"}

_NUMBER, _BOOLEAN = FeatureType.NUMBER, FeatureType.BOOLEAN
_SMALL: Final = "1234341221434..."
"""A puzzle with one solution."""

Row = Sequence[Any]


def aslib(run: Run, out: Path, names: Sequence[str]) -> str:
    """Write a run as a scenario to the new folder `out`; several questions are folders in it.

    Args:
        run: the run.
        out: the folder.
        names: names of features besides those that need no search, or ``all``. Texts in an order
            become their position in it; features without an order are left out.

    Raises:
        OptionError: there is no such feature.
        InputError: the folder exists.
    """
    chosen = {parse_feature(name) for name in names}
    every = {"clues": FEATURES["clues"], **feature_columns()}
    features = [
        feature
        for name, feature in every.items()
        if (not feature.optional or chosen & {name, EVERY}) and _is_ordered(feature)
    ]
    trials = run.trials.assign(instance=instance_names(run.trials))
    descriptions = _descriptions(trials, features)
    parts = groups(trials, QUESTION)
    with new_folder(out) as folder:
        for name, part in parts.items():
            (folder / name).mkdir(exist_ok=True)
            title = f"{out.name}-{name}".strip("-")
            for file, text in _scenario(part, features, descriptions, title).items():
                replace_file(folder / name / file, text.encode())
    return f"{number_of(len(parts), 'scenario')} in {out}"


def _is_ordered(feature: Feature) -> bool:
    """Whether the values are numbers, or texts in an order."""
    is_text = feature.kind is FeatureType.TEXT
    return bool(feature.choices) if is_text else feature.kind in (_NUMBER, _BOOLEAN)


@dataclass(frozen=True, slots=True)
class _Description:
    """The features of an instance."""

    values: list[object]
    """Numbers; None for a missing one."""
    costs: list[float]
    """Seconds for the computation of each."""


def _descriptions(trials: pd.DataFrame, features: list[Feature]) -> dict[str, _Description]:
    """The features of each instance by its name."""
    _describe(Puzzle.of_line(_SMALL, Shape.parse("4x4")), features)  # compiles what they need
    rows = trials.drop_duplicates("instance")[["instance", "puzzle", "shape"]]
    return {
        name: _describe(Puzzle.of_line(line, Shape.parse(shape)), features)
        for name, line, shape in rows.itertuples(index=False)
    }


def _describe(puzzle: Puzzle, features: list[Feature]) -> _Description:
    values: list[object] = []
    times = [perf_counter()]
    for feature in features:
        value = feature.value(Described(puzzle))
        values.append(feature.choices.index(value) if isinstance(value, str) else value)
        times.append(perf_counter())
    return _Description(values, [end - start for start, end in pairwise(times)])


def _scenario(
    trials: pd.DataFrame,
    features: list[Feature],
    descriptions: dict[str, _Description],
    title: str,
) -> dict[str, str]:
    """The files of a scenario by name."""
    instances = trials.drop_duplicates("instance")
    numeric = dict.fromkeys((feature.name for feature in features), "NUMERIC")
    steps = dict.fromkeys(numeric, _STATUS)
    rows = {name: descriptions[name] for name in instances["instance"]}
    statuses = {n: ["other" if v is None else "ok" for v in row.values] for n, row in rows.items()}
    values = {name: row.values for name, row in rows.items()}
    costs = {name: row.costs for name, row in rows.items()}
    return {
        "description.txt": _description(trials, [*numeric], title),
        "algorithm_runs.arff": _runs(trials, title),
        "feature_values.arff": _arff(title, _IDS | numeric, _rows(values)),
        "feature_runstatus.arff": _arff(title, _IDS | steps, _rows(statuses)),
        "feature_costs.arff": _arff(title, _IDS | numeric, _rows(costs)),
        "cv.arff": _arff(title, _IDS | {"fold": "NUMERIC"}, _rows(_folds(instances))),
    }


def _rows(values: dict[str, Any]) -> Iterable[Row]:
    return ([name, 1, *row] for name, row in values.items())


def _runs(trials: pd.DataFrame, title: str) -> str:
    """The times of all runs. A run that is not ok has the time limit, so that PAR10 multiplies it."""
    attributes = {"algorithm": "STRING", "runtime": "NUMERIC", "runstatus": _STATUS}
    status = trials["verdict"].map(_RUN_STATUS).fillna("other")
    seconds = trials["wall_s"].where(status == "ok", trials["timeout_s"])
    columns = ["instance", "repetition", "backend"]
    rows = trials[columns].assign(runtime=seconds, runstatus=status)
    return _arff(title, _IDS | attributes, rows.itertuples(index=False, name=None))


def _folds(instances: pd.DataFrame) -> dict[str, list[int]]:
    """The fold of each instance, from 1; scrambles of a puzzle are in the same."""
    codes, puzzles = pd.factorize(instances["dataset"] + "/" + instances["name"])
    order = np.random.default_rng(_SEED).permutation(len(puzzles))
    folds = (order[codes] % FOLDS + 1).tolist()
    return {name: [fold] for name, fold in zip(instances["instance"], folds, strict=True)}


def _description(trials: pd.DataFrame, features: list[str], title: str) -> str:
    """The description in YAML, in which each value is JSON."""
    configurations = trials.drop_duplicates("backend").set_index("backend")["options"]
    memory = int(trials["memory_limit_mib"].iloc[0] or 0)
    is_deterministic = bool(trials["repetition"].max() == 1)
    values = {
        "scenario_id": title,
        "performance_measures": ["runtime"],
        "maximize": [False],
        "performance_type": ["runtime"],
        "algorithm_cutoff_time": float(trials["timeout_s"].iloc[0]),
        "algorithm_cutoff_memory": memory or "?",
        "features_cutoff_time": "?",
        "features_cutoff_memory": "?",
        "features_deterministic": features,
        "features_stochastic": [],
        "number_of_feature_steps": len(features),
        "default_steps": features,
        "feature_steps": {name: {"provides": [name]} for name in features},
        "metainfo_algorithms": {
            name: {"configuration": options, "deterministic": is_deterministic}
            for name, options in configurations.items()
        },
    }
    return "".join(f"{k}: {json.dumps(v, ensure_ascii=False)}\n" for k, v in values.items())


def _arff(title: str, attributes: dict[str, str], rows: Iterable[Row]) -> str:
    """A table in the format of Weka; a missing value is ``?``."""
    head = [f"@ATTRIBUTE {name} {kind}" for name, kind in attributes.items()]
    data = (",".join(map(_cell, row)) for row in rows)
    return "\n".join([f"@RELATION {_cell(title)}", *head, "@DATA", *data, ""])


def _cell(value: object) -> str:
    if isinstance(value, str):
        text = printable(value).replace("\\", "\\\\").replace("'", "\\'")
        return value if value in _STATUSES else f"'{text}'"
    return "?" if pd.isna(value) else f"{value:d}" if isinstance(value, bool) else str(value)  # type: ignore[call-overload]
