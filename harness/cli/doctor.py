"""`harness doctor`: checks whether this machine is fit for measuring."""

import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import InputError, OptionError
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import backend_names
from harness.cli.options import JsonOption, show_json, value_option
from harness.cli.terminal import console_of, show, theme_of, wrapped
from harness.records.question import Start
from harness.report.formatting import Style, shown_backend
from harness.runs.sweep import Sweep

_MARKS: Final = {
    True: ("pass", Style.GOOD),
    False: ("FAIL", Style.BAD),
    None: ("?   ", Style.QUIET),
}

SAMPLED_S: Final = 0.5
"""How long it observes what other programs do."""
NOISE_RUNS: Final = 10
"""The number of runs of copies: some thirty pairs of copies."""
_LEAST_RUNS: Final = 2
_DATASET, _REPEAT = "transition", 3


def _runs(value: str) -> int:
    if not value.isdecimal() or int(value) < _LEAST_RUNS:
        expected = f"a whole number of at least {_LEAST_RUNS}"
        raise OptionError(f"{value!r} is not valid", expected=expected)
    return int(value)


def doctor(
    *,
    noise: Annotated[
        bool, typer.Option("--noise", help="Measure copies of one backend instead of the checks.")
    ] = False,
    backend: Annotated[
        str | None,
        value_option(
            "--backend",
            "SPEC",
            "Backend whose copies --noise compares [default: native].",
            completer=backend_names,
        ),
    ] = None,
    runs: Annotated[
        int | None,
        value_option("--runs", "N", f"Number of runs with --noise [default: {NOISE_RUNS}].", _runs),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check this machine for sources of unreliable timings.

    doctor examines the machine only: check examines answers, inspect puzzles.

    With --noise, run copies of one backend: the differences between them show what differences
    this machine can resolve.
    """
    if noise:
        count = NOISE_RUNS if runs is None else runs
        _show_noise("native" if backend is None else backend, count, as_json=as_json)
    else:
        for flag, value in (("--backend", backend), ("--runs", runs)):
            if value is not None:
                raise InputError(f"{flag} needs --noise", where="harness doctor", expected="both")
        _show_checks(as_json=as_json)


def _show_checks(*, as_json: bool) -> None:
    info, activity = lazy.machine.system_info(), lazy.machine.sampled_activity(SAMPLED_S)
    checks = lazy.system_checks(info, activity=activity)
    if as_json:
        data = [lazy.documents.CheckData(**asdict(check)) for check in checks]
        show_json(lazy.documents.Diagnosis(system=info, activity=activity, checks=data))
        return
    passed = sum(check.passed is True for check in checks)
    unknown = sum(check.passed is None for check in checks)
    failed = [check.subject for check in checks if check.passed is False]
    more = f", {unknown} unknown" if unknown else ""
    doubt = f"; times may be unreliable: {', '.join(failed)}" if failed else ""
    show(wrapped(f"{passed} of {len(checks)} checks passed{more}{doubt}", 0))
    theme = theme_of()
    for check in checks:
        mark, style = _MARKS[check.passed]
        line = wrapped(f"{mark}  {check.subject}: {check.found}", 6, first=0)
        show(line.replace(mark, theme.styled(mark, style), 1))
        if check.remedy:
            show(wrapped(f"remedy: {check.remedy}", 6))


def _show_noise(backend: str, runs: int, *, as_json: bool) -> None:
    found = _measured(backend, runs)
    if as_json:
        within, between = (
            lazy.documents.SpreadData(
                spread.comparisons,
                spread.false,
                spread.unequal,
                spread.resolution,
                spread.largest,
            )
            for spread in (found.within, found.between)
        )
        show_json(lazy.documents.NoiseData(backend, found.instances, within, between))
        return
    puzzles = number_of(found.instances, "puzzle")
    show(f"{lazy.COPIES} copies of {shown_backend(backend)}, {runs} runs of {puzzles} each")
    _show_spread("copies in one run", found.within, "runs")
    _show_spread("one run and the next", found.between, "comparisons")
    alone, later = found.within.resolution, found.between.resolution
    show(f"resolution: factors of {alone:.2f} in one run and {later:.2f} between runs")


def _show_spread(what: str, spread: "lazy.Spread", of: str) -> None:
    unequal = f", and {spread.unequal} attribute one to the machine" if spread.unequal else ""
    text = (
        f"{what}: factors up to {spread.largest:.2f}, 95 % of them up to {spread.resolution:.2f}; "
        f"{spread.false} of {spread.comparisons} {of} show a false difference{unequal}"
    )
    show(wrapped(text, indent=2))


def _measured(backend: str, runs: int) -> "lazy.Noise":
    sweep = Sweep((_DATASET,), (backend,), starts=(Start.WARM,), repeat=_REPEAT)
    with (
        interruptible("harness.runs.run", "harness.analysis.noise", "harness.cli.run_progress"),
        tempfile.TemporaryDirectory(prefix="harness-noise-") as folder,
    ):
        with lazy.LiveProgress(console_of(sys.stderr)) as progress:
            folders = lazy.run_copies(sweep, Path(folder), runs, progress)
            measured = [lazy.load(copy) for copy in folders]
        return lazy.noise(measured)
