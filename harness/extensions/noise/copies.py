"""Copies of one backend: their runs, and the differences between their times.

Copies are equal, so every difference that a report or a comparison of them shows is false. Such an
A/A test shows what differences a machine can resolve (Kohavi, Tang and Xu, "Trustworthy online
controlled experiments", 2020, chapter 19).
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from harness.analysis import Change, Run
from harness.analysis.measures import Floats
from harness.base.errors import BackendUnavailableError, InputError
from harness.contract import Unavailable, environments
from harness.runs import Observer, Sweep, expand_specs, run_sweep

# Runs of copies.


COPIES: Final = 3
"""The number of copies in a run."""

_COPY: Final = '''"""A copy of a backend, by another name."""

from harness.contract import registry

_original, _ = registry.load_backend({locator!r})


class Copy(_original):
    name = {name!r}
'''


def copies(spec: str, folder: Path) -> tuple[str, ...]:
    """The specs of `COPIES` copies of a backend, which are files in `folder`.

    If the backend runs in an environment, `folder` gets one for each copy, with links to its
    packages.

    Args:
        spec: the backend with its options.
        folder: an existing folder.

    Raises:
        InputError: the backend does not exist or is not installed, or the spec names several.
    """
    specs = expand_specs([spec])
    if len(specs) != 1:
        raise InputError(f"{spec} names several backends", expected="one backend")
    original = specs[0]
    try:
        environment = environments.find(original)
    except Unavailable as error:
        reason = f"{error.reason}; {error.remedy}"
        raise BackendUnavailableError(f"backend {spec} is not available: {reason}") from None
    locator = str(Path(original.locator).resolve()) if original.is_file else original.locator
    files = []
    for number in range(1, COPIES + 1):
        file = folder / f"copy{number}.py"
        file.write_text(_COPY.format(locator=locator, name=f"copy-{number}"), encoding="utf-8")
        files.append(str(file) + original.label.removeprefix(original.locator))
        if environment:
            lent = replace(environment, folder=file.with_suffix(""), backend=str(file))
            lent.folder.mkdir()
            for part in ("bin", "lib"):
                (lent.folder / part).symlink_to(environment.folder / part)
            (lent.folder / environments.RECORD).write_bytes(lent.record)
    return tuple(files)


def run_copies(
    sweep: Sweep, folder: Path, runs: int, observer: Observer | None = None
) -> Iterator[Path]:
    """Run a sweep of copies several times, each with a seed of its own.

    Args:
        sweep: what to run; its one backend is copied.
        folder: an existing empty folder for the copies and the runs.
        runs: number of runs.
        observer: receives the progress of each run.

    Yields:
        The folder of each run when it has ended.

    Raises:
        InputError: a dataset or the backend cannot be used.
        StorageError: results cannot be written.
    """
    if len(sweep.backends) != 1:
        fault = f"{len(sweep.backends)} backends"
        raise InputError(fault, where="--backend", expected="one backend")
    backends, before = copies(sweep.backends[0], folder), environments.folder()
    os.environ[environments.FOLDER_VARIABLE] = str(folder)
    try:
        for number in range(1, runs + 1):
            options = vars(sweep) | {"backends": backends, "seed": sweep.seed + number}
            run_folder = folder / f"run{number}"
            run_sweep(Sweep.from_options(options), run_folder, observer=observer)
            yield run_folder
    finally:
        os.environ[environments.FOLDER_VARIABLE] = str(before)


# The noise: the differences between copies.


RESOLVED: Final = 0.95
"""The share of the factors between copies that is below the resolution."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The factors between copies, and how many comparisons report a difference."""

    json_keys: ClassVar = ("comparisons", "false", "unequal", "resolution", "largest")

    factors: Floats
    """The larger time over the smaller one, shape (n,), each 1 or more."""
    comparisons: int
    """Number of runs, or of pairs of runs, with all their copies."""
    false: int
    """How many of the comparisons find a difference."""
    unequal: int = 0
    """How many of them find a difference and attribute it to the machine."""

    @property
    def resolution(self) -> float:
        """The factor that 95 % of the factors between copies do not exceed."""
        return float(np.quantile(self.factors, RESOLVED)) if self.factors.size else float("nan")

    @property
    def largest(self) -> float:
        """The largest factor between copies."""
        return float(self.factors.max()) if self.factors.size else float("nan")


@dataclass(frozen=True, slots=True)
class Noise:
    """Differences between copies of one backend."""

    backend: str
    """The backend that was copied."""
    instances: int
    """The smallest number of instances or calls in a comparison."""
    within: Spread
    """Differences between the copies of a run."""
    between: Spread
    """Differences between each run and the next one."""


def noise(backend: str, runs: Sequence[Run]) -> Noise:
    """The differences between copies of one backend in runs of the same sweep.

    Args:
        backend: the backend.
        runs: two runs or more, in the order in which they were measured.
    """
    tables = [run.pairwise() for run in runs]
    comparisons = [before.compare(after) for before, after in pairwise(runs)]
    changes = [set(comparison.times["change"]) for comparison in comparisons]
    return Noise(
        backend=backend,
        instances=int(min(table["instances"].min() for table in tables)),
        within=Spread(
            factors=_sizes([table["factor"].to_numpy(dtype=np.float64) for table in tables]),
            comparisons=len(runs),
            false=sum(bool(table["different"].any()) for table in tables),
        ),
        between=Spread(
            factors=_sizes([c.times["factor"].to_numpy(dtype=np.float64) for c in comparisons]),
            comparisons=len(comparisons),
            false=sum(bool(kinds & {Change.SLOWER, Change.FASTER}) for kinds in changes),
            unequal=sum(
                bool(kinds & {Change.SLOWER_UNEQUAL, Change.FASTER_UNEQUAL}) for kinds in changes
            ),
        ),
    )


def _sizes(factors: Sequence[Floats]) -> Floats:
    """Factors in either direction as factors of 1 or more."""
    values = np.concatenate(factors)
    sizes: Floats = np.maximum(values, 1 / values)
    return sizes
