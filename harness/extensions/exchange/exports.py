"""Runs as results of BenchExec, for its table-generator, and as scenarios of ASlib.

A result of BenchExec has the runs of one configuration. A scenario, for the selection of
algorithms, has those of one question; its format is that of Bischl et al., "ASlib: A benchmark
library for algorithm selection", Artificial Intelligence 237 (2016), in version 2.0.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from pandas.api.types import is_numeric_dtype

from harness.analysis import Run, feature_columns, with_features
from harness.base.files import new_folder, replace_file
from harness.base.text import number_of, printable
from harness.records import DTYPES, StoreTable, fields_of

MEASURED: Final = {"cputime": "cpu_s", "walltime": "wall_s", "memory": "memory_bytes"}
"""The columns that BenchExec measures, with their fields."""
_QUESTION: Final = [field.name for field in fields_of(StoreTable.QUESTIONS)]
_SHARED: Final = [field.name for field in fields_of(StoreTable.CONFIGURATIONS)] + _QUESTION
"""The fields that all runs of a result share; they are attributes of it."""
_HIDDEN: Final = ["dataset", "scramble", *(field.name for field in fields_of(StoreTable.TRIALS))]
"""The fields in columns of their own, which tables of BenchExec hide."""
_TEMPLATES: Final = Environment(
    loader=PackageLoader("harness.extensions.exchange"),
    autoescape=select_autoescape(["xml.j2"]),
    undefined=StrictUndefined,
)
_TEMPLATES.filters["printable"] = printable


def benchexec(run: Run, out: Path, names: Sequence[str]) -> str:
    """Write a run as results, one for each configuration and repetition, to the new folder `out`.

    Args:
        run: the run.
        out: the folder.
        names: names of features that become columns.

    Raises:
        InputError: there is no such feature, or `out` cannot be written.
    """
    trials = with_features(run.trials, names)
    values = {
        "title": run.folder.resolve().name,
        "shared": _SHARED,
        "measured": MEASURED,
        "hidden": [n for n in _HIDDEN if n not in {"verdict", "ended_at", *MEASURED.values()}],
        "features": [name for name in trials if name not in DTYPES],
    }
    parts = _groups(trials, ["backend", *_QUESTION, "repetition"])
    return _write(out, ((f"{name}.xml", "result.xml.j2", values | rows) for name, rows in parts))


def aslib(run: Run, out: Path, names: Sequence[str]) -> str:
    """Write a run as scenarios, one for each question, to folders in the new folder `out`.

    Scrambles of a puzzle are in the same of 10 folds. A run that is not ok has the time limit as
    its time, so that PAR10 can multiply it.

    Args:
        run: the run.
        out: the folder.
        names: names of features, or ``all``; by default all that need no search. Those that are
            texts are left out.

    Raises:
        InputError: there is no such feature, or `out` cannot be written.
    """
    every = feature_columns()
    trials = with_features(run.trials, names or [n for n, f in every.items() if not f.optional])
    values = {"features": ["clues", *(n for n in every if is_numeric_dtype(trials.get(n, "")))]}
    puzzle, puzzles = pd.factorize(trials["dataset"] + "/" + trials["name"])
    order = np.random.default_rng(0).permutation(len(puzzles))
    parts = _groups(trials.assign(fold=order[puzzle] % 10 + 1), _QUESTION)
    documents = (
        (f"{name}/{Path(file).stem}", file, values | rows | {"title": f"{out.name}-{name}"})
        for name, rows in parts
        for file in _TEMPLATES.list_templates(filter_func=lambda file: "aslib/" in file)
    )
    return _write(out, documents)


def _groups(trials: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of trials with equal values in `columns`, with a name for a file: ``2-cnf-warm``.

    The name has the values that differ between groups. The rows have a further column,
    ``instance_id``: ``named/3#8388d8d376efe091``; the digest of the puzzle keeps scrambles apart.
    """
    ids = trials["dataset"] + "/" + trials["name"] + "#" + trials["puzzle_id"]
    differing = [name for name in columns if trials[name].nunique(dropna=False) > 1] or columns[:1]
    parts = plain(trials).assign(instance_id=ids).groupby(differing, sort=False, dropna=False)
    for number, (values, part) in enumerate(parts, 1):
        text = "-".join(str(value) for value in values if value == value)  # without NaN
        words = re.sub(r"[^\w.]+", "-", text)[:100].rstrip("-")
        yield f"{number}-{words}", {"rows": part.to_dict("records")}


def plain(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials as Python objects, with None for a missing value."""
    return trials.astype(object).where(trials.notna(), None)


def _write(out: Path, documents: Iterable[tuple[str, str, dict[str, Any]]]) -> str:
    """Write documents to the new folder `out`: file, template and values; returns how many."""
    with new_folder(out) as folder:
        for file, template, values in documents:
            (folder / file).parent.mkdir(exist_ok=True)
            replace_file(folder / file, _TEMPLATES.get_template(template).render(values).encode())
        number = sum(path.is_file() for path in folder.rglob("*"))
    return f"{number_of(number, 'file')} in {out}"
