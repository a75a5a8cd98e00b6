"""`harness noise`: what differences between times this machine can resolve."""

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import backend_names
from harness.cli.options import JsonOption, number_option, show_json, value_option
from harness.cli.terminal import console_of, show, wrapped
from harness.records import Start
from harness.report import shown_backend
from harness.runs import Sweep

if TYPE_CHECKING:
    from harness.extensions.noise.copies import Spread

_RUNS: Final = 10
"""The number of runs of copies, with thirty pairs of copies in all."""


def noise(
    *,
    backend: Annotated[
        str, value_option("--backend", "SPEC", "Backend whose copies run.", completer=backend_names)
    ] = "native",
    runs: Annotated[int, number_option("--runs", "Number of runs, at least 2.", 2)] = _RUNS,
    as_json: JsonOption = False,
) -> None:
    """Measure copies of one backend: which differences between times this machine can resolve.

    Copies are equal, so every difference between them is noise.
    """
    sweep = Sweep(("transition",), (backend,), starts=(Start.WARM,), repeat=3)
    modules = ("harness.runs.run", "harness.extensions.noise.copies", "harness.cli.run_progress")
    with interruptible(*modules), tempfile.TemporaryDirectory(prefix="harness-noise-") as folder:
        from harness.extensions.noise import copies

        with lazy.LiveProgress(console_of(sys.stderr)) as progress:
            folders = copies.run_copies(sweep, Path(folder), runs, progress)
            results = [lazy.load(copy) for copy in folders]
        measurement = copies.noise(backend, results)
    if as_json:
        show_json(measurement)
        return
    puzzles = number_of(measurement.instances, "puzzle")
    show(f"{copies.COPIES} copies of {shown_backend(backend)}, {runs} runs of {puzzles} each")
    _show_spread("copies in one run", measurement.within, "runs")
    _show_spread("one run and the next", measurement.between, "comparisons")
    alone, later = measurement.within.resolution, measurement.between.resolution
    show(f"resolution: factors of {alone:.2f} in one run and {later:.2f} between runs")


def _show_spread(title: str, spread: "Spread", unit: str) -> None:
    unequal = f", and {spread.unequal} attribute one to the machine" if spread.unequal else ""
    text = (
        f"{title}: factors up to {spread.largest:.2f}, 95 % of them up to {spread.resolution:.2f}; "
        f"{spread.false} of {spread.comparisons} {unit} show a false difference{unequal}"
    )
    show(wrapped(text, indent=2))
