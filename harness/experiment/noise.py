"""Runs of copies of one backend: all differences between them are noise of the machine.

Such an A/A test shows what differences a machine can resolve (Kohavi, Tang and Xu, "Trustworthy
online controlled experiments", 2020, chapter 19).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from harness.errors import InputError
from harness.experiment.observer import Observer
from harness.experiment.run import run_sweep
from harness.experiment.selection import expand_specs
from harness.experiment.sweep import Sweep

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

    Args:
        spec: the backend with its options.
        folder: an existing folder.

    Raises:
        InputError: the backend does not exist, or the spec names several.
    """
    specs = expand_specs([spec])
    if len(specs) != 1:
        raise InputError(f"{spec} names several backends", expected="one backend")
    original = specs[0]
    locator = str(Path(original.locator).resolve()) if original.is_file else original.locator
    files = []
    for number in range(1, COPIES + 1):
        file = folder / f"copy{number}.py"
        file.write_text(_COPY.format(locator=locator, name=f"copy-{number}"), encoding="utf-8")
        files.append(str(file) + original.label.removeprefix(original.locator))
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
    backends = copies(_only(sweep.backends), folder)
    for number in range(1, runs + 1):
        options = vars(sweep) | {"backends": backends, "seed": sweep.seed + number}
        run_folder = folder / f"run{number}"
        run_sweep(Sweep.of(options), run_folder, observer=observer)
        yield run_folder


def _only(backends: Sequence[str]) -> str:
    if len(backends) != 1:
        raise InputError(f"{len(backends)} backends", where="--backend", expected="one backend")
    return backends[0]
