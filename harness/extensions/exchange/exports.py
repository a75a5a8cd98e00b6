"""Runs as results of BenchExec, for its table-generator, and as scenarios of ASlib.

A result of BenchExec has the runs of one configuration. A scenario, for the selection of
algorithms, has those of one question; its format is that of Bischl et al., "ASlib: A benchmark
library for algorithm selection", Artificial Intelligence 237 (2016), in version 2.0.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from pandas.api.types import is_numeric_dtype

from harness.analysis import Run, feature_columns, with_features
from harness.base.errors import OptionError
from harness.base.files import new_folder, replace_file
from harness.base.text import number_of, printable
from harness.records import DTYPES, StoreTable, fields_of

MEASURED: Final = {
    "cputime": ("cpu_s", "s"),
    "walltime": ("wall_s", "s"),
    "memory": ("memory_bytes", "B"),
}
"""The columns that BenchExec measures, with their fields and units."""
_QUESTION: Final = [field.name for field in fields_of(StoreTable.QUESTIONS)]
_SHARED: Final = [
    *(field.name for field in fields_of(StoreTable.CONFIGURATIONS)),
    *(*_QUESTION, "repetition"),
]
"""The fields that all runs of a result share; they are attributes of it."""
_HIDDEN: Final = ["dataset", "scramble", *(field.name for field in fields_of(StoreTable.TRIALS))]
"""The other fields that a result keeps; table-generator does not show them."""
_VISIBLE: Final = {"repetition", "verdict", *(name for name, _ in MEASURED.values())}
_SCENARIO: Final = (
    *("description.txt", "algorithm_runs.arff", "feature_values.arff", "feature_runstatus.arff"),
    "cv.arff",
)
_FOLDS: Final = 10
_SEED: Final = 0
_ENVIRONMENT: Final = Environment(
    loader=PackageLoader("harness.extensions.exchange"),
    autoescape=select_autoescape(["xml.j2"]),
    undefined=StrictUndefined,
)
_ENVIRONMENT.filters["printable"] = printable


def benchexec(run: Run, out: Path, names: Sequence[str]) -> str:
    """Write a run as results, one for each configuration, question and repetition.

    Args:
        run: the run.
        out: a new folder, or a file ``NAME.xml`` for a single result.
        names: names of features that become columns.

    Raises:
        InputError: there is no such feature, or `out` cannot be written.
    """
    trials = with_features(run.trials, names)
    values = {
        "shared": _SHARED,
        "measured": MEASURED,
        "hidden": [name for name in _HIDDEN if name not in _VISIBLE],
        "features": [name for name in trials if name not in DTYPES],
        "title": run.folder.resolve().name,
    }
    parts = _groups(trials, ["backend", *_QUESTION, "repetition"])
    files = {
        f"{name}.xml": _rendered("result.xml", rows=_rows(part), **values) for name, part in parts
    }
    return _put(files, out)


def aslib(run: Run, out: Path, names: Sequence[str]) -> str:
    """Write a run as scenarios, one for each question, to folders in the new folder `out`.

    Scrambles of a puzzle are in the same fold. A run that is not ok has the time limit as its time,
    so that PAR10 can multiply it.

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
    features = ["clues", *(n for n in every if n in trials and is_numeric_dtype(trials[n]))]
    files = {}
    for name, part in _groups(trials, _QUESTION):
        puzzle, puzzles = pd.factorize(part["dataset"] + "/" + part["name"])
        order = np.random.default_rng(_SEED).permutation(len(puzzles))
        folds = part.assign(fold=order[puzzle] % _FOLDS + 1)
        values = {
            "title": f"{out.name}-{name}",
            "features": features,
            "runs": _rows(part),
            "instances": _rows(folds.drop_duplicates("instance_id")),
        }
        files |= {f"{name}/{file}": _rendered(file, **values) for file in _SCENARIO}
    return _put(files, out)


def _groups(trials: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """The trials with equal values in `columns`, each with a name for a file: ``2-cnf-warm``.

    The name has the values that differ between groups. The column ``instance_id`` is added:
    ``named/3#8388d8d376efe091``, in which the digest of the puzzle keeps scrambles apart.
    """
    ids = trials["dataset"] + "/" + trials["name"] + "#" + trials["puzzle_id"]
    differing = [name for name in columns if trials[name].nunique(dropna=False) > 1]
    parts = trials.assign(instance_id=ids).groupby(
        differing or columns[:1], sort=False, dropna=False
    )
    for number, (values, part) in enumerate(parts, 1):
        words = re.sub(r"[^\w.]+", "-", "-".join(map(str, values)))[:100].rstrip("-")
        yield f"{number}-{words}", part


def _rows(trials: pd.DataFrame) -> list[dict[Any, Any]]:
    return trials.astype(object).where(trials.notna(), None).to_dict("records")


def _rendered(name: str, **values: object) -> str:
    return _ENVIRONMENT.get_template(f"{name}.j2").render(values)


def _put(files: Mapping[str, str], out: Path) -> str:
    """Write texts to the new folder `out`, or the only one to a file; returns how many.

    Raises:
        InputError: the folder exists, or several texts are to be one file.
    """
    if out.suffix != ".xml":
        with new_folder(out) as folder:
            for name, text in files.items():
                (folder / name).parent.mkdir(exist_ok=True)
                replace_file(folder / name, text.encode())
    elif len(files) == 1:
        replace_file(out, "".join(files.values()).encode())
    else:
        raise OptionError(f"{len(files)} files", where=f"--out {out}", expected="a new folder")
    return f"{number_of(len(files), 'file')} in {out}"
